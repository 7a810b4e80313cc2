/* Calls on the contestants of bench/support/contest.h in turns, and tells the medians:
 *
 *     product_rounds DIRECTORY product|cg ROUNDS COMMAND NOTE <LIST
 *
 * writes DIRECTORY/products.md and .csv, or products-cg.md and .csv. COMMAND and NOTE stand in the
 * head of the page. A line of LIST is "case", which begins a problem, or
 *
 *     LABEL<tab>STORAGE<tab>THREADS<tab>shell command
 *
 * which starts a contestant of it. All contestants of a problem are set up, one after the other,
 * and wait; then each of ROUNDS rounds has a batch of each, and begins one contestant later than
 * the round before. Who fails, or has a wrong result, is told and left out. */
#include "base/machine.h"
#include "base/memory.h"
#include "io/text_file.h"
#include "study/statistics.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* After each batch: the threads of the one before spin for a few milliseconds, and then sleep. */
static const struct timespec PAUSE = {.tv_nsec = 30000000};

enum { CONTESTANTS_MAX = 32 };

struct contestant {
    char label[128], storage[32], threads[16], library[128];
    char failure[512]; /* or empty */
    pid_t process;
    FILE *to, *from;
    double bytes;
    double *seconds; /* [rounds] */
};

struct rounds {
    bool cg;
    int64_t rounds;
    char problem[256], size[128];
    struct contestant contestants[CONTESTANTS_MAX];
    int count;
    int failures;
    struct text_file md, csv;
};

/* ---- one contestant ----------------------------------------------------------------------------
 */

static enum status start(struct contestant *contestant, const char *command, struct error *error)
{
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        return error_set(error, STATUS_DEVICE, "no pipe");
    contestant->process = fork();
    if (contestant->process < 0)
        return error_set(error, STATUS_DEVICE, "no process");
    if (contestant->process == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    contestant->to = fdopen(to[1], "w");
    contestant->from = fdopen(from[0], "r");
    return contestant->to && contestant->from ? STATUS_OK
                                              : error_set(error, STATUS_MEMORY, "no stream");
}

static void stop(struct contestant *contestant)
{
    if (contestant->to)
        fclose(contestant->to); /* at the end of its input it ends */
    if (contestant->from)
        fclose(contestant->from);
    if (contestant->process > 0)
        waitpid(contestant->process, NULL, 0);
    memory_free(contestant->seconds);
    *contestant = (struct contestant){0};
}

/* What follows "contest WORD " in its next line of that kind; the failure when it has one. What
 * others say on its output is passed on. */
static bool answer(struct contestant *contestant, const char *word, char *text, int size)
{
    char line[1200], failed[512];
    size_t length = strlen(word);
    while (fgets(line, sizeof line, contestant->from)) {
        line[strcspn(line, "\n")] = '\0';
        const char *said = strncmp(line, "contest ", 8) == 0 ? line + 8 : "";
        if (strncmp(said, word, length) == 0 && said[length] == ' ') {
            snprintf(text, (size_t)size, "%s", said + length + 1);
            return true;
        }
        if (sscanf(said, "failed %511[^\n]", failed) == 1) {
            snprintf(contestant->failure, sizeof contestant->failure, "%s", failed);
            return false;
        }
        fprintf(stderr, "%s: %s\n", contestant->label, line);
    }
    snprintf(contestant->failure, sizeof contestant->failure, "ended without a word");
    return false;
}

static void enter(struct rounds *rounds, struct contestant *contestant)
{
    char text[256];
    if (answer(contestant, "problem", rounds->problem, sizeof rounds->problem) &&
        answer(contestant, "size", rounds->size, sizeof rounds->size) &&
        answer(contestant, "ready", text, sizeof text) &&
        sscanf(text, "%lf %127[^\n]", &contestant->bytes, contestant->library) != 2)
        snprintf(contestant->failure, sizeof contestant->failure, "said: %s", text);
}

static void batch(struct contestant *contestant, double *seconds)
{
    char text[64];
    fputs("\n", contestant->to);
    fflush(contestant->to);
    if (!answer(contestant, "seconds", text, sizeof text))
        return;
    *seconds = strtod(text, NULL);
    if (!(*seconds > 0) || !isfinite(*seconds))
        snprintf(contestant->failure, sizeof contestant->failure, "took %s seconds", text);
    nanosleep(&PAUSE, NULL);
}

/* ---- a problem ---------------------------------------------------------------------------------
 */

static enum status begin(struct rounds *rounds, char *line, struct error *error)
{
    if (rounds->count == CONTESTANTS_MAX)
        return error_set(error, STATUS_CONFIG, "more than %d contestants", CONTESTANTS_MAX);
    struct contestant *contestant = &rounds->contestants[rounds->count];
    int at = 0;
    if (sscanf(line, "%127[^\t]\t%31[^\t]\t%15[^\t]\t%n", contestant->label, contestant->storage,
               contestant->threads, &at) != 3 ||
        at == 0)
        return error_set(error, STATUS_CONFIG, "not a contestant: %s", line);
    rounds->count++;
    contestant->seconds = memory_array(rounds->rounds, sizeof(double), "the times", error);
    if (!contestant->seconds)
        return STATUS_MEMORY;
    fprintf(stderr, "%s, %s\n", contestant->label, contestant->threads);
    enum status status = start(contestant, line + at, error);
    if (!status)
        enter(rounds, contestant);
    if (contestant->failure[0])
        fprintf(stderr, "%s: %s\n", contestant->label, contestant->failure);
    return status;
}

static void race(struct rounds *rounds)
{
    for (int64_t r = 0; r < rounds->rounds; r++)
        for (int k = 0; k < rounds->count; k++) {
            struct contestant *contestant = &rounds->contestants[(r + k) % rounds->count];
            if (!contestant->failure[0])
                batch(contestant, &contestant->seconds[r]);
        }
}

/* Full rows by our own threads, as many. */
static const struct contestant *base_of(const struct rounds *rounds, const char *threads)
{
    for (int k = 0; k < rounds->count; k++)
        if (strcmp(rounds->contestants[k].label, "cpu_csr") == 0 &&
            strcmp(rounds->contestants[k].threads, threads) == 0 &&
            !rounds->contestants[k].failure[0])
            return &rounds->contestants[k];
    return NULL;
}

static enum status tell(struct rounds *rounds, const struct contestant *contestant,
                        struct error *error)
{
    const struct contestant *base = base_of(rounds, contestant->threads);
    const double *sorted = contestant->seconds;
    double seconds = median(contestant->seconds, rounds->rounds),
           rate = contestant->bytes / seconds;
    double times = base ? median(base->seconds, rounds->rounds) / seconds : NAN;
    char rate_text[32] = "", times_text[32] = "";
    if (rate > 0)
        snprintf(rate_text, sizeof rate_text, "%.1f", 1e-9 * rate);
    if (base)
        snprintf(times_text, sizeof times_text, "%.2f", times);
    enum status status =
        text_file_line(&rounds->md, error, "| %s | %s | %s | %s | %.3f | %s | %s |",
                       contestant->label, contestant->library, contestant->storage,
                       contestant->threads, 1e3 * seconds, rate_text, times_text);
    if (status)
        return status;
    snprintf(rate_text, sizeof rate_text, "%.6g", rate);
    snprintf(times_text, sizeof times_text, "%.6g", times);
    return text_file_line(&rounds->csv, error, "\"%s\",\"%s\",%s,%s,%s,%.6g,%.6g,%.6g,%s,%s",
                          rounds->problem, contestant->label, contestant->library,
                          contestant->storage, contestant->threads, seconds,
                          sorted[rounds->rounds / 4], sorted[rounds->rounds * 3 / 4],
                          rate > 0 ? rate_text : "", base ? times_text : "");
}

static enum status report(struct rounds *rounds, struct error *error)
{
    enum status status =
        text_file_line(&rounds->md, error,
                       "\n## %s: %s\n\n| contestant | library | storage | threads or "
                       "ranks | %s | GB/s | times cpu_csr |"
                       "\n|---|---|---|--:|--:|--:|--:|",
                       rounds->problem, rounds->size, rounds->cg ? "ms an iteration" : "ms");
    for (int k = 0; k < rounds->count && !status; k++)
        if (!rounds->contestants[k].failure[0])
            status = tell(rounds, &rounds->contestants[k], error);
    for (int k = 0; k < rounds->count && !status; k++) {
        if (!rounds->contestants[k].failure[0])
            continue;
        rounds->failures++;
        status = text_file_line(&rounds->md, error, "\nLeft out: %s: %s",
                                rounds->contestants[k].label, rounds->contestants[k].failure);
    }
    return status ? status : text_file_flush(&rounds->md, error);
}

static enum status finish_case(struct rounds *rounds, struct error *error)
{
    if (rounds->count == 0)
        return STATUS_OK;
    race(rounds);
    enum status status = report(rounds, error);
    while (rounds->count > 0)
        stop(&rounds->contestants[--rounds->count]);
    return status;
}

/* ---- the page ----------------------------------------------------------------------------------
 */

static enum status run(struct rounds *rounds, struct error *error)
{
    char line[2000];
    enum status status = STATUS_OK;
    while (!status && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        status =
            strcmp(line, "case") == 0 ? finish_case(rounds, error) : begin(rounds, line, error);
    }
    return status ? status : finish_case(rounds, error);
}

static enum status page_begin(struct rounds *rounds, char *argv[], struct error *error)
{
    const char *name = rounds->cg ? "products-cg" : "products";
    char file[64], date[32];
    struct machine machine;
    machine_describe(&machine);
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", localtime(&now));
    enum status status = directory_make(argv[1], error);
    snprintf(file, sizeof file, "%s.md", name);
    if (!status)
        status = text_file_begin(argv[1], file, &rounds->md, error);
    snprintf(file, sizeof file, "%s.csv", name);
    if (!status)
        status = text_file_begin(argv[1], file, &rounds->csv, error);
    if (!status)
        status = text_file_line(&rounds->csv, error,
                                "problem,contestant,library,storage,threads,seconds,"
                                "lower_quartile,upper_quartile,bytes_per_second,times_cpu_csr");
    if (!status)
        status =
            text_file_line(&rounds->md, error,
                           "# The time of %s on a CPU, beside other libraries\n\n    %s\n\n"
                           "%s. %s, %d cores, %.0f GB; %s; %s. %s\n\nMedians of %lld rounds.",
                           rounds->cg ? "an iteration of conjugate gradients" : "one product",
                           argv[4], date, machine.cpu, machine.cores, 1e-9 * (double)machine.memory,
                           machine.system, machine.compiler, argv[5], (long long)rounds->rounds);
    return status;
}

int main(int argc, char *argv[])
{
    static struct rounds rounds;
    struct error error;
    rounds.rounds = argc == 6 ? atoll(argv[3]) : 0;
    rounds.cg = argc == 6 && strcmp(argv[2], "cg") == 0;
    if (rounds.rounds < 1 || (!rounds.cg && strcmp(argv[2], "product") != 0)) {
        fprintf(stderr, "usage: %s DIRECTORY product|cg ROUNDS COMMAND NOTE <LIST\n", argv[0]);
        return 2;
    }
    signal(SIGPIPE, SIG_IGN); /* a contestant that died is told by what it does not answer */
    enum status status = page_begin(&rounds, argv, &error);
    if (!status)
        status = run(&rounds, &error);
    while (rounds.count > 0)
        stop(&rounds.contestants[--rounds.count]);
    if (!status)
        status = text_file_finish(&rounds.md, &error);
    if (!status)
        status = text_file_finish(&rounds.csv, &error);
    if (status)
        fprintf(stderr, "%s: %s\n", argv[0], error.text);
    text_file_abandon(&rounds.md);
    text_file_abandon(&rounds.csv);
    return status || rounds.failures ? 1 : 0;
}

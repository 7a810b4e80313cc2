/* SIGINT, SIGTERM and SIGHUP while a study goes on: what there is becomes a directory of results,
 * and those of an earlier study stay as they are. Signals are sent when the history has rows, or at
 * random moments, of which none may crash the program. */
#include "support.h"

#include "base/clock.h"
#include "main/program.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* So many runs that no machine comes to the end of them. */
#define ENDLESS "--set repeats=100000 "

static const char small[] = "problem = { type = \"poisson3d\"; n = [9, 8, 7]; };\n"
                            "kernels = ( { name = \"cpu_csr\"; label = \"a\"; },\n"
                            "            { name = \"cpu_sym_bitwise\"; label = \"b\"; } );\n"
                            "repeats = 3; threads = 1;\n";

/* One run takes some hundred iterations, which is more than a flush of the history. */
static const char large[] = "problem = { type = \"poisson3d\"; n = 40; jump = 1e4; };\n"
                            "kernels = ( { name = \"cpu_csr\"; label = \"a\"; } );\n"
                            "threads = 1;\n";

static char config[256], directory[256];

static void prepare(const char *text, const char *name)
{
    snprintf(config, sizeof config, "%s", temporary_file("interrupt.cfg", text, -1));
    snprintf(directory, sizeof directory, "%s", temporary_path(name));
}

static const char *in(const char *name)
{
    static char paths[4][600];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static bool is_there(const char *name)
{
    return access(in(name), F_OK) == 0;
}

/* Start `cgsolve ARGUMENTS` with that action for SIGINT and SIGHUP, as a shell has it in the
 * foreground or in the background. output: the descriptor of its standard output, or -1: a file
 * "stdout". */
static pid_t start_program(void (*action)(int), int output, const char *arguments)
{
    char command[3072], errors[256], file[256];
    snprintf(errors, sizeof errors, "%s", temporary_path("stderr"));
    snprintf(file, sizeof file, "%s", temporary_path("stdout"));
    snprintf(command, sizeof command, "exec '%s' %s", program_path(), arguments);
    sigset_t all, before; /* Check's own handlers would end the test */
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child > 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        return child;
    }
    int written = output >= 0 ? output : open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int complained = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (dup2(written, STDOUT_FILENO) < 0 || dup2(complained, STDERR_FILENO) < 0)
        _exit(126);
    signal(SIGINT, action);
    signal(SIGHUP, action);
    signal(SIGTERM, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

/* The same of `cgsolve --output DIRECTORY <arguments> CONFIG`. */
static pid_t start(void (*action)(int), int output, const char *format, ...)
{
    char arguments[1024], all[2048];
    va_list values;
    va_start(values, format);
    vsnprintf(arguments, sizeof arguments, format, values);
    va_end(values);
    snprintf(all, sizeof all, "--output '%s' %s '%s'", directory, arguments, config);
    return start_program(action, output, all);
}

static long size_of(const char *name)
{
    struct stat info;
    return stat(in(name), &info) == 0 ? (long)info.st_size : 0;
}

/* Wait until the history on the way has rows; what an earlier run left there has its name
 * already. */
static void wait_for_rows(pid_t child)
{
    int status;
    while (size_of("unfinished/history.csv.partial") < 1000) {
        ck_assert_msg(waitpid(child, &status, WNOHANG) == 0, "it ended before it was interrupted");
        usleep(500);
    }
}

static void expect_signal(pid_t child, int number)
{
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == number, "status %x: %s",
                  (unsigned)status, file_text(temporary_path("stderr")));
}

/* What stands in the verdict on the kernel: how many runs were finished, or where the only one was
 * cut. */
static char wanted_verdict[128];

/* The line that the program has to print of what stands in the summary. */
static const char *wanted_line(void)
{
    static char line[1024];
    char where[128];
    json_t *summary = read_summary(in("unfinished"));
    ck_assert(json_is_true(json_object_get(summary, "interrupted")));
    int kernels = (int)json_array_size(json_object_get(summary, "kernels"));
    json_t *kernel = summary_kernel(summary, kernels - 1), *runs = json_object_get(kernel, "runs");
    json_t *run = json_array_get(runs, json_array_size(runs) - 1);
    const char *reason = json_string_value(json_object_get(run, "reason"));
    const char *name = json_string_value(json_object_get(kernel, "name"));
    bool cut = strcmp(reason, "interrupted") == 0;
    int number = (int)json_integer_value(json_object_get(run, "run"));
    int iterations = (int)json_integer_value(json_object_get(run, "iterations"));
    ck_assert_int_eq(number, (int)json_array_size(runs));
    snprintf(where, sizeof where, cut ? "in run %d of %s at iteration %d" : "after run %d of %s",
             number, name, iterations);
    snprintf(line, sizeof line,
             "interrupted %s; kept: %s/unfinished (its page: cgsolve report %s/unfinished)\n",
             where, directory, directory);
    if (cut && number == 1)
        snprintf(wanted_verdict, sizeof wanted_verdict,
                 "\n%s: interrupted in run 1 at iteration %d\n", name, iterations);
    else
        snprintf(wanted_verdict, sizeof wanted_verdict, " in %d run%s, ", number - cut,
                 number - cut == 1 ? "" : "s");
    json_decref(summary);
    return line;
}

/* A directory like any other. */
static void expect_results(bool quiet)
{
    static const char *const names[] = {"settings.cfg", "history.csv", "envelope.csv",
                                        "summary.json"};
    const char *line = wanted_line();
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char name[64];
        snprintf(name, sizeof name, "unfinished/%s", names[k]);
        ck_assert_msg(is_there(name), "%s", name);
        strcat(name, ".partial");
        ck_assert_msg(!is_there(name), "%s", name);
    }
    ck_assert(!is_there("unfinished/report.html"));
    if (quiet) {
        ck_assert_str_eq(file_text(temporary_path("stderr")), line);
        ck_assert_str_eq(file_text(temporary_path("stdout")), "");
    } else {
        ck_assert_str_eq(file_text(temporary_path("stderr")), "");
        const char *output = file_text(temporary_path("stdout"));
        size_t length = strlen(output), last = strlen(line);
        ck_assert_msg(length > last && strcmp(output + length - last, line) == 0, "%s", output);
        expect_text(output, "/unfinished/{settings.cfg, history.csv, ");
        expect_text(output, wanted_verdict);
    }
    expect_exit(run_program("--check-config %s", in("unfinished/settings.cfg")), 0);
    expect_exit(run_program("report %s", in("unfinished")), 0);
    expect_text(file_text(in("unfinished/report.html")), "The study was interrupted");
}

/* Every run in the history against the first, which was finished: all that were are equal to it. */
static void expect_finished_runs(void)
{
    char reference[256];
    snprintf(reference, sizeof reference, "%s", temporary_path("reference.csv"));
    json_t *summary = read_summary(in("unfinished"));
    json_t *runs = json_object_get(summary_kernel(summary, 0), "runs");
    size_t count = json_array_size(runs), finished = 0;
    const char *hash = json_string_value(json_object_get(json_array_get(runs, 0), "history_hash"));
    for (size_t k = 0; k < count; k++) {
        json_t *run = json_array_get(runs, k);
        if (strcmp(json_string_value(json_object_get(run, "reason")), "converged") == 0) {
            ck_assert_str_eq(json_string_value(json_object_get(run, "history_hash")), hash);
            ck_assert_int_eq(json_integer_value(json_object_get(run, "history")), 1);
            finished++;
        } else {
            ck_assert_uint_eq(k, count - 1);
            ck_assert(k == 0 || json_is_null(json_object_get(run, "history")));
        }
    }
    json_t *kernel = summary_kernel(summary, 0);
    ck_assert_int_eq(json_integer_value(json_object_get(kernel, "distinct_histories")), 1);
    ck_assert_str_eq(json_string_value(json_object_get(kernel, "promise")), "kept");
    json_decref(summary);
    if (finished == 0)
        return;
    expect_exit(run_program("--quiet --output %s --write-reference %s --set repeats=1 --set "
                            "'kernels=(\"cpu_csr\")' %s",
                            temporary_path("whole"), reference, config),
                0);
    struct outcome *outcome = run_program("check %s %s", in("unfinished/history.csv"), reference);
    expect_exit(outcome, count > finished);
    char other[64];
    snprintf(other, sizeof other, "\na, run %zu: ", count);
    const char *first = strstr(outcome->output, "\na, run ");
    ck_assert_msg(!first || strncmp(first, other, strlen(other)) == 0, "%s", outcome->output);
    ck_assert(!first || !strstr(first + 1, "\na, run "));
}

/* In turns: what a case asks for, one signal after the other, on top of what the one before has
 * left. */
static void interrupt(const char *text, const char *name, const char *options)
{
    prepare(text, name);
    expect_exit(run_program("--output %s --set repeats=1 %s", directory, config), 0);
    char *before = sums_of(directory);
    expect_text(before, "report.html\n");
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (int turn = 0; turn < 6; turn++) {
        int number = numbers[turn % 3];
        bool quiet = turn >= 3;
        pid_t child = start(SIG_DFL, -1, ENDLESS "%s %s", quiet ? "--quiet" : "", options);
        wait_for_rows(child);
        ck_assert_int_eq(kill(child, number), 0);
        expect_signal(child, number);
        expect_results(quiet);
        expect_finished_runs();
        char *after = sums_of(directory);
        ck_assert_str_eq(after, before);
        free(after);
    }
    free(before);
    /* one that is let be takes the remains away */
    expect_exit(run_program("--quiet --output %s --set repeats=1 %s", directory, config), 0);
    ck_assert(!is_there("unfinished"));
}

START_TEST(a_small_system)
{
    interrupt(small, "small", "");
}
END_TEST

START_TEST(a_large_system)
{
    interrupt(large, "large", "");
}
END_TEST

/* Nothing was finished, so nothing else is there. */
START_TEST(a_first_run)
{
    prepare(large, "first");
    pid_t child = start(SIG_DFL, -1, ENDLESS);
    wait_for_rows(child);
    kill(child, SIGINT);
    expect_signal(child, SIGINT);
    expect_results(false);
    struct outcome *outcome = run_program("report %s", directory);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "holds no complete study; what one has left that was interrupted");
}
END_TEST

START_TEST(traces_and_solutions)
{
    prepare(small, "vectors");
    pid_t child =
        start(SIG_DFL, -1,
              ENDLESS "--set 'output.solution=\"npy\"' --set 'output.solution_of=\"all\"' "
                      "--set 'trace={every=5;vectors=[\"x\"];keep=\"values\";}'");
    /* two runs are done */
    int status;
    while (!is_there("unfinished/solution-a-2.npy")) {
        ck_assert_msg(waitpid(child, &status, WNOHANG) == 0, "it ended before it was interrupted");
        usleep(500);
    }
    wait_for_rows(child);
    kill(child, SIGTERM);
    expect_signal(child, SIGTERM);
    expect_results(false);
    expect_finished_runs();
    ck_assert(is_there("unfinished/trace.csv") && is_there("unfinished/trace.npy"));
    json_t *summary = read_summary(in("unfinished"));
    size_t runs = json_array_size(json_object_get(summary_kernel(summary, 0), "runs"));
    json_decref(summary);
    for (size_t run = 1; run <= runs + 1; run++) {
        char name[64];
        snprintf(name, sizeof name, "unfinished/solution-a-%zu.npy", run);
        ck_assert_int_eq(size_of(name), run <= runs ? 128 + 8 * 9 * 8 * 7 : 0);
    }
    struct outcome *outcome =
        run_program("trace-diff %s,a,1 %s,a,2", in("unfinished"), in("unfinished"));
    expect_exit(outcome, 0);
}
END_TEST

/* A second run into the directory changes nothing, and says who is at work, also where the first
 * one goes on to the end; nothing remains of a lock whose holder was killed. */
START_TEST(another_run_is_kept_out)
{
    char holder[64];
    prepare(small, "locked");
    expect_exit(run_program("--quiet --output %s %s", directory, config), 0);
    char *before = sums_of(directory);
    pid_t child = start(SIG_DFL, -1, ENDLESS);
    wait_for_rows(child);
    struct outcome *outcome = run_program("--quiet --output %s/../locked %s", directory, config);
    expect_exit(outcome, 4);
    snprintf(holder, sizeof holder, "locked: another run, process %d, is at work here", (int)child);
    expect_text(outcome->errors, holder);
    outcome = run_program("report %s", directory);
    expect_exit(outcome, 4);
    expect_text(outcome->errors, "is at work here; --output FILE writes the page elsewhere\n");
    expect_exit(run_program("report --output %s %s", temporary_path("page"), directory), 0);
    kill(child, SIGKILL);
    expect_signal(child, SIGKILL);
    ck_assert(is_there("unfinished/history.csv.partial"));
    char *after = sums_of(directory);
    ck_assert_str_eq(after, before);
    free(after);
    free(before);
    expect_exit(run_program("--quiet --output %s %s", directory, config), 0);
    ck_assert(!is_there("unfinished"));
}
END_TEST

/* Whether the process has a handler for SIGINT. */
static bool catches_interrupts(pid_t process)
{
    char path[64], text[4096] = "";
    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *caught = strstr(text, "SigCgt:");
    ck_assert_ptr_nonnull(caught);
    return strtoull(caught + strlen("SigCgt:"), NULL, 16) >> (SIGINT - 1) & 1;
}

/* The first of them waits for a reader of the table, who does not come. */
START_TEST(the_second_signal_ends_at_once)
{
    int ends[2], status;
    char block[4096] = "";
    prepare(small, "twice");
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    while (write(ends[1], block, sizeof block) > 0)
        ;
    while (write(ends[1], block, 1) > 0)
        ;
    ck_assert_int_eq(fcntl(ends[1], F_SETFL, 0), 0);
    pid_t child = start(SIG_DFL, ends[1], ENDLESS);
    wait_for_rows(child);
    kill(child, SIGINT);
    /* It is taken when the handler is gone. */
    while (catches_interrupts(child))
        usleep(500);
    ck_assert_int_eq(waitpid(child, &status, WNOHANG), 0);
    kill(child, SIGINT);
    expect_signal(child, SIGINT);
    ck_assert(!is_there("unfinished/summary.json"));
    close(ends[0]);
    close(ends[1]);
}
END_TEST

/* As of `cgsolve ... | tee log`, where the key ends tee, too. */
START_TEST(nobody_reads_the_table)
{
    int ends[2];
    prepare(small, "piped");
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(fcntl(ends[0], F_SETFD, FD_CLOEXEC), 0);
    pid_t child = start(SIG_DFL, ends[1], ENDLESS);
    close(ends[1]);
    wait_for_rows(child);
    close(ends[0]);
    kill(child, SIGINT);
    expect_signal(child, SIGINT);
    wanted_line(); /* the files are there */
    expect_exit(run_program("report %s", in("unfinished")), 0);
}
END_TEST

/* nohup, and `command &` in a script */
START_TEST(an_ignored_signal_stays_ignored)
{
    int status;
    prepare(small, "ignored");
    pid_t child = start(SIG_IGN, -1, ENDLESS);
    wait_for_rows(child);
    kill(child, SIGINT);
    kill(child, SIGHUP);
    /* it goes on to another kilobyte */
    long before = size_of("unfinished/history.csv.partial");
    while (size_of("unfinished/history.csv.partial") < before + 1000) {
        ck_assert_msg(waitpid(child, &status, WNOHANG) == 0, "it was ended");
        usleep(500);
    }
    kill(child, SIGTERM); /* which is not ignored */
    expect_signal(child, SIGTERM);
    expect_results(false);
}
END_TEST

/* While the page is made the solves are over, and the study is complete. A page is made fast, so a
 * signal may come behind it: then there is another study. */
START_TEST(a_signal_behind_the_solves)
{
    enum { TURNS = 50 };
    int status = 0;
    for (int turn = 0; turn < TURNS && !WIFSIGNALED(status); turn++) {
        char name[32];
        snprintf(name, sizeof name, "behind%d", turn);
        prepare(small, name);
        pid_t child = start(SIG_DFL, -1, "--set output.report=true");
        while (!is_there("summary.json") || is_there("unfinished"))
            ; /* but not longer than a test may take */
        kill(child, SIGINT);
        waitpid(child, &status, 0);
        ck_assert(is_there("history.csv"));
        json_t *summary = read_summary(directory);
        ck_assert(json_is_false(json_object_get(summary, "interrupted")));
        json_decref(summary);
    }
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}
END_TEST

/* Within the time that the call takes, the set-up and the end too. A hang ends with the test. */
static void interrupt_at_random(const char *arguments, uint64_t *state)
{
    enum { TURNS = 30 };
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    double began = clock_seconds();
    expect_exit(run_program("%s", arguments), 0);
    double took = clock_seconds() - began;
    for (int turn = 0; turn < TURNS; turn++) {
        int number = numbers[turn % 3], status;
        pid_t child = start_program(SIG_DFL, -1, arguments);
        usleep((useconds_t)(1e6 * took * test_random(state)));
        ck_assert_int_eq(kill(child, number), 0);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_msg(WIFSIGNALED(status) ? WTERMSIG(status) == number : WEXITSTATUS(status) == 0,
                      "%s: status %x: %s", arguments, (unsigned)status,
                      file_text(temporary_path("stderr")));
    }
    expect_exit(run_program("%s", arguments), 0);
}

START_TEST(signals_at_any_moment)
{
    char study[1024];
    uint64_t state = test_seed();
    prepare(small, "random");
    snprintf(study, sizeof study, "--set output.report=false --output '%s' '%s'", directory,
             config);
    interrupt_at_random(study, &state);
    interrupt_at_random("solve problems/plate.mtx.gz --preconditioner multigrid --threads 2",
                        &state);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_small_system,
                            a_large_system,
                            a_first_run,
                            traces_and_solutions,
                            another_run_is_kept_out,
                            the_second_signal_ends_at_once,
                            nobody_reads_the_table,
                            an_ignored_signal_stays_ignored,
                            a_signal_behind_the_solves,
                            signals_at_any_moment,
                            NULL};
    return suite_of("main/interrupt", tests);
}

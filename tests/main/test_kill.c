/* SIGKILL in the middle of a study: what was finished can be read. */
#include "support.h"

#include "main/program.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS = 2000 };

static const char long_config[] = "problem = { type = \"poisson3d\"; n = [9, 8, 7]; };\n"
                                  "kernels = ( { name = \"cpu_csr\"; label = \"a\"; }, { name = "
                                  "\"cpu_csr\"; label = \"b\"; } );\n"
                                  "threads = 1;\n";

static const char *in(const char *directory, const char *name)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static long size_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (long)info.st_size : 0;
}

/* Start a study into the directory, and kill it when its first kernel is finished and the second
 * has begun. */
static void start_and_kill(const char *config, const char *directory)
{
    char repeats[64];
    snprintf(repeats, sizeof repeats, "repeats=%d", RUNS);
    const char *program = program_path();
    ck_assert_ptr_nonnull(program);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        execl(program, program, "--quiet", "--output", directory, "--set", repeats, config,
              (char *)NULL);
        _exit(127);
    }
    int status;
    while (access(in(directory, "unfinished/summary.json.partial"), F_OK) != 0) {
        ck_assert_msg(waitpid(child, &status, WNOHANG) == 0, "it ended before it was killed");
        usleep(500);
    }
    long before = size_of(in(directory, "unfinished/history.csv.partial"));
    while (size_of(in(directory, "unfinished/history.csv.partial")) <= before) {
        ck_assert_msg(waitpid(child, &status, WNOHANG) == 0, "it ended before it was killed");
        usleep(500);
    }
    kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* The rows of the history but for the last run's, which may have been cut. */
static const char *finished_rows(const char *history)
{
    char *text = strdup(history), *last = strrchr(text, '\n');
    *last = '\0'; /* a line that was cut is gone */
    const char *row = strrchr(text, '\n') + 1;
    char run[32], first[64];
    snprintf(run, sizeof run, "%.*s", (int)(strchr(strchr(row, ',') + 1, ',') + 1 - row), row);
    snprintf(first, sizeof first, "\n%s0,", run);
    char *end = strstr(text, first);
    ck_assert_ptr_nonnull(end);
    end[1] = '\0';
    const char *path = temporary_file("finished.csv", text, -1);
    free(text);
    return path;
}

START_TEST(finished_runs_are_readable)
{
    char config[256], directory[256], reference[256];
    snprintf(config, sizeof config, "%s", temporary_file("long.cfg", long_config, -1));
    snprintf(directory, sizeof directory, "%s", temporary_path("killed"));
    snprintf(reference, sizeof reference, "%s", temporary_path("reference.csv"));
    expect_exit(run_program("--quiet --output %s --set 'kernels=(\"cpu_csr\")' "
                            "--write-reference %s %s",
                            temporary_path("whole"), reference, config),
                0);
    start_and_kill(config, directory);

    expect_exit(run_program("--check-config %s", in(directory, "unfinished/settings.cfg")), 0);
    static const char *const whole[] = {"history.csv",
                                        "envelope.csv",
                                        "summary.json",
                                        "unfinished/history.csv",
                                        "unfinished/envelope.csv",
                                        "unfinished/summary.json"};
    for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
        ck_assert_int_ne(access(in(directory, whole[k]), F_OK), 0);

    /* what is missing is said */
    struct outcome *outcome = run_program("report %s", directory);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "holds no complete study, and the one in ");
    expect_text(outcome->errors, "/unfinished goes on or was killed: it has no summary.json\n");
    outcome = run_program("report %s/unfinished", directory);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "/unfinished: summary.json is missing: the study goes on or was "
                                 "killed; history.csv.partial has the rows that it made\n");

    /* every row of every finished run: they are the reference's, bit by bit, and none is short */
    const char *finished =
        finished_rows(file_text(in(directory, "unfinished/history.csv.partial")));
    outcome = run_program("check %s %s", finished, reference);
    expect_exit(outcome, 0);
    char passed[64];
    snprintf(passed, sizeof passed, "a: %d runs pass, equal in every bit\n", RUNS);
    expect_text(outcome->output, passed);

    /* the first kernel, whole */
    const char *envelope = file_text(in(directory, "unfinished/envelope.csv.partial"));
    ck_assert_int_eq(envelope[strlen(envelope) - 1], '\n');
    snprintf(passed, sizeof passed, "\na,9,%d,", RUNS);
    expect_text(envelope, passed);
    json_error_t fault;
    json_t *summary = json_load_file(in(directory, "unfinished/summary.json.partial"), 0, &fault);
    ck_assert_msg(summary != NULL, "%s", fault.text);
    ck_assert_uint_eq(json_array_size(json_object_get(summary, "kernels")), 1);
    ck_assert_str_eq(json_string_value(json_object_get(summary_kernel(summary, 0), "name")), "a");
    json_decref(summary);

    /* the next study takes the remains away */
    expect_exit(run_program("--quiet --output %s %s", directory, config), 0);
    ck_assert_int_ne(access(in(directory, "unfinished"), F_OK), 0);
    expect_exit(run_program("report %s", directory), 0);
}
END_TEST

/* The shell's limit of a file, 1 KB, is a message and no signal. */
START_TEST(a_file_may_be_too_large)
{
    char command[1024];
    const char *config = temporary_file("long.cfg", long_config, -1);
    snprintf(command, sizeof command,
             "ulimit -f 1; exec \"$CGSOLVE\" --quiet --set repeats=20 --output %s %s 2>/dev/null",
             temporary_path("limited"), config);
    int status = system(command);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 4);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {finished_runs_are_readable, a_file_may_be_too_large, NULL};
    return suite_of("main/kill", tests);
}

/* Files and streams that are not what they should be: standard streams that are closed, links and
 * pipes under the names of results, a limit on the size of files. */
#include "support.h"

#include "main/mtx_texts.h"
#include "main/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ONE_KERNEL "--set 'kernels=(\"cpu_csr\")' --set output.report=false "

static const char *in(const char *directory, const char *file)
{
    static char paths[4][600];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, file);
    return path;
}

/* The exit status of `"$CGSOLVE" <arguments>`, where the streams are what the arguments say. */
static int run_bare(const char *format, ...)
{
    char arguments[2048], command[4096];
    va_list values;
    va_start(values, format);
    vsnprintf(arguments, sizeof arguments, format, values);
    va_end(values);
    snprintf(command, sizeof command, "'%s' %s", program_path(), arguments);
    int status = system(command);
    ck_assert_msg(WIFEXITED(status), "%s: ended by a signal", command);
    return WEXITSTATUS(status);
}

static void expect_same(const char *a, const char *b)
{
    char *text = strdup(file_text(a));
    ck_assert_msg(strcmp(text, file_text(b)) == 0, "%s and %s differ", a, b);
    free(text);
}

static const char *config_path(void)
{
    return temporary_file("small.cfg", small_config, -1);
}

/* What is printed goes nowhere, and never into a file. */
START_TEST(closed_streams)
{
    static const char *const names[] = {"history.csv", "envelope.csv"};
    char wanted[256], directory[256];
    const char *call = ONE_KERNEL "--output %s --write-reference %s %s %s %s %s";
    snprintf(wanted, sizeof wanted, "%s", temporary_path("open"));
    snprintf(directory, sizeof directory, "%s", temporary_path("closed"));
    for (int closed = 0; closed < 8; closed++) {
        const char *place = closed ? directory : wanted;
        int status = run_bare(call, place, in(place, "reference"), config_path(),
                              closed & 1 ? "<&-" : "</dev/null", closed & 2 ? ">&-" : ">/dev/null",
                              closed & 4 ? "2>&-" : "2>/dev/null");
        ck_assert_msg(status == (closed & 2 ? 4 : 0), "%d: exit status %d", closed, status);
        expect_same(in(place, "reference"), in(wanted, "reference"));
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            expect_same(in(place, names[k]), in(wanted, names[k]));
        expect_exit(run_program("--check-config %s", in(place, "settings.cfg")), 0);
    }
    ck_assert_int_eq(
        run_bare("--quiet " ONE_KERNEL "--output %s %s <&- >&- 2>&-", directory, config_path()),
        0); /* nothing is to be printed */
}
END_TEST

START_TEST(closed_output_of_a_bench)
{
    char output[256], matrix[256];
    snprintf(output, sizeof output, "%s", temporary_path("rows.csv"));
    snprintf(matrix, sizeof matrix, "%s", temporary_file("a.mtx", mtx_symmetric, -1));
    int status = run_bare("bench --rounds 1 --set bench.seconds=1e-6 --kernels cpu_csr --matrix "
                          "%s --output %s >&- 2>/dev/null",
                          matrix, output);
    ck_assert_int_eq(status, 4);
    const char *csv = file_text(output), *row = strchr(csv, '\n');
    ck_assert_ptr_nonnull(row);
    expect_text(row, "/a.mtx,cpu_csr,");
    ck_assert_ptr_eq(strchr(row + 1, '\n'), strrchr(csv, '\n')); /* one row */
}
END_TEST

/* Where somebody has set links of the names that files have while they are written. */
START_TEST(links_are_not_followed)
{
    static const char *const names[] = {"settings.cfg", "history.csv", "envelope.csv",
                                        "trace.csv",    "trace.npy",   "summary.json",
                                        "report.html",  "reference",   "junit.xml"};
    char directory[256], precious[256], partial[300];
    struct stat info;
    snprintf(directory, sizeof directory, "%s", temporary_path("links"));
    snprintf(precious, sizeof precious, "%s", temporary_file("precious", "precious", -1));
    ck_assert_int_eq(mkdir(directory, 0777), 0);
    ck_assert_int_eq(mkdir(in(directory, "unfinished"), 0777), 0);
    for (int turn = 0; turn < 2; turn++) {
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            snprintf(partial, sizeof partial, "%s.partial", in(directory, names[k]));
            ck_assert_int_eq(symlink(precious, partial), 0);
            snprintf(partial, sizeof partial, "%s/unfinished/%s.partial", directory, names[k]);
            ck_assert(turn == 1 || symlink(precious, partial) == 0);
        }
        if (turn == 0)
            expect_exit(run_program("--set 'kernels=(\"cpu_csr\")' --set "
                                    "'trace={every=2;keep=\"values\";}' --output %s "
                                    "--write-reference %s %s",
                                    directory, in(directory, "reference"), config_path()),
                        0);
        else
            expect_exit(run_program("check --junit %s %s %s", in(directory, "junit.xml"),
                                    in(directory, "history.csv"), in(directory, "reference")),
                        0);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            const char *name = in(directory, names[k]);
            bool is_there = lstat(name, &info) == 0;
            ck_assert_msg(is_there == (turn == 1 || k < 8), "%s", name);
            ck_assert_msg(!is_there || S_ISREG(info.st_mode), "%s", name);
            snprintf(partial, sizeof partial, "%s.partial", name);
            unlink(partial);
        }
        ck_assert_msg(strcmp(file_text(precious), "precious") == 0, "it was written to");
    }
}
END_TEST

/* As on a disk that is full: what an earlier study left stays. */
START_TEST(a_limit_on_the_size_of_files)
{
    char command[1024], directory[256];
    snprintf(directory, sizeof directory, "%s", temporary_path("limited"));
    expect_exit(run_program("--output %s %s", directory, config_path()), 0);
    char *before = sums_of(directory);
    snprintf(command, sizeof command,
             "ulimit -f 8; '%s' --quiet --set repeats=100 --output '%s' '%s' 2>'%s'",
             program_path(), directory, config_path(), temporary_path("complaint"));
    int status = system(command);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 4, "status %x", (unsigned)status);
    expect_text(file_text(temporary_path("complaint")),
                "unfinished/history.csv: cannot write: File too large\n");
    ck_assert_int_ne(access(in(directory, "unfinished/history.csv"), F_OK), 0);
    char *after = sums_of(directory);
    ck_assert_str_eq(after, before);
    expect_text(after, "history.csv\n");
    free(before);
    free(after);
}
END_TEST

/* A pipe is not waited for, and a device has no end. */
START_TEST(results_that_are_no_files)
{
    static const char *const names[] = {"summary.json", "history.csv", "envelope.csv",
                                        "settings.cfg"};
    char directory[256], kept[300];
    const char *name;
    snprintf(directory, sizeof directory, "%s", temporary_path("odd"));
    expect_exit(run_program("--quiet --output %s %s", directory, config_path()), 0);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (int kind = 0; kind < 3; kind++) {
            name = in(directory, names[k]);
            snprintf(kept, sizeof kept, "%s.kept", name);
            ck_assert_int_eq(rename(name, kept), 0);
            ck_assert_int_eq(kind == 0   ? mkfifo(name, 0666)
                             : kind == 1 ? symlink("/dev/zero", name)
                                         : mkdir(name, 0777),
                             0);
            struct outcome *outcome = run_program("report %s", directory);
            expect_exit(outcome, 3);
            expect_text(outcome->errors, names[k]);
            expect_text(outcome->errors,
                        kind < 2 ? ": this is no regular file\n" : ": this is a directory");
            ck_assert_int_eq(remove(name), 0);
            ck_assert_int_eq(rename(kept, name), 0);
        }
    expect_exit(run_program("report %s", directory), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {closed_streams,
                            closed_output_of_a_bench,
                            links_are_not_followed,
                            a_limit_on_the_size_of_files,
                            results_that_are_no_files,
                            NULL};
    return suite_of("main/files", tests);
}

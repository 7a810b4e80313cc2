/* The help and the version: what each way to ask for them prints, and that its examples are
 * true. */
#include "support.h"

#include "main/program.h"
#include "spmv/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"solve",  "eigs",  "convert", "check",  "trace-diff",
                                    "report", "bench", "help",    "version"};
enum { NAMES = sizeof names / sizeof *names };

/* No line is wider than a terminal; how many there are. */
static int expect_narrow(const char *text)
{
    int lines = 0;
    for (const char *line = text; *line; lines++) {
        int length = (int)strcspn(line, "\n");
        ck_assert_msg(length <= 80, "%d columns: %.*s", length, length, line);
        line += length + (line[length] == '\n');
    }
    return lines;
}

/* What such a command line prints, without an error; the caller calls free. */
static char *help(const char *arguments)
{
    struct outcome *outcome = run_program("%s", arguments);
    expect_exit(outcome, 0);
    ck_assert_str_eq(outcome->errors, "");
    ck_assert_str_ne(outcome->output, "");
    char *text = strdup(outcome->output);
    ck_assert_ptr_nonnull(text);
    return text;
}

static void expect_same(const char *arguments, const char *text)
{
    char *other = help(arguments);
    ck_assert_msg(strcmp(other, text) == 0, "%s: other than it should be: %s", arguments, other);
    free(other);
}

START_TEST(one_screen)
{
    static const char *const wanted[] = {"usage: cgsolve [options] CONFIG...",
                                         "--threads N",
                                         "--version, -V",
                                         "--help, -h",
                                         "\nExit status:\n",
                                         "--help TOPIC",
                                         "preconditioner"};
    char *text = help("--help"), line[64];
    ck_assert_int_le(expect_narrow(text), 60);
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
        expect_text(text, wanted[k]);
    ck_assert_ptr_null(strstr(text, "problem.n"));
    for (int k = 0; k < NAMES; k++) {
        snprintf(line, sizeof line, "\n       cgsolve %s", names[k]);
        expect_text(text, line);
    }
    expect_same("-h", text);
    expect_same("help", text);
    expect_same("--quiet a.cfg --help", text);
    free(text);
}
END_TEST

START_TEST(a_command_shows_itself_alone)
{
    char call[64];
    for (int k = 0; k < NAMES; k++) {
        snprintf(call, sizeof call, "help %s", names[k]);
        char *text = help(call);
        expect_narrow(text);
        snprintf(call, sizeof call, "usage: cgsolve %s", names[k]);
        ck_assert_msg(strncmp(text, call, strlen(call)) == 0, "%s", text);
        ck_assert_ptr_null(strstr(text, "cgsolve [options] CONFIG..."));
        snprintf(call, sizeof call, "--help %s", names[k]);
        expect_same(call, text);
        if (strcmp(names[k], "help") != 0) {
            snprintf(call, sizeof call, "%s --help", names[k]);
            expect_same(call, text);
            snprintf(call, sizeof call, "%s -h", names[k]);
            expect_same(call, text);
        }
        free(text);
    }
    char *text = help("bench --help");
    expect_text(text, "bench.rounds: a whole number");
    expect_text(text, "--certificate");
    ck_assert_ptr_null(strstr(text, "--junit"));
    free(text);
}
END_TEST

/* Of a topic: what is there, and what is not. */
START_TEST(keys_by_topic)
{
    static const char *const topics[][3] = {
        {"problem", "problem.n: ", "solver.method"},
        {"solver", "solver.preconditioner.block: ", "problem.n: "},
        {"preconditioner", "solver.preconditioner.block: ", "solver.method: "},
        {"solver.preconditioner", "solver.preconditioner.block: ", "solver.method: "},
        {"eigen", "eigen.which: ", "rhs.type"},
        {"rhs", "rhs.type: ", "eigen.which"},
        {"kernels", "cpu_sym_atomic: chunk: ", "  vary: "},
        {"vary", "  vary: ", "  kernels: "},
        {"output", "output.directory: ", "rhs.type"},
        {"reference", "reference.mode: ", "rhs.type"},
        {"trace", "trace.every: ", "rhs.type"},
        {"solver.tolerance", "solver.tolerance: ", "eigen.tolerance"},
        {"tolerance", "eigen.tolerance: ", "solver.method"},
        {"cpu_sym_atomic", "cpu_sym_atomic: chunk: ", "cpu_sym_compensated: "}};
    char call[64];
    for (size_t k = 0; k < sizeof topics / sizeof *topics; k++) {
        snprintf(call, sizeof call, "--help %s", topics[k][0]);
        char *text = help(call);
        expect_narrow(text);
        expect_text(text, topics[k][1]);
        ck_assert_msg(!strstr(text, topics[k][2]), "%s: \"%s\"", call, topics[k][2]);
        snprintf(call, sizeof call, "help %s", topics[k][0]);
        expect_same(call, text);
        free(text);
    }
    struct outcome *outcome = run_program("--help solvers");
    expect_exit(outcome, 2);
    expect_text(outcome->errors, "no help on 'solvers'; did you mean 'solver'?");
    expect_exit(run_program("help benhc"), 2);
}
END_TEST

/* In a group the keys that are always there come first, and then those of each type, or of a few,
 * under one line. */
START_TEST(keys_of_a_type_stand_together)
{
    static const char *const order[] = {"  problem.type: ",
                                        "\n        grid2d: sparsity pattern ",
                                        "  problem.reorder: ",
                                        "\nWith problem.type = \"poisson3d\":\n",
                                        "  problem.anisotropy: ",
                                        "  problem.jump: ",
                                        "\nWith problem.type = \"fe_sheet\":\n",
                                        "  problem.n: ",
                                        "  problem.unknowns: "};
    char *text = help("--help problem"), line[400];
    const char *at = text;
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        at = strstr(at, order[k]);
        ck_assert_msg(at != NULL, "%s is not where it should be: %s", order[k], text);
    }
    ck_assert_ptr_null(strstr(text, "; for type"));
    for (at = text; (at = strstr(at, "\nWith ")); at++) { /* none of them twice */
        snprintf(line, sizeof line, "%.*s:\n", (int)strcspn(at + 1, ":") + 1, at);
        ck_assert_ptr_null(strstr(at + 1, line));
    }
    free(text);
}
END_TEST

START_TEST(all_of_it)
{
    static const char *const wanted[] = {"usage: cgsolve [options] CONFIG...",
                                         "usage: cgsolve check",
                                         "  solver.tolerance: a real in [0, 1); default 1e-8",
                                         "  vary: ", "cpu_sym_atomic: chunk: "};
    char *text = help("--help all");
    expect_narrow(text);
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
        expect_text(text, wanted[k]);
    expect_same("help all", text);
    free(text);
}
END_TEST

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The examples of a text are called as they stand, but for those that need an earlier run or a
 * directory of the user; a solve is checked alone, and a bench makes one round. */
static void try_examples(char *text, int wanted)
{
    int tried = 0;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (!begins(line, "  ./cgsolve "))
            continue;
        const char *call = line + strlen("  ./cgsolve "), *more = "";
        if (strstr(call, "results/") || strstr(call, "DIRECTORY"))
            continue;
        if (strstr(call, "configs/"))
            more = " --check-config";
        else if (begins(call, "bench "))
            more = " --set bench.products=1 --rounds 1";
        expect_exit(run_program("%s%s", call, more), 0);
        tried++;
    }
    ck_assert_int_eq(tried, wanted);
}

START_TEST(examples_work)
{
    static const char *const calls[] = {"--help", "bench --help", "trace-diff --help", "help help"};
    static const int wanted[] = {3, 3, 1, 3};
    for (int k = 0; k < 4; k++) {
        char *text = help(calls[k]);
        try_examples(text, wanted[k]);
        free(text);
    }
}
END_TEST

/* What was asked for was not done: no success, and nothing on the standard output. */
START_TEST(nothing_is_answered)
{
    struct outcome *outcome = run_program(" ");
    expect_exit(outcome, 2);
    ck_assert_str_eq(outcome->output, "");
    ck_assert_int_le(expect_narrow(outcome->errors), 14);
    expect_text(outcome->errors, "kernel");
    char *text = strdup(outcome->errors);
    ck_assert_ptr_nonnull(text);
    try_examples(text, 3);
    free(text);
}
END_TEST

/* What a command of the shell prints first, without the end of the line; "" for nothing. */
static const char *first_line(const char *command, char line[256])
{
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    if (!fgets(line, 256, pipe))
        *line = '\0';
    line[strcspn(line, "\n")] = '\0';
    pclose(pipe);
    return line;
}

/* The first line is for scripts. Another commit than that of the build may be checked out, so of
 * the commit the form is looked at, and that it was there. */
START_TEST(version_says_what_was_built)
{
    char *text = help("--version"), commit[256], cuda[256], mpi[64], metis[64], blas[64], line[256];
    int end = 0;
    ck_assert_int_eq(expect_narrow(text), 7);
    snprintf(line, sizeof line, "cgsolve %s\ncommit: ", CGSOLVE_VERSION);
    ck_assert_msg(strncmp(text, line, strlen(line)) == 0, "%s", text);
    ck_assert_int_eq(sscanf(text,
                            "cgsolve %*s commit: %255s compiler: %*[^\n] CUDA: %255[^\n] MPI: "
                            "%63[^\n] METIS: %63[^\n] BLAS: %63[^\n]%n",
                            commit, cuda, mpi, metis, blas, &end),
                     5);
    ck_assert_str_eq(text + end, "\n");
    expect_text(text, __VERSION__);
    bool with_cuda = kernel_find("cuda_csr_scalar")->setup != NULL;
    ck_assert_msg(with_cuda ? strstr(cuda, ", sm_") != NULL : !strncmp(cuda, "none: ", 6), "%s",
                  cuda);
    if (*first_line("test -e .git && git --no-optional-locks rev-parse HEAD 2>/dev/null", line)) {
        size_t digits = strspn(commit, "0123456789abcdef");
        ck_assert_msg(digits >= 4 && (!commit[digits] || !strcmp(commit + digits, "+")), "%s",
                      commit);
    } else {
        ck_assert_str_eq(commit, "unknown");
    }
    expect_same("-V", text);
    expect_same("version", text);
    free(text);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {one_screen,
                            a_command_shows_itself_alone,
                            keys_by_topic,
                            keys_of_a_type_stand_together,
                            all_of_it,
                            examples_work,
                            nothing_is_answered,
                            version_says_what_was_built,
                            NULL};
    return suite_of("main/help", tests);
}

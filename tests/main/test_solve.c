/* `cgsolve solve`: what it prints and writes, that it is the solve of the config that it shows, and
 * what it refuses. */
#include "support.h"

#include "main/mtx_texts.h"
#include "main/program.h"
#include "main/terminal.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A grid of SIDE x SIDE points, whose norm of b is a power of two for a b of 1 and -1: what is
 * divided by it keeps its bits. */
enum { SIDE = 16, N = SIDE * SIDE, NORM = SIDE };

static char matrix[256], rhs[256], start[256];

static void write_grid(void)
{
    static char text[1 << 16];
    int length =
        snprintf(text, sizeof text, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n",
                 N, N, N + 2 * SIDE * (SIDE - 1));
    for (int row = 1; row <= N; row++) {
        length += snprintf(text + length, sizeof text - (size_t)length, "%d %d 4.5\n", row, row);
        if (row % SIDE)
            length +=
                snprintf(text + length, sizeof text - (size_t)length, "%d %d -1\n", row + 1, row);
        if (row + SIDE <= N)
            length += snprintf(text + length, sizeof text - (size_t)length, "%d %d -1.1\n",
                               row + SIDE, row);
    }
    snprintf(matrix, sizeof matrix, "%s", temporary_file("grid.mtx", text, -1));
}

/* Vectors of random signs. */
static const char *write_signs(const char *name, uint64_t *state)
{
    char text[8 * N + 64];
    int length = sprintf(text, "%%%%MatrixMarket matrix array real general\n%d 1\n", N);
    for (int i = 0; i < N; i++)
        length += sprintf(text + length, "%d\n", test_random(state) < 0.5 ? -1 : 1);
    return temporary_file(name, text, -1);
}

static void prepare(void)
{
    uint64_t state = test_seed();
    write_grid();
    snprintf(rhs, sizeof rhs, "%s", write_signs("b.mtx", &state));
    snprintf(start, sizeof start, "%s", write_signs("x0.mtx", &state));
}

/* The rows of --monitor in the output, and the residuals of history.csv: the same numbers. */
static void expect_history(const char *output, const char *directory, double norm)
{
    char path[300];
    snprintf(path, sizeof path, "%s/history.csv", directory);
    const char *row = strchr(file_text(path), '\n') + 1;
    int rows = 0, length, iteration, other;
    for (const char *line = output; *line; line += strcspn(line, "\n") + 1) {
        double residual, relative;
        if (sscanf(line, " %d %lf%n", &iteration, &relative, &length) != 2 || line[length] != '\n')
            continue;
        ck_assert_int_eq(sscanf(row, "%*[^,],1,%d,%lf,", &other, &residual), 2);
        ck_assert(iteration == rows && other == rows);
        ck_assert_msg(relative * norm == residual, "iteration %d: %a, in the history %a", rows,
                      relative * norm, residual);
        row += strcspn(row, "\n") + 1;
        rows++;
    }
    ck_assert_int_gt(rows, 3);
    ck_assert_str_eq(row, "");
}

/* The bytes of both are the same. */
static void expect_same_file(const char *a, const char *b)
{
    expect_exit(run_other_program("cmp", "'%s' '%s'", a, b), 0);
}

/* The call, and the study of the config that it prints. */
static void expect_equal(const char *command, const char *arguments, double norm,
                         const char *option, const char *written)
{
    char path[256], directory[256], other[600], config[256];
    snprintf(path, sizeof path, "%s", temporary_path("x.npy"));
    snprintf(directory, sizeof directory, "%s", temporary_path("study"));
    snprintf(other, sizeof other, "%s/%s", directory, written);
    struct outcome *outcome =
        run_program("%s %s %s %s --print-config", command, arguments, option, path);
    expect_exit(outcome, 0);
    ck_assert_int_ne(access(path, F_OK), 0); /* nothing was solved */
    snprintf(config, sizeof config, "%s", temporary_file("same.cfg", outcome->output, -1));
    expect_exit(run_program("--quiet --output %s %s", directory, config), 0);
    outcome = run_program("%s %s %s %s --monitor --quiet", command, arguments, option, path);
    expect_exit(outcome, 0);
    ck_assert_str_eq(outcome->errors, "");
    expect_history(outcome->output, directory, norm);
    expect_same_file(path, other);
    ck_assert_int_eq(unlink(path), 0);
}

START_TEST(it_is_the_study_of_its_config)
{
    char arguments[1024];
    prepare();
    const char *const options[] = {
        "",
        "--threads 1 --rhs %s",
        "--rhs %s --start %s --kernel cpu_sym",
        "--method minres --tolerance 1e-11 --rhs %s",
        "--method minres --preconditioner jacobi --rhs %s",
        "--tolerance 0 --absolute-tolerance 1e-3 --rhs %s",
        "--preconditioner chebyshev preconditioner.degree=3 --rhs %s",
        "--preconditioner block_jacobi solver.preconditioner.block=4 problem.reorder=rcm --rhs %s",
        "'kernels=({name=\"cpu_sym_bitwise\";label=\"cpu_csr\";})' --kernel cpu_csr"};
    static const char *const kernels[] = {"cpu_sym_bitwise", "cpu_sym_bitwise", "cpu_sym",
                                          "cpu_sym_bitwise", "cpu_sym_bitwise", "cpu_sym_bitwise",
                                          "cpu_sym_bitwise", "cpu_sym_bitwise", "cpu_csr"};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        char written[64];
        int length = snprintf(arguments, sizeof arguments, "%s ", matrix);
        snprintf(arguments + length, sizeof arguments - (size_t)length, options[k], rhs, start);
        snprintf(written, sizeof written, "solution-%s-1.npy", kernels[k]);
        expect_equal("solve", arguments, NORM, "--solution", written);
    }
}
END_TEST

START_TEST(eigs_is_the_study_of_its_config)
{
    char arguments[1024];
    prepare();
    const char *const options[] = {"-k 3", "--count=2 --which both --kernel cpu_csr --threads 2",
                                   "-k4 --which largest --tolerance 1e-7 --start %s",
                                   "-k 2 eigen.restart=40 eigen.reorthogonalization=selective"};

    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        int length = snprintf(arguments, sizeof arguments, "%s ", matrix);
        snprintf(arguments + length, sizeof arguments - (size_t)length, options[k], start);
        expect_equal("eigs", arguments, 1, "--vectors",
                     k == 1 ? "eigenvectors-cpu_csr-1.npy" : "eigenvectors-cpu_sym_bitwise-1.npy");
    }
}
END_TEST

START_TEST(it_prints_what_it_found)
{
    static const char *const wanted[] = {
        "n = 256, 1216 entries, ",
        "b: ones, ||b|| = 16\n",
        "\nsolver    cg, ||r|| <= 1e-08 ||b||, ",
        "\nkernel    cpu_sym_bitwise, 2 threads, stores the matrix by ",
        "\nresult    converged at iteration ",
        ", ||b - A x|| / ||b|| = ",
        "\ntime      set-up "};
    prepare();
    struct outcome *outcome = run_program("solve %s --threads 2", matrix);
    expect_exit(outcome, 0);
    ck_assert_str_eq(outcome->errors, "");
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
        expect_text(outcome->output, wanted[k]);
    ck_assert_ptr_null(strstr(outcome->output, "written"));
    double residual;
    const char *shown = strstr(outcome->output, "||b - A x|| / ||b|| = ");
    ck_assert_int_eq(sscanf(shown, "||b - A x|| / ||b|| = %lf\n", &residual), 1);
    ck_assert(residual > 0 && residual <= 1.001e-8);
    outcome = run_program("solve --quiet %s", matrix);
    expect_exit(outcome, 0);
    ck_assert_str_eq(outcome->output, "");
}
END_TEST

/* A small system is solved by one thread; a study has all, or as many as the environment says. */
START_TEST(threads_follow_size_and_environment)
{
    static const char *const variables[] = {"OMP_NUM_THREADS", "OMP_THREAD_LIMIT"};
    prepare();
    expect_text(run_program("solve %s", matrix)->output, "\nkernel    cpu_sym_bitwise, 1 thread, ");
    expect_text(run_program("solve %s --threads 3", matrix)->output, ", 3 threads, ");
    for (int k = 0; k < 2; k++) {
        struct outcome *outcome = run_other_program(
            "env",
            "%s=1 \"$CGSOLVE\" --set 'kernels=(\"cpu_sym_bitwise\")' --set problem.n=20 "
            "--set repeats=1 --set threads=0 --set output.report=false --output %s "
            "configs/quickstart.cfg",
            variables[k], temporary_path("one"));
        expect_exit(outcome, 0);
        expect_text(file_text(temporary_path("one/summary.json")), "\"threads\": 1,");
    }
}
END_TEST

/* Lines that stay, also on a terminal. */
START_TEST(a_monitor_is_no_progress)
{
    static char text[1 << 16];
    prepare();
    if (!run_on_terminal(STDERR_FILENO, 80, text, sizeof text, "solve %s --monitor", matrix))
        return;
    ck_assert_str_eq(text, "");
    ck_assert(run_on_terminal(STDERR_FILENO, 80, text, sizeof text, "solve %s", matrix));
    ck_assert_str_ne(text, "");
}
END_TEST

/* The directory in which it runs can be removed. */
START_TEST(nothing_else_is_written)
{
    char program[PATH_MAX];
    prepare();
    ck_assert_ptr_nonnull(realpath(program_path(), program));
    const char *empty = temporary_path("empty");
    for (int eigs = 0; eigs < 2; eigs++) {
        ck_assert_int_eq(mkdir(empty, 0777), 0);
        expect_exit(run_other_program("sh", "-c 'cd %s && exec \"%s\" %s %s'", empty, program,
                                      eigs ? "eigs -k 1" : "solve", matrix),
                    0);
        ck_assert_int_eq(rmdir(empty), 0);
    }
}
END_TEST

START_TEST(eigenvalues_are_printed)
{
    static const char diagonal[] = "%%MatrixMarket matrix coordinate integer symmetric\n"
                                   "4 4 4\n1 1 4\n2 2 -3\n3 3 2\n4 4 -1\n";
    static const double wanted[][4] = {{-3, -1}, {2, 4}, {-3, -1, 2, 4}, {-3, -1, 2, 4}};
    static const char *const calls[] = {"-k 2", "-k 2 --which largest", "-k 2 --which both",
                                        "-k 100 --max-iterations 50"};
    const char *path = temporary_file("diagonal.mtx", diagonal, -1);
    for (int k = 0; k < 4; k++) {
        struct outcome *outcome = run_program("eigs %s %s", calls[k], path);
        expect_exit(outcome, 0);
        expect_text(outcome->output, "\nresult    converged at iteration ");
        const char *line = strstr(outcome->output, "  converged by\n");
        ck_assert_ptr_nonnull(line);
        int found = k < 2 ? 2 : 4, number;
        for (int e = 0; e < found; e++) {
            char met[16];
            double value, residual;
            line = strchr(line, '\n') + 1;
            ck_assert_int_eq(sscanf(line, "%d %lf %lf %15s", &number, &value, &residual, met), 4);
            ck_assert(number == e + 1 && fabs(value - wanted[k][e]) < 1e-12 && residual < 1e-9);
            ck_assert(!strcmp(met, "tolerance") || !strcmp(met, "rounding"));
        }
        ck_assert_int_ne(sscanf(strchr(line, '\n'), " %d %*f", &number), 1);
    }
    /* more than a study's table shows */
    prepare();
    struct outcome *outcome = run_program("eigs -k 25 --which largest %s", matrix);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "\n    25  ");
    ck_assert_ptr_null(strstr(outcome->output, "summary.json"));
}
END_TEST

/* By default too a list has each eigenvalue as often as the matrix: of six chains of five, 2 - 2
 * cos(k pi / 5) each, the smallest is 0 six times. */
START_TEST(multiple_eigenvalues_are_printed)
{
    enum { CHAINS = 6, NODES = 5, ROWS = CHAINS * NODES, COUNT = CHAINS + 2 };
    char text[4096];
    int length = snprintf(text, sizeof text,
                          "%%%%MatrixMarket matrix coordinate integer symmetric\n%d %d %d\n", ROWS,
                          ROWS, ROWS + CHAINS * (NODES - 1));
    for (int i = 0; i < ROWS; i++) {
        bool first = i % NODES == 0, last = i % NODES == NODES - 1;
        length += snprintf(text + length, sizeof text - (size_t)length, "%d %d %d\n", i + 1, i + 1,
                           first || last ? 1 : 2);
        if (!last)
            length +=
                snprintf(text + length, sizeof text - (size_t)length, "%d %d -1\n", i + 2, i + 1);
    }
    const char *path = temporary_file("chains.mtx", text, -1);
    expect_text(run_program("eigs -k 99 %s", path)->output, "lanczos, 30 eigenvalues (smallest)");
    struct outcome *outcome = run_program("eigs -k %d %s", (int)COUNT, path);
    expect_exit(outcome, 0);
    const char *line = strstr(outcome->output, "  converged by\n");
    ck_assert_ptr_nonnull(line);
    for (int e = 0; e < COUNT; e++) {
        double value, wanted = e < CHAINS ? 0 : 2 - 2 * cos(acos(-1) / NODES);
        line = strchr(line, '\n') + 1;
        ck_assert_int_eq(sscanf(line, "%*d %lf", &value), 1);
        ck_assert_msg(fabs(value - wanted) < 1e-9, "%d: %.17g", e, value);
    }
    expect_text(line, "complete: ");
}
END_TEST

/* Another method is needed for such a matrix: it is taken, or named. */
START_TEST(the_method_follows_the_matrix)
{
    static const char skew[] = "%%MatrixMarket matrix coordinate real skew-symmetric\n"
                               "4 4 3\n2 1 1\n3 2 2\n4 3 -1.5\n";
    static const char indefinite[] = "%%MatrixMarket matrix coordinate real symmetric\n"
                                     "3 3 3\n1 1 4\n2 2 -3\n3 3 2\n";
    char path[256];
    snprintf(path, sizeof path, "%s", temporary_file("skew.mtx", skew, -1));
    struct outcome *outcome = run_program("solve %s solver.shift=0.5", path);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "\nsolver    skew, shift 0.5, ");
    expect_text(outcome->output, ", ||b - (shift I + S) x|| / ||b|| = ");
    outcome = run_program("solve %s --method cg", path);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "the method \"skew\" takes it");
    outcome = run_program("eigs %s", path);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "the Lanczos method needs a symmetric matrix");

    snprintf(path, sizeof path, "%s", temporary_file("indefinite.mtx", indefinite, -1));
    outcome = run_program("solve %s", path);
    expect_exit(outcome, 1);
    expect_text(outcome->output, "result    not positive definite at iteration ");
    expect_text(outcome->output, "): --method minres takes such a matrix\n");
    expect_exit(run_program("solve %s --method minres", path), 0);
}
END_TEST

/* Its x so far is written, for another call to go on from. */
START_TEST(a_limit_ends_it)
{
    char x[256], text[400];
    prepare();
    snprintf(x, sizeof x, "%s", temporary_path("x.mtx"));
    struct outcome *outcome = run_program("solve %s --max-iterations 5 --solution %s", matrix, x);
    expect_exit(outcome, 1);
    expect_text(outcome->output, "\nresult    iteration limit at iteration 5, ");
    snprintf(text, sizeof text, "\nwritten   %s\n", x);
    expect_text(outcome->output, text);
    outcome = run_program("solve %s --max-iterations 5 --quiet", matrix);
    expect_exit(outcome, 1);
    ck_assert_str_eq(outcome->output, "");
    snprintf(text, sizeof text, "cgsolve: %s: iteration limit at iteration 5\n", matrix);
    ck_assert_str_eq(outcome->errors, text);
    expect_exit(run_program("solve %s --start %s --solution %s", matrix, x, x), 0);
    outcome = run_program("solve %s --start %s", matrix, x);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "\nresult    converged at iteration 0, ");
    snprintf(x, sizeof x, "%s", temporary_path("x.txt"));
    expect_exit(run_program("solve %s --solution %s", matrix, x), 0);
    outcome = run_program("solve %s --start %s", matrix, x);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "\nresult    converged at iteration 0, ");
    outcome = run_program("eigs %s --max-iterations 5", matrix);
    expect_exit(outcome, 1);
    expect_text(outcome->output, "\nresult    iteration limit at iteration 5, ");
}
END_TEST

/* Each format, for a reader of its own; and a name that a config has to escape. */
START_TEST(any_name_and_format)
{
    prepare();
    char odd[300], x[3][256], command[900];
    static const char *const ends[] = {"npy", "mtx", "txt"};
    snprintf(odd, sizeof odd, "%s", temporary_path("a \"b\"\\x=1;#\n.mtx"));
    ck_assert_int_eq(link(matrix, odd), 0);
    for (int k = 0; k < 3; k++) {
        char name[32];
        snprintf(name, sizeof name, "x.%s", ends[k]);
        snprintf(x[k], sizeof x[k], "%s", temporary_path(name));
        struct outcome *outcome = run_program("solve '%s' --quiet --solution %s", odd, x[k]);
        expect_exit(outcome, 0);
    }
    struct stat info;
    ck_assert_int_eq(stat(x[0], &info), 0);
    ck_assert_int_eq(info.st_size, 128 + 8 * N);
    snprintf(command, sizeof command, "-c 'tail -n +3 %s | cmp - %s'", x[1], x[2]);
    expect_exit(run_other_program("sh", "%s", command), 0);
    struct outcome *outcome = run_program("solve '%s' --print-config", odd);
    expect_exit(outcome, 0);
    expect_exit(run_program("--check-config %s", temporary_file("odd.cfg", outcome->output, -1)),
                0);
}
END_TEST

/* The arguments behind the command, its exit status, and what is said. */
static void expect_refused(const char *command, const char *arguments, int exit_status,
                           const char *says)
{
    struct outcome *outcome = run_program("%s %s", command, arguments);
    expect_exit(outcome, exit_status);
    ck_assert_msg(strncmp(outcome->errors, "cgsolve: ", 9) == 0 &&
                      strchr(outcome->errors, '\n') ==
                          outcome->errors + strlen(outcome->errors) - 1,
                  "%s: %s", arguments, outcome->errors);
    expect_text(outcome->errors, says);
}

START_TEST(faults_are_named)
{
    static const struct {
        const char *command, *options; /* behind the matrix */
        int exit_status;
        const char *says;
    } cases[] = {
        {"solve", "--tolerance abc", 2,
         "--tolerance: solver.tolerance wants a real in [0, 1), not the string \"abc\""},
        {"solve", "--tolerance=2", 2, "--tolerance=2: solver.tolerance wants a real in [0, 1)"},
        {"solve", "--tolerance", 2, "--tolerance wants a value (see cgsolve solve --help)"},
        {"solve", "--tolerance ''", 2, "--tolerance: the value is missing"},
        {"solve", "--max-iterations -1", 2, "solver.max_iterations wants a whole number"},
        {"solve", "--threads 4097", 2, "threads wants a whole number, 0..4096, not 4097"},
        {"solve", "--kernel cpu_cs", 2,
         "--kernel: unknown kernel \"cpu_cs\"; did you mean 'cpu_csr'?"},
        {"solve", "--method bicgstab", 2, "solver.method wants \"cg\", "},
        {"solve", "--preconditioner ilu", 2, "solver.preconditioner.type wants "},
        {"solve", "preconditioner.degree=4", 2,
         "solver.preconditioner.degree is for type \"chebyshev\" or \"multigrid\", not \"none\""},
        {"solve", "solver.tolerence=1", 2,
         ": solver.tolerence=1: unknown key 'solver.tolerence'; did you mean 'tolerance'?"},
        {"solve", "b.mtx", 2, ".mtx b.mtx: one matrix is taken, and then KEY=VALUE"},
        {"solve", "repeats=2", 2, "repeats=2: is for a study, whose config --print-config begins"},
        {"solve", "'output = {directory=\"x\";}'", 2, ": is for a study, "},
        {"solve", "'kernels=(\"cpu_csr\",\"cpu_sym\")'", 2,
         ".mtx: solved by one kernel, and kernels has 2"},
        {"solve", "--solution x.mat", 2,
         "--solution x.mat: the name must end with .npy, .mtx or .txt"},
        {"solve", "--solution npy", 2, "--solution npy: the name must end with "},
        {"solve", "--solution /no/such/x.npy", 4, "/no/such/x.npy: cannot write: "},
        {"solve", "--solution /no/such/x.mtx", 4, "/no/such/x.mtx: cannot write: "},
        {"solve", "--rhs /no/such/b.mtx", 3, "/no/such/b.mtx: cannot read: No such file"},
        {"solve", "--start /no/such/b.mtx", 3, "/no/such/b.mtx: cannot read: No such file"},
        {"solve", "--rhs ''", 2, "--rhs: rhs.path is empty"},
        {"solve", "-k 3", 2, "-k: no such option of solve"},
        {"solve", "--monitr", 2, "did you mean '--monitor'?"},
        {"solve", "--method lanczos --solution x.npy", 2, "this method has eigenvectors instead"},
        {"eigs", "-k 0", 2, "-k: eigen.count wants a whole number, 1..100000, not 0"},
        {"eigs", "-k x", 2, "-k: eigen.count wants a whole number"},
        {"eigs", "-k", 2, "-k wants a value (see cgsolve eigs --help)"},
        {"eigs", "--which middle", 2,
         "--which: eigen.which wants \"smallest\", \"largest\" or \"both\""},
        {"eigs", "--vectors v.mtx", 2, "--vectors v.mtx: the name must end with .npy"},
        {"eigs", "--vectors /no/such/v.npy", 4, "/no/such/v.npy: cannot write: "},
        {"eigs", "'eigen={vectors=true;}'", 2, "eigen.vectors: --vectors FILE says where to"},
        {"eigs", "--rhs b.mtx", 2, "--rhs: no such option of eigs"},
    };
    prepare();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char arguments[600];
        snprintf(arguments, sizeof arguments, "%s %s", matrix, cases[k].options);
        expect_refused(cases[k].command, arguments, cases[k].exit_status, cases[k].says);
    }
}
END_TEST

START_TEST(files_are_refused)
{
    static const struct {
        const char *text;
        const char *says;
    } cases[] = {{mtx_general, "the matrix is not symmetric: "},
                 {mtx_wide, "the matrix is rectangular, 2 x 5: it must be square"},
                 {mtx_complex, "complex"},
                 {"", "empty"},
                 {"problem = 1;\n", ":1: "}};
    static const char *const commands[] = {"solve", "eigs"};
    prepare();
    for (int c = 0; c < 2; c++) {
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
            expect_refused(commands[c], temporary_file("other.mtx", cases[k].text, -1), 3,
                           cases[k].says);
        expect_refused(commands[c], "/no/such/a.mtx", 3, "/no/such/a.mtx: cannot read: No such");
        expect_refused(commands[c], temporary_path("."), 3, "this is a directory, not a file");
        expect_refused(commands[c], "", 2, " wants a matrix (see cgsolve ");
    }
    char arguments[600];
    const char *shorter =
        temporary_file("short.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n", -1);
    for (int k = 0; k < 2; k++) {
        snprintf(arguments, sizeof arguments, "%s --%s %s", matrix, k ? "start" : "rhs", shorter);
        expect_refused(
            "solve", arguments, 3,
            "short.mtx:2: this is 2 x 1, but must have 256 rows, one column for each vector");
    }
}
END_TEST

/* What was there stays, where a new file is not whole or would take the place of what is read. */
START_TEST(files_are_written_whole_or_not_at_all)
{
    char x[256], before[64];
    prepare();
    snprintf(x, sizeof x, "%s", temporary_file("old.npy", "an earlier one", -1));
    for (int k = 0; k < 2; k++) {
        struct outcome *outcome = run_other_program(
            "sh", "-c 'ulimit -f 1; exec \"%s\" %s --quiet %s --%s %s'", program_path(),
            k ? "eigs" : "solve", matrix, k ? "vectors" : "solution", x);
        expect_exit(outcome, 4);
        expect_text(outcome->errors, "old.npy: cannot write: ");
        ck_assert_str_eq(file_text(x), "an earlier one");
    }
    snprintf(before, sizeof before, "%.60s", file_text(matrix));
    expect_refused("solve", strcat(strcat(strcpy(x, matrix), " --solution "), matrix), 2,
                   "grid.mtx: cannot be written: the solve reads it");
    ck_assert(strncmp(file_text(matrix), before, 60) == 0);
}
END_TEST

/* --- signals ---------------------------------------------------------------------------------- */

/* One dimension, in which every iteration reaches one point further: nothing ends before some
 * thousand of them. */
static const char *long_matrix(void)
{
    enum { POINTS = 10000 };
    static char text[POINTS * 32];
    int length =
        snprintf(text, sizeof text, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n",
                 POINTS, POINTS, 2 * POINTS - 1);
    for (int row = 1; row <= POINTS; row++) {
        length += snprintf(text + length, sizeof text - (size_t)length, "%d %d 2\n", row, row);
        if (row < POINTS)
            length +=
                snprintf(text + length, sizeof text - (size_t)length, "%d %d -1\n", row + 1, row);
    }
    return temporary_file("long.mtx", text, -1);
}

/* The program waits for who reads its lines, and so cannot come to its end before the signal. */
static void interrupt(const char *command, int number, const char *arguments, char output[1 << 20])
{
    int ends[2], status;
    char call[1024], shown[256];
    size_t length = 0;
    ssize_t got;
    snprintf(call, sizeof call, "exec '%s' %s --monitor %s %s", program_path(), command,
             long_matrix(), arguments);
    snprintf(shown, sizeof shown, "%s", temporary_path("stderr"));
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        if (dup2(ends[1], STDOUT_FILENO) < 0 || !freopen(shown, "w", stderr))
            _exit(126);
        close(ends[0]);
        close(ends[1]);
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        execl("/bin/sh", "sh", "-c", call, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    do { /* the first rows */
        got = read(ends[0], output + length, 1);
        ck_assert_msg(got == 1, "it ended before it was interrupted: %s", file_text(shown));
        output[++length] = '\0';
    } while (!strstr(output, "       3  "));
    ck_assert_int_eq(kill(child, number), 0);
    while ((got = read(ends[0], output + length, 4096)) > 0 && length < (1 << 20) - 8192)
        length += (size_t)got;
    output[length] = '\0';
    close(ends[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == number, "status %x: %s",
                  (unsigned)status, file_text(shown));
}

START_TEST(a_signal_ends_it_with_what_it_has)
{
    static char output[1 << 20];
    struct stat info;
    char file[256], arguments[400], line[400];
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (int eigs = 0; eigs < 2; eigs++)
        for (int turn = 0; turn < 6; turn++) {
            bool quiet = turn >= 3;
            snprintf(file, sizeof file, "%s", temporary_path(eigs ? "v.npy" : "x.npy"));
            snprintf(arguments, sizeof arguments, "--max-iterations 1000000 %s %s %s",
                     eigs ? "-k 2 --vectors" : "--solution", file, quiet ? "--quiet" : "");
            interrupt(eigs ? "eigs" : "solve", numbers[turn % 3], arguments, output);
            const char *text = quiet ? file_text(temporary_path("stderr")) : output;
            expect_text(text, quiet ? ".mtx: interrupted at iteration "
                                    : "\nresult    interrupted at iteration ");
            snprintf(line, sizeof line, "\nwritten   %s\n", file);
            ck_assert(!strstr(output, line) == quiet);
            ck_assert_int_eq(stat(file, &info), 0);
            ck_assert_int_eq((info.st_size - 128) % 80000, 0);
            ck_assert(eigs || info.st_size == 128 + 80000);
            ck_assert_int_eq(unlink(file), 0);
        }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {it_is_the_study_of_its_config,
                            eigs_is_the_study_of_its_config,
                            it_prints_what_it_found,
                            threads_follow_size_and_environment,
                            a_monitor_is_no_progress,
                            nothing_else_is_written,
                            eigenvalues_are_printed,
                            multiple_eigenvalues_are_printed,
                            the_method_follows_the_matrix,
                            a_limit_ends_it,
                            any_name_and_format,
                            faults_are_named,
                            files_are_refused,
                            files_are_written_whole_or_not_at_all,
                            a_signal_ends_it_with_what_it_has,
                            NULL};
    return suite_of("main/solve", tests);
}

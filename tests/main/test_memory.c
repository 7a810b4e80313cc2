/* The memory that the whole program takes at its peak: it grows with the runs of a study by what is
 * kept of each run, and not by their residuals. A residual kept is 8 bytes, its row in a file some
 * 100. */
#include "support.h"

#include "base/limits.h"
#include "main/program.h"
#include "program/report/results_made.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* KB, of the largest child so far: Check runs each test in a process of its own. */
static long peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return usage.ru_maxrss;
}

/* False under a sanitizer, with a memory of its own. */
static bool is_measured(void)
{
    const char *build = getenv("CGSOLVE_BUILD");
    if (build && (strstr(build, "asan") || strstr(build, "tsan"))) {
        printf("not measured under a sanitizer\n");
        return false;
    }
    return true;
}

/* The runs that came in between take less than their residuals alone would. */
static void expect_growth(long before, int64_t runs, int64_t residuals)
{
    long grown = peak() - before;
    printf("%ld KB, and %ld KB for %" PRId64 " runs more\n", before, grown, runs);
    ck_assert_msg(grown < runs * residuals * 8 / 1024,
                  "%" PRId64 " runs of %" PRId64 " residuals take %ld KB", runs, residuals, grown);
}

/* Solves, history, envelope, summary, comparison with a reference and page: of `runs` runs. */
static void study(const char *config, const char *reference, int64_t runs)
{
    struct outcome *outcome =
        run_program("--set repeats=%" PRId64 " --set output.report=true --quiet "
                    "--set 'reference={history=\"%s\";mode=\"bitwise\";}' --output %s %s",
                    runs, reference, temporary_path("study"), config);
    expect_exit(outcome, 0);
}

START_TEST(a_study)
{
    /* So many that what a process has of its libraries, some MB more or less with CUDA, is little
     * beside them. */
    enum { FEW = 30, MANY = 400, ITERATIONS = 4000 };
    static const char config_text[] =
        "problem = { type = \"network\"; n = 6; decades = 10; scaling = 3; ground = 1e-4; };\n"
        "rhs = { type = \"random\"; };\n"
        "solver = { tolerance = 1e-14; max_iterations = 4000; };\n"
        "kernels = ( \"cpu_sym_bitwise\" );\n"
        "threads = 1;\n";
    char config[256], reference[256], path[300];
    if (!is_measured())
        return;
    snprintf(config, sizeof config, "%s", temporary_file("long.cfg", config_text, -1));
    snprintf(reference, sizeof reference, "%s", temporary_path("long.csv"));
    expect_exit(run_program("--quiet --write-reference %s --output %s %s", reference,
                            temporary_path("study"), config),
                1); /* the limit ends it */
    study(config, reference, FEW);
    long before = peak();
    study(config, reference, MANY);
    expect_growth(before, MANY - FEW, ITERATIONS);
    snprintf(path, sizeof path, "%s", temporary_path("study"));
    json_t *summary = read_summary(path);
    json_t *runs = json_object_get(summary_kernel(summary, 0), "runs");
    ck_assert_int_eq((int64_t)json_array_size(runs), MANY);
    ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(runs, 0), "iterations")),
                     ITERATIONS);
    json_decref(summary);
}
END_TEST

/* `cgsolve COMMAND FEW` and `cgsolve COMMAND MANY`, of the file in a directory of so many runs. */
static void expect_bounded(const char *command, const char *file, const char *options)
{
    enum { FEW = 200, MANY = 800, ITERATIONS = 900 };
    static const int64_t runs[] = {FEW, MANY};
    long before = 0;
    for (int k = 0; k < 2; k++) {
        before = peak();
        const char *directory = results_made("recorded", "a", runs[k], 3, ITERATIONS);
        struct outcome *outcome = run_program("%s %s%s %s", command, directory, file, options);
        ck_assert_msg(outcome->exit_status <= 1, "%s", outcome->errors);
    }
    expect_growth(before, MANY - FEW, ITERATIONS);
}

START_TEST(a_check)
{
    char reference[300];
    if (!is_measured())
        return;
    snprintf(reference, sizeof reference, "%s/history.csv", results_made("one", "a", 1, 1, 900));
    expect_bounded("check", "/history.csv", reference);
}
END_TEST

START_TEST(a_report)
{
    if (is_measured())
        expect_bounded("report", "", "");
}
END_TEST

/* Under a limit of the shell, in KB: refused by what the whole study wants, before `most` KB are
 * taken. */
static void expect_refused(const char *limit, const char *config, const char *what, const char *has,
                           long most)
{
    char command[1024];
    snprintf(command, sizeof command,
             "ulimit %s; exec \"$CGSOLVE\" --quiet --threads 1 --output %s %s 2>%s", limit,
             temporary_path("limited"), config, temporary_path("refused"));
    int status = system(command);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 4, "%s", command);
    const char *text = file_text(temporary_path("refused"));
    expect_text(text, what);
    expect_text(text, has);
    ck_assert_msg(peak() < most, "%ld KB: %s", peak(), text);
}

/* By the first lines of a file, by the rows of a grid, and by the runs; and by the matrix, once it
 * is there. */
START_TEST(too_much)
{
    static const char matrix[] = "%%MatrixMarket matrix coordinate real symmetric\n"
                                 "100000000 100000000 1\n1 1 1\n";
    char text[600], config[300];
    if (!is_measured())
        return;
    snprintf(text, sizeof text,
             "problem = { type = \"mtx\"; path = \"%s\"; };\n"
             "kernels = ( \"cpu_sym_bitwise\", \"cpu_csr\" );\n",
             temporary_file("rows.mtx", matrix, -1));
    snprintf(config, sizeof config, "%s", temporary_file("rows.cfg", text, -1));
    expect_refused(
        "-v 4500000", config,
        "out of memory: a study of 100000000 rows and 1 solves with kernel cpu_csr needs "
        "10.4 GB, ulimit -v has 4.",
        " GB left\n", 400000);
    expect_refused("-v 4500000",
                   temporary_file("grid.cfg",
                                  "problem = { type = \"poisson3d\"; n = 400; };\n"
                                  "kernels = ( \"cpu_sym\" );\n",
                                  -1),
                   "a study of 64000000 rows", "ulimit -v has", 400000);
    static const char small[] = "problem = { type = \"poisson3d\"; n = 4; };\n"
                                "kernels = ( \"cpu_sym\" );\nrepeats = 100000000;\n";
    expect_refused("-v 4500000", temporary_file("runs.cfg", small, -1), "and 100000000 solves",
                   "ulimit -v has", 400000);
    static const char grid[] = "problem = { type = \"poisson3d\"; n = 128; };\n"
                               "kernels = ( \"cpu_csr\" );\n";
    expect_refused("-d 400000", temporary_file("full.cfg", grid, -1), "a study of 2097152 rows",
                   "ulimit -d has", 400000);
}
END_TEST

static bool write_limit(const char *group, const char *file, int64_t limit)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", group, file);
    FILE *made = access(path, W_OK) == 0 ? fopen(path, "w") : NULL;
    return made && fprintf(made, "%" PRId64 "\n", limit) > 0 && fclose(made) == 0;
}

/* A new control group with that limit in bytes, of version 1 or 2, and no swap where that can be
 * said; NULL: none can be made here. */
static const char *control_group(int64_t limit)
{
    static char made[100];
    static const char *const places[] = {"/sys/fs/cgroup/memory", "/sys/fs/cgroup"};
    for (int k = 0; k < 2; k++) {
        snprintf(made, sizeof made, "%s/cgsolve-test-%d", places[k], (int)getpid());
        if (mkdir(made, 0777) != 0)
            continue;
        if (write_limit(made, k == 0 ? "memory.limit_in_bytes" : "memory.max", limit)) {
            write_limit(made, k == 0 ? "memory.memsw.limit_in_bytes" : "memory.swap.max",
                        k == 0 ? limit : 0);
            return made;
        }
        rmdir(made);
    }
    return NULL;
}

enum ending { ENDS, REFUSED, EITHER };

/* Two threads, in the group. The system ends no study: it would say nothing. */
static void expect_ending(const char *group, const char *options, enum ending ending)
{
    static const char grid[] = "problem = { type = \"poisson3d\"; n = 2; };\n"
                               "kernels = ( \"cpu_sym_bitwise\" );\n"
                               "solver = { max_iterations = 3; };\n"
                               "threads = 2;\n";
    char config[300], command[1600];
    snprintf(config, sizeof config, "%s", temporary_file("grid.cfg", grid, -1));
    snprintf(command, sizeof command,
             "echo $$ >'%s/cgroup.procs'; exec \"$CGSOLVE\" --quiet --output %s %s %s 2>%s", group,
             temporary_path("grouped"), options, config, temporary_path("told"));
    int status = system(command);
    const char *told = file_text(temporary_path("told"));
    ck_assert_msg(WIFEXITED(status), "%s: %d, %s", options, status, told);
    status = WEXITSTATUS(status);
    ck_assert_msg(status == 4 ? ending != ENDS : status <= 1 && ending != REFUSED, "%s: %d, %s",
                  options, status, told);
    if (status == 4)
        expect_text(told, "out of memory: ");
}

/* What surely fits a control group ends, what surely does not is refused, and near its limit a
 * study does either. */
START_TEST(a_control_group)
{
    enum { ROOM = 97000000 };
    static const struct {
        const char *options; /* %d: the size */
        int fits, near, too_large;
    } all[] = {
        {"--set problem.n=%d --set 'solver.preconditioner={type=\"multigrid\";"
         "aggregates=\"matching\";}'",
         30, 72, 150},
        {"--set problem.n=%d --set 'solver.preconditioner={type=\"multigrid\";"
         "aggregates=\"matching\";}'",
         31, 78, 151},
        {"--set problem.n=%d --set 'solver.preconditioner={type=\"multigrid\";}'", 30, 78, 150},
        {"--set problem.n=%d --set 'kernels=({name=\"cpu_merge\";precision=\"float_double\";})'",
         30, 80, 150},
        {"--set 'problem={type=\"feature_graph\";n=%d;shift=1;}' --set rhs.type=random", 10000,
         640000, 3000000},
        {"--set repeats=%d", 100, 30000, 10000000}};
    char options[400];
    if (!is_measured())
        return;
    /* This test has the program's libraries, and CUDA's take more than ROOM when they are
     * loaded. */
    const char *group = control_group(ROOM + (int64_t)memory_held());
    if (!group) {
        printf("nothing run: no control group can be made\n");
        return;
    }
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const int sizes[] = {all[k].fits, all[k].near, all[k].too_large};
        static const enum ending endings[] = {ENDS, EITHER, REFUSED};
        for (int size = 0; size < 3; size++) {
            snprintf(options, sizeof options, all[k].options, sizes[size]);
            expect_ending(group, options, endings[size]);
        }
    }
    ck_assert_int_eq(rmdir(group), 0);
}
END_TEST

/* X and Y of so many columns do not fit, those of few do. */
START_TEST(too_many_columns)
{
    char command[1024];
    if (!is_measured())
        return;
    snprintf(
        command, sizeof command,
        "ulimit -d 480000; exec \"$CGSOLVE\" bench --operation spmm --columns 128,2 --rounds 1 "
        "--set bench.products=1 --threads 1 %s >%s",
        temporary_file("columns.cfg",
                       "problem = { type = \"poisson3d\"; n = 40; };\n"
                       "kernels = ( \"cpu_csr\" );\n",
                       -1),
        temporary_path("columns.txt"));
    int status = system(command);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", command);
    const char *text = file_text(temporary_path("columns.txt"));
    expect_text(text,
                "\ncpu_csr columns=128  skipped  out of memory: a bench of products needs 53");
    expect_text(text, "\ncpu_csr columns=2    PASS ");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_study,         a_check,          a_report, too_much,
                            a_control_group, too_many_columns, NULL};
    return suite_of("main/memory", tests);
}

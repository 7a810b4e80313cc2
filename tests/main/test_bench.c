/* The bench as it is called: one matrix, sweep, tune, wrong calls. */
#include "support.h"

#include "main/mtx_texts.h"
#include "main/program.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define QUICK "--rounds 2 --set bench.seconds=1e-6 "

START_TEST(one_matrix_is_told)
{
    const char *config = temporary_file(
        "bench.cfg",
        "problem = { type = \"poisson3d\"; n = 6; };\n"
        "kernels = ( \"cpu_csr\", { name = \"cpu_sym_bitwise\"; label = \"mine\"; }, "
        "\"cuda_csr_subwarp\" );\n"
        "threads = 2;\nbench = { rounds = 3; seconds = 1e-5; baseline = \"mine\"; seed = 7; };\n",
        -1);
    struct outcome *outcome = run_program("bench %s", config);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "poisson3d, 6 x 6 x 6");
    expect_text(outcome->output, "216 x 216, 1296 entries, symmetric");
    expect_text(outcome->output, "lengths  1-9: 216");
    expect_text(outcome->output, "bandwidth 36; reverse Cuthill-McKee would make it ");
    expect_text(outcome->output, "3 rounds in turns");
    expect_text(outcome->output, "\ncpu_csr           PASS ");
    expect_text(outcome->output, "\nmine              PASS ");
    if (strstr(outcome->output, "this build has no CUDA"))
        expect_text(outcome->output, "\ncuda_csr_subwarp  skipped  this build has no CUDA\n");
    expect_text(outcome->output, "a copy with 2 threads moves ");
    outcome = run_program("bench --quiet %s", config);
    expect_exit(outcome, 0);
    ck_assert_str_eq(outcome->output, "");
}
END_TEST

START_TEST(files_of_every_kind)
{
    const char *path = temporary_file("wide.mtx", mtx_wide, -1);
    struct outcome *outcome = run_program("bench " QUICK "--kernels all --matrix %s", path);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "2 x 5, 3 entries, general");
    expect_text(outcome->output, "\n          shortest 1, longest 2, empty 0, below 32: 100 %\n");
    expect_text(outcome->output, "\ncpu_csr               PASS ");
    expect_text(outcome->output,
                "\ncpu_sym               skipped  kernel cpu_sym does not take a general matrix\n");
    path = temporary_file("in_fact.mtx", mtx_in_fact, -1);
    outcome = run_program("bench " QUICK "--cold --kernels cpu_csr,cpu_sym --matrix %s", path);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "3 x 3, 2 entries, symmetric");
    expect_text(outcome->output, "rows      mean 0.666667,");
    expect_text(outcome->output, "longest 1, empty 1\n");
    expect_text(outcome->output, "the file says general, the entries are symmetric: taken as that");
    expect_text(outcome->output, "1 products each with cold caches");
    expect_text(outcome->output, "\ncpu_sym  PASS ");
    path = temporary_file("general.mtx", mtx_general, -1);
    outcome = run_program("bench " QUICK "--kernels cpu_csr --matrix %s", path);
    expect_text(outcome->output, "of the entries off the diagonal 0 % have an entry opposite");
    path = temporary_file("complex.mtx", mtx_complex, -1);
    outcome = run_program("bench " QUICK "--kernels cpu_csr --matrix %s", path);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "the matrix is complex");
}
END_TEST

START_TEST(parameters_are_swept_and_tuned)
{
    char matrix[256], config[256];
    snprintf(matrix, sizeof matrix, "%s", temporary_file("tuned.mtx", mtx_symmetric, -1));
    struct outcome *outcome = run_program("bench " QUICK "--kernels cpu_csr,cpu_sym_bitwise "
                                          "--sweep threads=1,2 --sweep form=auto,general "
                                          "--matrix %s",
                                          matrix);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "\ncpu_csr threads=1 ");
    expect_text(outcome->output, "\ncpu_csr threads=2 ");
    expect_text(outcome->output, "\ncpu_sym_bitwise threads=2 form=general  PASS ");

    /* what is printed is a config */
    for (int swept = 0; swept < 2; swept++) {
        outcome = run_program("bench " QUICK "--tune --kernels cpu_sym_exact,cpu_sym_bitwise,"
                              "cuda_csr_subwarp %s --matrix %s",
                              swept ? "--sweep form=auto,general" : "", matrix);
        expect_exit(outcome, 0);
        if (!swept) {
            expect_text(outcome->output, "\ncpu_sym_exact: has nothing to tune\n");
            expect_text(outcome->output, "\ncpu_sym_bitwise form=general ");
            expect_text(outcome->output, "\ncpu_sym_bitwise compress=never ");
        }
        const char *best = strstr(outcome->output, "kernels = (");
        ck_assert_ptr_nonnull(best);
        expect_text(best, "name = \"cpu_sym_bitwise\"; label = \"cpu_sym_bitwise");
        char text[4000];
        snprintf(text, sizeof text, "problem = { type = \"mtx\"; path = \"%s\"; };\n%s", matrix,
                 best);
        snprintf(config, sizeof config, "%s", temporary_file("tuned.cfg", text, -1));
        expect_exit(run_program("--check-config %s", config), 0);
        expect_exit(run_program("bench " QUICK "%s", config), 0);
    }
}
END_TEST

START_TEST(wrong_calls)
{
    static const char *const wrong[][2] = {
        {"", "bench wants a CONFIG, or --kernels and --matrix"},
        {"--kernels cpu_csr", "bench wants a CONFIG, or --kernels and --matrix"},
        {"--matrix a.mtx", "bench wants a CONFIG, or --kernels and --matrix"},
        {"--kernels cpu_cs --matrix a.mtx", "unknown kernel \"cpu_cs\"; did you mean 'cpu_csr'?"},
        {"--kernels cpu_csr --matrix a --sweep x", "--sweep x: wants PARAMETER=VALUE,VALUE,..."},
        {"--kernels cpu_csr --matrix a --sweep form=auto", "vary.form: none of the kernels"},
        {"--kernels cpu_csr --matrix a --rounds 0", "bench.rounds wants a whole number"},
        {"--kernels cpu_csr --matrix a --threads x", "threads wants a whole number"},
        {"--kernels cpu_csr --matrix a --baseline cpu_crs",
         "the baseline \"cpu_crs\" is none of the kernels"},
        {"--kernels cpu_csr --matrix . --tune", "--tune is for one matrix"},
        {"--kernels", "--kernels wants a value"},
        {"--output ''", "--output wants a value"},
        {"--nothing", "--nothing: no such option of bench"},
        {"a b", "bench a b: takes one config"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct outcome *outcome = run_program("bench %s", wrong[k][0]);
        expect_exit(outcome, 2);
        expect_text(outcome->errors, wrong[k][1]);
    }
    struct outcome *outcome = run_program("bench --kernels cpu_csr --matrix /no/such.mtx");
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "/no/such.mtx");
    const char *blocked = temporary_file("blocked.csv", "not,a,bench\n", -1);
    outcome = run_program("bench --kernels cpu_csr --matrix %s --output %s",
                          temporary_file("x.mtx", mtx_symmetric, -1), blocked);
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "no file of a bench");
    char empty[256];
    snprintf(empty, sizeof empty, "%s", temporary_path("nothing"));
    ck_assert_int_eq(mkdir(empty, 0777), 0);
    outcome = run_program("bench --kernels cpu_csr --matrix %s --output %s", empty,
                          temporary_path("nothing.csv"));
    expect_exit(outcome, 3);
    expect_text(outcome->errors, "no .mtx or .mtx.gz file below it");
    outcome = run_program("bench --help");
    expect_exit(outcome, 0);
    expect_text(outcome->output, "cgsolve bench [options] CONFIG");
    expect_text(outcome->output, "bench.baseline: a text; may be left out");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {one_matrix_is_told, files_of_every_kind, parameters_are_swept_and_tuned,
                            wrong_calls, NULL};
    return suite_of("main/bench", tests);
}

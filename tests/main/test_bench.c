/* The bench as it is called: one matrix, sweep, tune, wrong calls. */
#include "support.h"

#include "spmv/kernel.h"

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
    expect_text(outcome->output, "3 rounds, kernels interleaved");
    expect_text(outcome->output, "\ncpu_csr           PASS ");
    expect_text(outcome->output, "\nmine              PASS ");
    if (strstr(outcome->output, "libcgsolve_cuda.so, the CUDA part, is not here"))
        expect_text(
            outcome->output,
            "\ncuda_csr_subwarp  skipped  libcgsolve_cuda.so, the CUDA part, is not here\n");
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
    if (kernel_unavailable(kernel_find("cusparse_full"))) { /* one line for all of them */
        expect_text(outcome->output, " more kernels: ");
        ck_assert_ptr_null(strstr(outcome->output, "\ncusparse_full"));
    }
    path = temporary_file("in_fact.mtx", mtx_in_fact, -1);
    outcome = run_program("bench " QUICK "--cold --kernels cpu_csr,cpu_sym --matrix %s", path);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "3 x 3, 2 entries, symmetric");
    expect_text(outcome->output, "rows      mean 0.666667,");
    expect_text(outcome->output, "shortest 0, longest 1, empty 1, below 32: 100 %\n");
    expect_text(outcome->output,
                "the file says general, but the entries are symmetric: treated as such");
    expect_text(outcome->output, "1 product each with cold caches");
    expect_text(outcome->output, "\ncpu_sym  PASS ");
    path = temporary_file("general.mtx", mtx_general, -1);
    outcome = run_program("bench " QUICK "--kernels cpu_csr --matrix %s", path);
    expect_text(outcome->output, "of the entries off the diagonal 0 % have a mirrored entry");
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

/* Each kernel with each number of columns. */
START_TEST(several_columns)
{
    const char *matrix = temporary_file("columns.mtx", mtx_symmetric, -1);
    struct outcome *outcome = run_program(
        "bench " QUICK "--operation spmm --columns 1,33,5 --kernels cpu_csr,cpu_sym_bitwise "
        "--matrix %s",
        matrix);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "\noperation Y = A X with 1, 33 and 5 columns\n");
    expect_text(outcome->output, "; X random (seed 1)\n");
    expect_text(outcome->output, "\ncpu_csr columns=1           PASS ");
    const char *last = strstr(outcome->output, "\ncpu_sym_bitwise columns=33  PASS ");
    ck_assert_ptr_nonnull(last);
    expect_text(last, "\n\ncpu_csr columns=5           PASS ");
    const char *form = strstr(last, "\ncpu_sym_bitwise stores the matrix by ");
    ck_assert(form && !strstr(form + 1, "\ncpu_sym_bitwise stores the matrix by ")); /* once */
    outcome = run_program("bench " QUICK "--operation spmm --kernels cpu_csr --matrix %s", matrix);
    expect_text(outcome->output, "\noperation Y = A X with 8 columns\n");
    outcome = run_program("bench " QUICK "--operation spmm --columns 2,5 --tune "
                          "--kernels cpu_sym_bitwise --matrix %s",
                          matrix);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "\ncpu_sym_bitwise columns=5 form=general ");
    const char *best = strstr(outcome->output, "kernels = (");
    ck_assert_ptr_nonnull(best);
    expect_text(best, "label = \"cpu_sym_bitwise columns=2\"");
    expect_text(best, "label = \"cpu_sym_bitwise columns=5\"");
}
END_TEST

/* Where the kernels are, once for each number of threads. */
START_TEST(sampled_products)
{
    const char *matrix = temporary_file("samples.mtx", mtx_symmetric, -1);
    struct outcome *outcome =
        run_program("bench " QUICK "--operation sddmm --columns 5,33 --sweep threads=1,2 "
                    "--kernels cpu_csr,cpu_sym --baseline 'cpu_sddmm threads=2' --matrix %s",
                    matrix);
    expect_exit(outcome, 0);
    expect_text(outcome->output,
                "\noperation x_i . y_j where A has a stored entry, with 5 and 33 columns\n");
    expect_text(outcome->output, "; X and Y random (seed 1)\n");
    const char *first = strstr(outcome->output, "\ncpu_sddmm threads=1 columns=5   PASS ");
    ck_assert_ptr_nonnull(first);
    expect_text(first, "\ncpu_sddmm threads=2 columns=5   PASS ");
    const char *last = strstr(first, "\n\ncpu_sddmm threads=1 columns=33  PASS ");
    ck_assert_ptr_nonnull(last);
    expect_text(last, "\ncpu_sddmm threads=2 columns=33  PASS ");
    int rows = 0;
    for (const char *at = first; at; at = strstr(at + 1, "\ncpu_sddmm"))
        rows++;
    ck_assert_int_eq(rows, 4);
}
END_TEST

/* On a GPU there are two, and on another machine it is said why not. */
START_TEST(sampled_products_on_a_gpu)
{
    struct outcome *outcome =
        run_program("bench " QUICK "--operation sddmm --columns 40 --kernels cuda_csr_scalar,"
                    "cusparse_full,cpu_csr --matrix %s",
                    temporary_file("samples.mtx", mtx_symmetric, -1));
    expect_exit(outcome, 0);
    const char *line = outcome->output;
    static const char *const names[] = {"\ncuda_sddmm columns=40 ", "\ncusparse_sddmm columns=40 ",
                                        "\ncpu_sddmm columns=40 "};
    for (int k = 0; k < 3; k++) {
        line = strstr(line, names[k]);
        ck_assert_msg(line, "%s is missing in:%s", names[k], outcome->output);
        bool passed = strstr(line, " PASS ") && strstr(line, " PASS ") < strchr(line + 1, '\n');
        bool skipped =
            strstr(line, " skipped  ") && strstr(line, " skipped  ") < strchr(line + 1, '\n');
        ck_assert(passed || (k < 2 && skipped));
    }
}
END_TEST

/* A matrix that is made of a file is another one with other parameters. */
START_TEST(made_of_a_file)
{
    temporary_file("graph.mtx",
                   "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 4\n"
                   "2 1\n3 2\n4 3\n4 1\n",
                   -1);
    char text[1024], csv[256];
    snprintf(text, sizeof text,
             "problem = { type = \"feature_graph\"; graph = \"%s\"; };\nkernels = (\"cpu_csr\");\n",
             temporary_path("graph.mtx"));
    const char *config = temporary_file("graph.cfg", text, -1);
    snprintf(csv, sizeof csv, "%s", temporary_path("graph.csv"));
    expect_exit(run_program("bench " QUICK "--output %s %s", csv, config), 0);
    expect_exit(run_program("bench " QUICK "--output %s --set 'problem.weight=\"rational\"' %s",
                            csv, config),
                0);
    const char *rows = file_text(csv), *gaussian = strstr(rows, ", gaussian, ");
    ck_assert_ptr_nonnull(gaussian);
    expect_text(gaussian, ", rational, ");
}
END_TEST

/* A line of the certificate's table: of y = A b, and of y = A x for the bench's x, whatever it is
 * where NULL. */
static void expect_counts(const struct outcome *outcome, const char *name, const char *of_b,
                          const char *of_x)
{
    char line[128];
    int length = snprintf(line, sizeof line, "\n%-33s  %21s", name, of_b);
    if (of_x)
        snprintf(line + length, sizeof line - (size_t)length, "  %21s\n", of_x);
    expect_exit(outcome, 0);
    expect_text(outcome->output, line);
}

/* The rows whose bits no order of additions changes: all where nothing is rounded, and few where
 * something is. */
START_TEST(rows_are_certified)
{
    struct outcome *outcome = run_program("bench --certificate configs/small-integers.cfg");
    expect_text(outcome->output, "layers, 30 of 512 nodes");
    expect_counts(outcome, "y = A x, x =", "b: unit", "random, seed 1");
    expect_counts(outcome, "rows", "15361", "15361");
    expect_counts(outcome, "certified", "15361 (100 %)", "0 (0 %)");
    expect_counts(outcome, "rows that *_sym_atomic may change", "0", "14848");
    expect_text(outcome->output, "In a certified row no product and no sum rounds");

    /* what random x make of it is the same on every machine; b has whole numbers, and the jump
     * fractions */
    outcome = run_program("bench --certificate configs/nondeterminism.cfg");
    expect_counts(outcome, "certified", "31416 (95.87 %)", "2029 (6.192 %)");
    expect_counts(outcome, "  not: the sum can round", "1352", "20540");
    expect_counts(outcome, "  the first of these (0: none)", "8457", "2");
    outcome = run_program("bench --certificate --quiet --threads 3 --set problem.reorder=rcm "
                          "--set rhs.type=random configs/nondeterminism.cfg");
    expect_text(outcome->output, "b: random ");
    expect_counts(outcome, "  not: the sum can round", "20540", "20521"); /* b goes with its row */
    expect_counts(outcome, "  the first of these (0: none)", "2", "2");
    ck_assert_ptr_null(strstr(outcome->output, "poisson3d"));
    ck_assert_ptr_null(strstr(outcome->output, "In a certified row"));
}
END_TEST

/* A file needs no kernels; a general matrix has no atomic kernels, a rectangular one no right-hand
 * side. */
START_TEST(files_are_certified)
{
    char matrix[256];
    snprintf(matrix, sizeof matrix, "%s",
             temporary_file("certified.mtx",
                            "%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 1\n"
                            "2 1 0.1\n2 2 1\n3 1 1\n3 2 9007199254740992\n",
                            -1));
    const char *x = temporary_file("certified_b.mtx",
                                   "%%MatrixMarket matrix array real general\n3 1\n3\n1\n1\n", -1);
    struct outcome *outcome = run_program(
        "bench --certificate --matrix %s --set 'rhs={type=\"file\";path=\"%s\";}'", matrix, x);
    expect_text(outcome->output, "3 x 3, 9 entries, symmetric");
    expect_text(outcome->output, "b: file");
    expect_counts(outcome, "certified", "0 (0 %)", NULL);
    expect_counts(outcome, "  not: a product rounds", "1", NULL);
    expect_counts(outcome, "  not: the sum can round", "2", NULL);
    expect_counts(outcome, "rows that *_sym_atomic may change", "1", NULL);
    const char *path = temporary_file("certified_general.mtx", mtx_general, -1);
    outcome = run_program("bench --certificate --matrix %s", path);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "b: ones");
    ck_assert_ptr_null(strstr(outcome->output, "_sym_atomic"));
    path = temporary_file("certified_wide.mtx", mtx_wide, -1);
    outcome = run_program("bench --certificate --matrix %s", path);
    expect_exit(outcome, 0);
    expect_text(outcome->output, "2 x 5, 3 entries, general");
    expect_counts(outcome, "y = A x, x =", "random, seed 1", NULL);
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
        {"--kernels cpu_csr --matrix a --set devices=[0,1]", "bench measures on one device"},
        {"--kernels cpu_csr --matrix a --baseline cpu_crs",
         "the baseline \"cpu_crs\" is none of the kernels"},
        {"--kernels cpu_csr --matrix a --operation spmn", "did you mean 'spmv'?"},
        {"--kernels cpu_csr --matrix a --columns 8",
         "bench.columns is for operation \"spmm\" or \"sddmm\", not \"spmv\""},
        {"--kernels cpu_csr --matrix a --operation spmm --columns 8,129", "1..128, not 129"},
        {"--kernels cpu_csr --matrix a --operation spmm --columns 8,2,8",
         "bench.columns: a number stands there twice"},
        {"--kernels cpu_csr --matrix a --operation sddmm --baseline cpu_csr",
         "the baseline \"cpu_csr\" is not in this bench: choose cpu_sddmm"},
        {"--kernels cpu_csr --matrix a --operation sddmm --tune",
         "--tune: sampled products have no parameters"},
        {"--kernels cpu_csr --matrix . --tune", "--tune is for one matrix"},
        {"--certificate", "bench --certificate wants a CONFIG or --matrix"},
        {"--certificate --matrix .", "--certificate is for one matrix, and . is a directory"},
        {"--certificate --matrix a --tune", "--tune: --certificate measures nothing"},
        {"--certificate --matrix a --output b", "--output: --certificate measures nothing"},
        {"--columns 3 --certificate --matrix a", "--columns: --certificate measures nothing"},
        {"--rounds 3 --certificate --matrix a", "--rounds: --certificate measures nothing"},
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
    expect_text(outcome->errors, "no .mtx file below it");
    outcome = run_program("bench --help");
    expect_exit(outcome, 0);
    expect_text(outcome->output, "cgsolve bench [options] CONFIG");
    expect_text(outcome->output, "bench.baseline: a string; may be left out");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {one_matrix_is_told,
                            files_of_every_kind,
                            parameters_are_swept_and_tuned,
                            several_columns,
                            sampled_products,
                            sampled_products_on_a_gpu,
                            made_of_a_file,
                            rows_are_certified,
                            files_are_certified,
                            wrong_calls,
                            NULL};
    return suite_of("main/bench", tests);
}

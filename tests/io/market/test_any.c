/* Files for products alone: every real matrix as it is, and the triangle of one that is symmetric
 * in fact. */
#include "csr_check.h"
#include "io/market/matrix_market.h"
#include "support.h"

#include "general.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GENERAL "%%MatrixMarket matrix coordinate real general\n"

static struct csr read_any(const char *text, struct matrix_market_report *report)
{
    struct csr A;
    struct error error;
    expect_ok(matrix_market_read(temporary_file("a.mtx", text, -1), CSR_GENERAL, 0, NULL, &A,
                                 report, &error),
              &error);
    expect_ok(csr_check(&A, &error), &error);
    return A;
}

/* Its dense form, NaN for what it has not. */
static void expect_dense(const char *text, enum csr_kind kind, int64_t n, int64_t width,
                         const double *wanted)
{
    struct matrix_market_report report;
    struct csr A = read_any(text, &report);
    ck_assert_int_eq(A.kind, kind);
    ck_assert_int_eq(A.n, n);
    ck_assert_int_eq(A.width, width);
    double *dense = general_dense(&A);
    for (int64_t k = 0; k < n * width; k++)
        ck_assert_msg(dense[k] == wanted[k] || (isnan(dense[k]) && isnan(wanted[k])),
                      "%d: %g instead of %g in %s", (int)k, dense[k], wanted[k], text);
    memory_free(dense);
    csr_free(&A);
}

START_TEST(kinds_of_files)
{
    double x = NAN;
    expect_dense(GENERAL "2 3 3\n2 1 5\n1 3 -1\n2 1 .5\n", CSR_GENERAL, 2, 3,
                 (double[]){x, x, -1, 5.5, x, x});
    expect_dense(GENERAL "3 1 1\n3 1 7\n", CSR_GENERAL, 3, 1, (double[]){x, x, 7});
    expect_dense(GENERAL "2 2 0\n", CSR_SYMMETRIC, 2, 2, (double[]){0, x, x, 0});
    expect_dense(GENERAL "2 2 2\n1 2 3\n2 2 0\n", CSR_GENERAL, 2, 2, (double[]){x, 3, x, 0});
    expect_dense(GENERAL "2 2 2\n1 2 3\n2 1 3\n", CSR_SYMMETRIC, 2, 2, (double[]){0, 3, 3, 0});
    expect_dense(GENERAL "2 2 2\n1 2 3\n2 1 -3\n", CSR_SKEW, 2, 2, (double[]){0, 3, -3, 0});
    expect_dense("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n", CSR_GENERAL,
                 2, 3, (double[]){1, 3, 5, 2, 4, 6});
    expect_dense("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n1 2\n", CSR_GENERAL,
                 2, 2, (double[]){1, 1, x, x});
    /* what is declared is what it is, with the diagonal */
    expect_dense("%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 4\n",
                 CSR_SYMMETRIC, 2, 2, (double[]){0, 4, 4, 0});
    expect_dense("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 4\n", CSR_SKEW,
                 2, 2, (double[]){0, -4, 4, 0});
}
END_TEST

START_TEST(the_report_says_what_the_file_does)
{
    struct matrix_market_report report;
    struct csr A = read_any(GENERAL "2 2 3\n1 2 3\n2 1 3\n1 2 0\n", &report);
    ck_assert_int_eq(A.kind, CSR_SYMMETRIC);
    ck_assert_str_eq(report.symmetry, "general");
    ck_assert_str_eq(report.field, "real");
    ck_assert_int_eq(report.entries, 3);
    ck_assert_int_eq(report.duplicates, 1);
    csr_free(&A);
}
END_TEST

START_TEST(faults_are_those_of_every_file)
{
    static const char *const faults[][2] = {
        {GENERAL "2 3 1\n1 4 1\n", "a.mtx:3: "},
        {GENERAL "2 3 2\n1 3 1e308\n1 3 1e308\n", "a.mtx:3: entry (1, 3) is repeated"},
        {"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n", "complex"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", "rectangular"},
        {GENERAL "2 3 2\n1 3 1\n", "the file ends after 1"}};
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
        struct csr A;
        struct error error;
        enum status status = matrix_market_read(temporary_file("a.mtx", faults[k][0], -1),
                                                CSR_GENERAL, 0, NULL, &A, NULL, &error);
        expect_error(status, STATUS_INPUT, &error, faults[k][1], NULL);
        ck_assert_ptr_null(A.offsets);
    }
    struct csr A;
    struct error error;
    expect_error(matrix_market_read(temporary_file("a.mtx", GENERAL "2 3 0\n", -1), CSR_SYMMETRIC,
                                    0, NULL, &A, NULL, &error),
                 STATUS_INPUT, &error, "rectangular", NULL);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A random matrix written in a random order comes back, for any number of threads. */
START_TEST(random_matrices_come_back)
{
    uint64_t state = test_seed();
    for (int repeat = 0; repeat < 6; repeat++) {
        struct csr A;
        general_random(1 + test_random_below(&state, 120), 1 + test_random_below(&state, 120),
                       test_random(&state), &state, &A);
        char *text = NULL;
        size_t size;
        FILE *file = open_memstream(&text, &size);
        fputs(GENERAL, file);
        fprintf(file, "%d %d %d\n", (int)A.n, (int)A.width, (int)A.nnz);
        int32_t *order = test_random_numbering(A.nnz, &state);
        for (int64_t e = 0; e < A.nnz; e++) {
            int64_t i = 0;
            while (A.offsets[i + 1] <= order[e])
                i++;
            fprintf(file, "%d %d %.17g\n", (int)i + 1, A.columns[order[e]] + 1, A.values[order[e]]);
        }
        fclose(file);
        memory_free(order);
        bool general = A.n != A.width;
        for (int threads = 1; threads <= 7; threads += 3) {
            test_threads(threads);
            struct csr read = read_any(text, NULL);
            if (general || read.kind == CSR_GENERAL)
                ck_assert_uint_eq(csr_hash(&read), csr_hash(&A));
            csr_free(&read);
        }
        free(text);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static enum status attempt(void *path, struct error *error)
{
    struct csr A;
    enum status status = matrix_market_read(path, CSR_GENERAL, 0, NULL, &A, NULL, error);
    csr_free(&A);
    return status;
}

START_TEST(failing_allocations)
{
    char path[256];
    snprintf(path, sizeof path, "%s", temporary_file("g.mtx", GENERAL "2 3 2\n1 3 1\n2 1 1\n", -1));
    walk_allocation_failures(attempt, path);
    snprintf(path, sizeof path, "%s", temporary_file("s.mtx", GENERAL "2 2 2\n1 2 1\n2 1 1\n", -1));
    walk_allocation_failures(attempt, path);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {kinds_of_files,
                            the_report_says_what_the_file_does,
                            faults_are_those_of_every_file,
                            random_matrices_come_back,
                            failing_allocations,
                            NULL};
    return suite_of("io/market/any", tests);
}

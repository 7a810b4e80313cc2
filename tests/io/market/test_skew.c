/* General files that hold a skew-symmetric matrix, which is what SciPy's mmwrite makes of one. */
#include "csr_check.h"
#include "io/market/matrix_market.h"
#include "support.h"

#include "matrices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GENERAL "%%MatrixMarket matrix coordinate real general\n"

static struct error error;

/* The entries off the diagonal in a random order, those below the diagonal too where `both`, and
 * some zeros on the diagonal. The caller frees it. */
static char *written(const struct csr *A, bool both, uint64_t *state)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    int64_t count = A->nnz * (both ? 2 : 1), zeros = A->n / 3, lines = zeros;
    int32_t *rows = memory_array(A->nnz, sizeof *rows, "the rows", &error);
    int32_t *order = test_random_numbering(count, state);
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            rows[k] = (int32_t)i;
            lines += (A->columns[k] != i) * (both ? 2 : 1);
        }
    fprintf(file, "%%%%MatrixMarket matrix coordinate real %s\n%d %d %d\n",
            both ? "general" : "skew-symmetric", (int)A->n, (int)A->n, (int)lines);
    for (int64_t i = 0; i < zeros; i++)
        fprintf(file, "%d %d 0\n", (int)(3 * i) + 1, (int)(3 * i) + 1);
    for (int64_t e = 0; e < count; e++) {
        int64_t k = order[e] % A->nnz;
        int i = rows[k] + 1, j = A->columns[k] + 1;
        bool below = both ? order[e] >= A->nnz : test_random(state) < 0.5;
        if (i != j && below)
            fprintf(file, "%d %d %.17g\n", j, i, -A->values[k]);
        else if (i != j)
            fprintf(file, "%d %d %.17g\n", i, j, A->values[k]);
    }
    ck_assert_int_eq(fclose(file), 0);
    memory_free(rows);
    memory_free(order);
    return text;
}

/* Either file gives the bits of the matrix, with any number of threads. */
START_TEST(a_general_file_is_as_good_as_a_skew_symmetric_one)
{
    uint64_t state = test_seed();
    for (int m = 0; m < test_matrices_count; m++) {
        struct csr A;
        if (test_matrices[m].n > 1000)
            continue;
        test_matrix_build(&test_matrices[m], CSR_SKEW, &state, &A);
        for (int both = 0; both < 2; both++) {
            char *text = written(&A, both, &state);
            const char *path = temporary_file("skew.mtx", text, -1);
            free(text);
            for (int threads = 1; threads <= 7; threads += 3) {
                struct csr read;
                struct matrix_market_report report;
                test_threads(threads);
                expect_ok(matrix_market_read(path, CSR_SKEW, 0, NULL, &read, &report, &error),
                          &error);
                ck_assert_int_eq(read.kind, CSR_SKEW);
                ck_assert_uint_eq(csr_hash(&read), csr_hash(&A));
                ck_assert_str_eq(report.symmetry, both ? "general" : "skew-symmetric");
                ck_assert(report.asymmetry == 0 && report.averaged_pairs == 0);
                csr_free(&read);
            }
        }
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(zeros_need_no_partner)
{
    struct csr A;
    const char *path = temporary_file("zeros.mtx",
                                      GENERAL "3 3 7\n1 2 0\n3 1 0\n2 3 4\n3 2 -4\n1 1 0\n"
                                              "2 2 -0\n2 2 0\n",
                                      -1);
    expect_ok(matrix_market_read(path, CSR_SKEW, 0, NULL, &A, NULL, &error), &error);
    expect_ok(csr_check(&A, &error), &error);
    ck_assert_int_eq(A.kind, CSR_SKEW);
    ck_assert_int_eq(A.nnz, 6);
    ck_assert(A.values[1] == 0 && A.values[2] == 0 && A.values[4] == 4);
    csr_free(&A);
}
END_TEST

/* A last bit is a fault, and so is the word of a file that says symmetric but for the method. */
START_TEST(what_is_not_exact_is_refused)
{
    static const struct {
        const char *text, *says[2];
    } faults[] = {
        {GENERAL "3 3 4\n1 3 1\n3 1 -1\n2 3 3\n3 2 -3.0000000000000004\n",
         {"not exactly skew-symmetric",
          "for a(2,3) = 3 (line 5), a(3,2) = -3.0000000000000004 (line 6)"}},
        {GENERAL "3 3 2\n2 3 3\n1 1 0\n", {"a(2,3) = 3 (line 3), a(3,2) is not in the file", ""}},
        {GENERAL "3 3 3\n2 1 3\n1 2 -3\n3 3 1e-300\n",
         {"a(3,3) = 1e-300 (line 5) on the diagonal is not 0", ""}},
        {GENERAL "2 2 4\n1 1 4\n2 1 3\n1 2 3\n2 2 2\n",
         {"a(1,1) = 4 (line 3) on the diagonal is not 0",
          "it is symmetric, as the method \"minres\" wants it"}},
        {GENERAL "2 3 1\n1 2 2\n", {":2: the matrix is rectangular", ""}}};
    for (size_t f = 0; f < sizeof faults / sizeof *faults; f++)
        for (int threads = 1; threads <= 3; threads += 2) {
            struct csr A;
            test_threads(threads);
            const char *path = temporary_file("bad.mtx", faults[f].text, -1);
            enum status status = matrix_market_read(path, CSR_SKEW, 0, NULL, &A, NULL, &error);
            expect_error(status, STATUS_INPUT, &error, path, faults[f].says[0], faults[f].says[1],
                         NULL);
            ck_assert_ptr_null(A.offsets);
            bool hint = strstr(error.text, "the method") != NULL;
            ck_assert_int_eq(hint, *faults[f].says[1] == 'i');
        }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static enum status attempt(void *path, struct error *met)
{
    struct csr A;
    enum status status = matrix_market_read(path, CSR_SKEW, 0, NULL, &A, NULL, met);
    csr_free(&A);
    return status;
}

START_TEST(failing_allocations)
{
    char path[256];
    snprintf(path, sizeof path, "%s",
             temporary_file("a.mtx", GENERAL "3 3 4\n1 3 1\n3 1 -1\n2 3 3\n3 2 -3\n", -1));
    walk_allocation_failures(attempt, path);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_general_file_is_as_good_as_a_skew_symmetric_one,
                            zeros_need_no_partner, what_is_not_exact_is_refused,
                            failing_allocations, NULL};
    return suite_of("io/market/skew", tests);
}

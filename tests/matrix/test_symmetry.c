/* Which general matrices are a triangle's, and the triangle. */
#include "matrix/symmetry.h"

#include "csr_check.h"
#include "support.h"

#include "general.h"
#include "matrices.h"

#include <math.h>
#include <string.h>

static enum csr_kind kind_of_dense(int64_t n, const double *dense)
{
    struct csr A;
    general_from_dense(n, n, dense, &A);
    enum csr_kind kind = csr_kind_in_fact(&A);
    csr_free(&A);
    return kind;
}

START_TEST(kinds)
{
    double x = NAN;
    ck_assert_int_eq(kind_of_dense(1, (double[]){5}), CSR_SYMMETRIC);
    ck_assert_int_eq(kind_of_dense(2, (double[]){x, x, x, x}), CSR_SYMMETRIC);
    ck_assert_int_eq(kind_of_dense(2, (double[]){1, 2, 2, 3}), CSR_SYMMETRIC);
    ck_assert_int_eq(kind_of_dense(2, (double[]){x, 2, 2, x}), CSR_SYMMETRIC);
    ck_assert_int_eq(kind_of_dense(2, (double[]){0, 2, -2, x}), CSR_SKEW);
    ck_assert_int_eq(kind_of_dense(2, (double[]){1, 2, -2, x}), CSR_GENERAL);
    ck_assert_int_eq(kind_of_dense(2, (double[]){1, 2, 2 + 0x1p-51, 3}), CSR_GENERAL);
    ck_assert_int_eq(kind_of_dense(2, (double[]){1, 0, x, 3}), CSR_GENERAL); /* a stored 0 */
    ck_assert_int_eq(kind_of_dense(2, (double[]){1, 0, -0.0, 3}), CSR_SYMMETRIC);
    struct csr A;
    general_from_dense(1, 2, (double[]){1, 1}, &A);
    ck_assert_int_eq(csr_kind_in_fact(&A), CSR_GENERAL);
    csr_free(&A);
}
END_TEST

/* A triangle, expanded and folded again, is the triangle, but for diagonal zeros, which the
 * expansion stores. */
START_TEST(folding_is_expanding_back)
{
    uint64_t state = test_seed();
    struct error error;
    for (int m = 0; m < test_matrices_count; m++)
        for (int skew = 0; skew < 2; skew++) {
            enum csr_kind kind = skew ? CSR_SKEW : CSR_SYMMETRIC;
            struct csr A, full, folded;
            test_matrix_build(&test_matrices[m], kind, &state, &A);
            expect_ok(csr_expand(&A, &full, &error), &error);
            bool diagonal = csr_symmetry(&A).entries == 0; /* of zeros, when it is skew */
            ck_assert_int_eq(csr_kind_in_fact(&full), diagonal ? CSR_SYMMETRIC : kind);
            expect_ok(csr_fold(&full, kind, &folded, &error), &error);
            expect_ok(csr_check(&folded, &error), &error);
            ck_assert_uint_eq(csr_hash(&folded), csr_hash(&A));
            /* one value changed: no longer */
            if (!diagonal) {
                int64_t i = 0, k = 0;
                while (full.columns[k] == i || k == full.offsets[i + 1])
                    k == full.offsets[i + 1] ? i++ : k++;
                full.values[k] = nextafter(full.values[k], 2e9);
                ck_assert_int_eq(csr_kind_in_fact(&full), CSR_GENERAL);
            }
            csr_free(&A);
            csr_free(&full);
            csr_free(&folded);
        }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(missing_diagonals_are_stored_as_zeros)
{
    double x = NAN;
    struct csr A, folded;
    struct error error;
    general_from_dense(3, 3, (double[]){x, 2, x, 2, 5, x, x, x, x}, &A);
    expect_ok(csr_fold(&A, CSR_SYMMETRIC, &folded, &error), &error);
    expect_ok(csr_check(&folded, &error), &error);
    ck_assert_int_eq(folded.nnz, 4);
    double *dense = general_dense(&folded);
    static const double wanted[] = {0, 2, NAN, 2, 5, NAN, NAN, NAN, 0};
    for (int k = 0; k < 9; k++)
        ck_assert(dense[k] == wanted[k] || (isnan(dense[k]) && isnan(wanted[k])));
    memory_free(dense);
    csr_free(&A);
    csr_free(&folded);
}
END_TEST

START_TEST(patterns_are_those_of_both_triangles)
{
    uint64_t state = test_seed();
    struct error error;
    for (int repeat = 0; repeat < 20; repeat++) {
        struct csr A, pattern;
        int64_t n = 1 + test_random_below(&state, 60);
        general_random(n, n, test_random(&state), &state, &A);
        expect_ok(csr_symmetric_pattern(&A, &pattern, &error), &error);
        expect_ok(csr_check(&pattern, &error), &error);
        double *a = general_dense(&A), *p = general_dense(&pattern);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                bool there = i == j || !isnan(a[i * n + j]) || !isnan(a[j * n + i]);
                ck_assert_int_eq(!isnan(p[i * n + j]), there);
            }
        memory_free(a);
        memory_free(p);
        csr_free(&A);
        csr_free(&pattern);
    }
}
END_TEST

static enum status attempt_fold(void *context, struct error *error)
{
    struct csr upper;
    enum status status = csr_fold(context, CSR_SYMMETRIC, &upper, error);
    csr_free(&upper);
    return status;
}

static enum status attempt_pattern(void *context, struct error *error)
{
    struct csr pattern;
    enum status status = csr_symmetric_pattern(context, &pattern, error);
    csr_free(&pattern);
    return status;
}

START_TEST(failing_allocations)
{
    uint64_t state = test_seed();
    struct csr A;
    general_random(20, 20, 0.2, &state, &A);
    walk_allocation_failures(attempt_fold, &A);
    walk_allocation_failures(attempt_pattern, &A);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {kinds,
                            folding_is_expanding_back,
                            missing_diagonals_are_stored_as_zeros,
                            patterns_are_those_of_both_triangles,
                            failing_allocations,
                            NULL};
    return suite_of("matrix/symmetry", tests);
}

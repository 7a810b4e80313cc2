/* ||b - A x|| against exact results: by hand, and in integers that 53 bits cannot hold. */
#include "support.h"

#include "base/threads.h"
#include "matrices.h"
#include "solver/residual.h"
#include "solver/solve.h"
#include "space/vector_norm.h"

#include <math.h>
#include <string.h>

static double norm_of(const struct csr *A, const double *b, const double *x)
{
    return true_residual(2, A, 0, b, x);
}

static void identity(int64_t n, struct csr *A)
{
    struct error error;
    expect_ok(csr_create(A, CSR_SYMMETRIC, n, n, &error), &error);
    for (int64_t i = 0; i < n; i++) {
        A->offsets[i] = A->columns[i] = (int32_t)i;
        A->values[i] = 1;
    }
    A->offsets[n] = n;
}

START_TEST(small_cases_by_hand)
{
    static const double symmetric[] = {2, 0, 3, 5, 6, 8}, skew[] = {0, 0, 3, 0, 6, 0};
    static const double x[] = {1, 10, 100};
    struct csr A, full;
    struct error error;
    /* A x = (302, 650, 863) */
    static const double b[] = {302 + 2, 650 - 3, 863 + 6}, exact[] = {302, 650, 863};
    test_matrix_from_dense(3, symmetric, CSR_SYMMETRIC, &A);
    ck_assert(norm_of(&A, b, x) == 7);
    ck_assert(norm_of(&A, exact, x) == 0);
    expect_ok(csr_expand(&A, &full, &error), &error);
    ck_assert(norm_of(&full, b, x) == 7);
    csr_free(&A);
    csr_free(&full);
    /* A x = (300, 600, -63) */
    static const double b_skew[] = {300 - 2, 600 - 3, -63 - 6};
    test_matrix_from_dense(3, skew, CSR_SKEW, &A);
    ck_assert(norm_of(&A, b_skew, x) == 7);
    expect_ok(csr_expand(&A, &full, &error), &error);
    ck_assert(norm_of(&full, b_skew, x) == 7);
    csr_free(&A);
    csr_free(&full);
}
END_TEST

/* Row 0 of A x is (2^27 + 1)^2 - 2^54 = 2^28 + 1, and the square has 55 bits: in working precision,
 * fused or not, r_0 comes out as 0 instead of -1. Row 1 is -2^81 exactly. */
START_TEST(a_lost_bit_is_found)
{
    static const double upper[] = {0x1p27 + 1, -0x1p54, 0x1p54};
    static const double x[] = {0x1p27 + 1, 1}, b[] = {0x1p28, -0x1p81};
    struct csr A;
    test_matrix_from_dense(2, upper, CSR_SYMMETRIC, &A);
    double plain[2];
    csr_multiply(&A, x, plain);
    ck_assert(b[0] - plain[0] == 0);
    ck_assert(norm_of(&A, b, x) == 1);
    csr_free(&A);
}
END_TEST

static int64_t whole(uint64_t *state)
{
    return test_random_below(state, INT64_C(1) << 29) - (INT64_C(1) << 28);
}

/* The residual in 64-bit integers: entries and x below 2^28, so that up to 60 products fit. */
static void integers(const struct csr *full, const double *x, double *b, double *norm)
{
    double squares = 0;
    for (int64_t i = 0; i < full->n; i++) {
        int64_t sum = 0;
        for (int64_t k = full->offsets[i]; k < full->offsets[i + 1]; k++)
            sum += (int64_t)full->values[k] * (int64_t)x[full->columns[k]];
        b[i] = (double)sum; /* rounded: at most 2^8 away */
        int64_t r = (int64_t)b[i] - sum;
        squares += (double)(r * r);
    }
    *norm = sqrt(squares);
}

START_TEST(residuals_of_integers_are_exact)
{
    uint64_t state = test_seed();
    struct error error;
    for (int m = 0; m < test_matrices_count; m++) {
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind *= 2) {
            struct csr A, full;
            test_matrix_build(&test_matrices[m], kind, &state, &A);
            bool dense = strstr(test_matrices[m].name, "dense") != NULL;
            for (int64_t k = 0; k < A.nnz; k++)
                A.values[k] = A.values[k] == 0 ? 0 : (double)(whole(&state) >> (dense ? 5 : 0));
            expect_ok(csr_expand(&A, &full, &error), &error);
            double *x = memory_array(2 * A.n, sizeof *x, "x and b", &error), *b = x + A.n, wanted;
            for (int64_t i = 0; i < A.n; i++)
                x[i] = (double)whole(&state);
            integers(&full, x, b, &wanted);
            ck_assert(wanted > 1 || A.n < 10 || dense || kind == CSR_SKEW);
            ck_assert(fabs(norm_of(&A, b, x) - wanted) <= 1e-12 * wanted);
            ck_assert(fabs(norm_of(&full, b, x) - wanted) <= 1e-12 * wanted);
            memory_free(x);
            csr_free(&A);
            csr_free(&full);
        }
    }
}
END_TEST

START_TEST(tiny_and_huge_residuals_are_kept)
{
    static const int exponents[] = {-1074, -1060, -700, -538, 0, 500, 700, 1020};
    static const double zero[3];
    struct csr A;
    identity(3, &A);
    for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++) {
        double b[] = {ldexp(-3, exponents[k]), 0, ldexp(4, exponents[k])};
        ck_assert(norm_of(&A, b, zero) == ldexp(5, exponents[k]));
    }
    static const double decimal[] = {3e-200, -4e-200, 0}, huge[] = {3e200, 0, 4e200};
    static const double mixed[] = {0x1p-700, -0x1p700, 1};
    ck_assert_double_eq_tol(norm_of(&A, decimal, zero), 5e-200, 1e-215);
    ck_assert_double_eq_tol(norm_of(&A, huge, zero), 5e200, 1e185);
    ck_assert(norm_of(&A, mixed, zero) == 0x1p700);
    ck_assert(norm_of(&A, zero, zero) == 0);
    csr_free(&A);
}
END_TEST

/* 0.1 a million times: a plain sum of the squares is off in the 12th digit. */
START_TEST(long_norms_are_accurate)
{
    enum { N = 1000000 };
    struct error error;
    struct csr A;
    identity(N, &A);
    double *b = memory_array(N, sizeof *b, "b", &error),
           *x = memory_zeros(N, sizeof *x, "x", &error);
    for (int64_t i = 0; i < N; i++)
        b[i] = 0.1;
    ck_assert_double_eq_tol(norm_of(&A, b, x), 100, 3e-14);
    memory_free(b);
    memory_free(x);
    csr_free(&A);
}
END_TEST

START_TEST(what_is_not_finite_gives_nan)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    struct csr A;
    identity(5, &A);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 5; i++) {
            double x[5] = {1, 2, 3, 4, 5}, b[5] = {1, 2, 3, 4, 5};
            x[i] = bad[k];
            ck_assert(isnan(norm_of(&A, b, x)));
            x[i] = i + 1;
            ck_assert(norm_of(&A, b, x) == 0);
            b[i] = bad[k];
            ck_assert(isnan(norm_of(&A, b, x)));
        }
    }
    csr_free(&A);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    static const double b[3], x[3];
    double norm;
    struct threads *threads;
    enum status status = threads_create(2, &threads, error);
    if (!status)
        status = residual_norm(threads, context, 0, b, x, &norm, error);
    threads_destroy(threads);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    struct csr A;
    identity(3, &A);
    walk_allocation_failures(attempt, &A);
    csr_free(&A);
}
END_TEST

/* Residuals and norms have the same bits for any number of threads, and a NaN anywhere is found. */
START_TEST(threads_change_no_bit)
{
    static const int counts[] = {1, 2, 3, 7};
    uint64_t state = test_seed();
    for (int m = 0; m < test_matrices_count; m++)
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind++) {
            struct csr A;
            struct error error;
            test_matrix_build(&test_matrices[m], kind, &state, &A);
            double *x = memory_array(A.n, sizeof *x, "x", &error), first_norm = NAN;
            struct compensated *first = memory_zeros(A.n, sizeof *first, "a residual", &error);
            struct compensated *r = memory_array(A.n, sizeof *r, "a residual", &error);
            ck_assert(x && first && r);
            for (int64_t i = 0; i < A.n; i++)
                x[i] = (2 * test_random(&state) - 1) * (i % 7 == 1 ? 1e9 : 1);
            for (int t = 0; t < 4; t++) {
                struct threads *threads;
                expect_ok(threads_create(counts[t], &threads, &error), &error);
                memset(r, 0, (size_t)A.n * sizeof *r);
                residual_subtract_product(threads, &A, x, t == 0 ? first : r);
                double norm = vector_norm(threads, A.n, x);
                first_norm = t == 0 ? norm : first_norm;
                ck_assert_msg(norm == first_norm, "%s", test_matrices[m].name);
                ck_assert_msg(t == 0 || !memcmp(r, first, (size_t)A.n * sizeof *r), "%s",
                              test_matrices[m].name);
                for (int64_t i = 0; i < A.n; i += A.n / 3 + 1) {
                    double kept = x[i];
                    x[i] = NAN;
                    ck_assert(isnan(vector_norm(threads, A.n, x)));
                    x[i] = kept;
                }
                threads_destroy(threads);
            }
            memory_free(x);
            memory_free(first);
            memory_free(r);
            csr_free(&A);
        }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {small_cases_by_hand,
                            a_lost_bit_is_found,
                            residuals_of_integers_are_exact,
                            tiny_and_huge_residuals_are_kept,
                            long_norms_are_accurate,
                            what_is_not_finite_gives_nan,
                            every_failed_allocation_is_survived,
                            threads_change_no_bit,
                            NULL};
    return suite_of("solver/residual", tests);
}

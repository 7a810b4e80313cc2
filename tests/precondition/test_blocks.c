/* Jacobi and block Jacobi: against the inverses in higher precision, and what has none. */
#include "support.h"

#include "base/random.h"
#include "matrices.h"
#include "options.h"
#include "precondition/preconditioned.h"
#include "solver/solve.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct preconditioned_history history, other;

/* inverse[m m] of the m x m matrix a, by Gauss and Jordan without pivots: it is positive
 * definite. */
static void invert(int64_t m, long double *a, long double *inverse)
{
    for (int64_t i = 0; i < m * m; i++)
        inverse[i] = i % (m + 1) == 0;
    for (int64_t k = 0; k < m; k++) {
        long double pivot = a[k * m + k];
        for (int64_t j = 0; j < m; j++) {
            a[k * m + j] /= pivot;
            inverse[k * m + j] /= pivot;
        }
        for (int64_t i = 0; i < m; i++) {
            long double factor = a[i * m + k];
            for (int64_t j = 0; i != k && j < m; j++) {
                a[i * m + j] -= factor * a[k * m + j];
                inverse[i * m + j] -= factor * inverse[k * m + j];
            }
        }
    }
}

static struct options blocks_of(int64_t rows)
{
    char text[32];
    snprintf(text, sizeof text, "block=%d", (int)rows);
    return test_options(COMPONENT_PRECONDITIONER, "block_jacobi", text, NULL);
}

static long double norm(int64_t count, const long double *v)
{
    long double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += v[i] * v[i];
    return sqrtl(sum);
}

/* One block of m rows. With D = L diag(d) L', W = L^-1 and B computed, and norms of Frobenius
 * (Higham 2002, theorem 10.3, section 14.2 and lemma 6.6):
 *     L diag(d) L' = D + E, |E| <= gamma_{m+1} |L| diag(d) |L'|, whose norm is at most m ||D||,
 *     W off by a factor I + G with ||d^{-1/2} G d^{1/2}|| <= gamma_m m kappa^{1/2},
 *     the sums of B off by gamma_{m+2} |W'| diag(1/d) |W|, of norm at most m ||D^-1||,
 * so ||B - D^-1|| <= 4 m gamma_{m+2} kappa ||D^-1|| to first order, and the sums of z add gamma_m
 * m^{1/2} ||B|| ||r||. Twice 5 m gamma_{m+2} kappa ||D^-1|| ||r|| covers both, the second order,
 * and the reference. */
static void compare_block(const long double *dense, int64_t n, int64_t first, int64_t m,
                          const double *r, const double *z)
{
    static long double a[32 * 32], inverse[32 * 32], distance[32], part[32];
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++)
            a[i * m + j] = dense[(first + i) * n + first + j];
    long double size = norm(m * m, a);
    invert(m, a, inverse);
    for (int64_t i = 0; i < m; i++) {
        distance[i] = (long double)z[first + i];
        part[i] = (long double)r[first + i];
        for (int64_t j = 0; j < m; j++)
            distance[i] -= inverse[i * m + j] * (long double)r[first + j];
    }
    long double inverse_size = norm(m * m, inverse), u = 0x1p-53L;
    long double bound = 10 * (long double)m * (long double)(m + 2) * u * size * inverse_size *
                        inverse_size * norm(m, part);
    ck_assert_msg(norm(m, distance) <= bound, "rows %d to %d of %d: off by %Lg, bound %Lg",
                  (int)first, (int)(first + m - 1), (int)n, norm(m, distance), bound);
}

START_TEST(an_apply_is_the_inverse_of_the_blocks)
{
    static const int64_t blocks[] = {1, 2, 3, 4, 5, 6, 7, 8, 31, 32};
    static double r[2000], z[2000];
    uint64_t state = test_seed();
    for (int t = 0; t < test_matrices_count; t++) {
        struct csr A;
        test_matrix_build_positive(&test_matrices[t], &state, &A);
        long double *dense = dense_of(&A);
        for (int64_t i = 0; i < A.n; i++)
            r[i] = 2 * test_random(&state) - 1;
        for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
            struct options options = blocks_of(blocks[k]);
            double dot;
            apply_once(&options, 1 + (int)k % 3, &A, r, z, &dot);
            options_free(&options);
            for (int64_t first = 0; first < A.n; first += blocks[k])
                compare_block(dense, A.n, first, A.n - first < blocks[k] ? A.n - first : blocks[k],
                              r, z);
            ck_assert(dot == ordered_dot(A.n, r, z));
        }
        memory_free(dense);
        csr_free(&A);
    }
}
END_TEST

START_TEST(jacobi_is_a_product_with_the_reciprocal)
{
    static double r[2000], z[2000], blocks[2000];
    uint64_t state = test_seed();
    for (int t = 0; t < test_matrices_count; t++) {
        struct csr A;
        test_matrix_build_positive(&test_matrices[t], &state, &A);
        for (int64_t i = 0; i < A.n; i++)
            r[i] = 2 * test_random(&state) - 1;
        struct options options = preconditioner_tried(1), ones = blocks_of(1);
        double dot;
        apply_once(&options, 0, &A, r, z, &dot);
        for (int64_t i = 0; i < A.n; i++)
            ck_assert(z[i] == r[i] * (1 / A.values[A.offsets[i]]));
        ck_assert(dot == ordered_dot(A.n, r, z));
        apply_once(&ones, 0, &A, r, blocks, &dot);
        ck_assert_mem_eq(z, blocks, (size_t)A.n * sizeof *z);
        options_free(&options);
        options_free(&ones);
        csr_free(&A);
    }
}
END_TEST

/* Textbook PCG, one operation a line, by csr_multiply and the reproducible dot. */
static void textbook_jacobi(const struct csr *A, const double *b, int64_t iterations,
                            struct preconditioned_history *made, double *x)
{
    static double r[SOLVE_N], z[SOLVE_N], p[SOLVE_N], q[SOLVE_N], inverse[SOLVE_N];
    double beta = 0;
    for (int64_t i = 0; i < A->n; i++) {
        inverse[i] = 1 / A->values[A->offsets[i]];
        x[i] = 0;
        r[i] = b[i];
        p[i] = z[i] = inverse[i] * r[i];
    }
    double rho = ordered_dot(A->n, r, z);
    made->rows[0] = row_of(0, sqrt(ordered_dot(A->n, r, r)), NAN, NAN);
    for (int64_t k = 1; k <= iterations; k++) {
        csr_multiply(A, p, q);
        double alpha = rho / ordered_dot(A->n, p, q);
        for (int64_t i = 0; i < A->n; i++) {
            x[i] = fma(alpha, p[i], x[i]);
            r[i] = fma(-alpha, q[i], r[i]);
            z[i] = inverse[i] * r[i];
        }
        double old = rho;
        rho = ordered_dot(A->n, r, z);
        made->rows[k] = row_of(k, sqrt(ordered_dot(A->n, r, r)), alpha, beta);
        beta = rho / old;
        for (int64_t i = 0; i < A->n; i++)
            p[i] = fma(beta, p[i], z[i]);
    }
    made->count = iterations + 1;
}

START_TEST(the_history_is_the_textbook_s)
{
    static const char *const kernels[] = {"cpu_csr", "cpu_sym", "cpu_sym_bitwise"};
    static double b[SOLVE_N], x[SOLVE_N], y[SOLVE_N];
    uint64_t state = test_seed();
    for (int t = 0; t <= test_matrices_count; t++) {
        struct csr A;
        if (t < test_matrices_count)
            test_matrix_build_positive(&test_matrices[t], &state, &A);
        else
            grid(20, 1e4, &A);
        random_vector(t, A.n, b);
        for (int k = 0; k < 3; k++) {
            struct preconditioned choice = {.kernel = kernels[k],
                                            .tolerance = 1e-10,
                                            .threads = 1 + k,
                                            .options = preconditioner_tried(1)};
            solve_preconditioned(&choice, &A, b, &history, x);
            options_free(&choice.options);
            ck_assert_int_eq(history.result.reason, REASON_CONVERGED);
            ck_assert_int_eq(history.result.products, history.result.iterations + 1);
            textbook_jacobi(&A, b, history.result.iterations, &other, y);
            expect_same_history(&history, &other, kernels[k]);
            ck_assert_mem_eq(x, y, (size_t)A.n * sizeof *x);
        }
        csr_free(&A);
    }
}
END_TEST

START_TEST(one_block_takes_one_iteration)
{
    static double b[32], x[32];
    uint64_t state = test_seed();
    for (int64_t n = 1; n <= 32; n++) {
        double upper[32 * 33 / 2], *value = upper;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i; j < n; j++)
                *value++ = i == j ? 40 : 2 * test_random(&state) - 1;
        struct csr A;
        test_matrix_from_dense(n, upper, CSR_SYMMETRIC, &A);
        random_vector(n, n, b);
        struct preconditioned choice = {
            .kernel = "cpu_csr", .tolerance = 1e-12, .options = blocks_of(32)};
        solve_preconditioned(&choice, &A, b, &history, x);
        options_free(&choice.options);
        ck_assert_int_eq(history.result.reason, REASON_CONVERGED);
        ck_assert_int_eq(history.result.iterations, 1);
        csr_free(&A);
    }
}
END_TEST

/* The options are freed. */
static void expect_fault(const struct csr *A, struct options options, const char *rows,
                         const char *value)
{
    struct error error;
    struct preconditioned choice = {.kernel = "cpu_csr", .tolerance = 0.1, .options = options};
    double b[64] = {0}, x[64];
    expect_error(try_preconditioned(&choice, A, b, &history, x, &error), STATUS_CONFIG, &error,
                 options.component->name, rows, value, NULL);
    ck_assert_msg(!strstr(error.text, "nan"), "%s", error.text);
    options_free(&options);
}

START_TEST(what_is_not_positive_definite_is_named)
{
    struct csr A;
    double values[50];
    static const double bad[] = {0, -3, 0x1p-1060};
    static const char *const shown[] = {" 0 on the diagonal", "-3 on the diagonal",
                                        "whose inverse overflows"};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 50; i++)
            values[i] = i < 40 ? 2 : bad[k]; /* the first of them is named */
        diagonal(50, values, &A);
        expect_fault(&A, preconditioner_tried(1), "row 41 ", shown[k]);
        csr_free(&A);
    }
    /* the second block of three rows: the third row is the sum of the others */
    static const double upper[] = {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1,
                                   0, 0, 0, 0, 4, 0, 4, 0, 1, 1, 0, 5, 0, 1};
    test_matrix_from_dense(7, upper, CSR_SYMMETRIC, &A);
    expect_fault(&A, blocks_of(3), "rows 4 to 6", "pivot of row 6 is 0");
    csr_free(&A);
    static const double tied[] = {1, 2, 3, 1, 1, 9};
    test_matrix_from_dense(3, tied, CSR_SYMMETRIC, &A);
    expect_fault(&A, blocks_of(2), "rows 1 to 2", "pivot of row 2 is -3");
    csr_free(&A);
    struct error error;
    struct options options = blocks_of(32);
    expect_error(options_set(&options, "block", "33", &error), STATUS_CONFIG, &error,
                 "block wants a whole number, 1..32, not 33", NULL);
    options_free(&options);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {
        an_apply_is_the_inverse_of_the_blocks,  jacobi_is_a_product_with_the_reciprocal,
        the_history_is_the_textbook_s,          one_block_takes_one_iteration,
        what_is_not_positive_definite_is_named, NULL};
    return suite_of("precondition/blocks", tests);
}

/* Right-hand sides: the random stream against its published values, and b = A x. */
#include "support.h"

#include "base/random.h"
#include "matrices.h"
#include "options.h"
#include "problem/rhs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* splitmix64 as it was published, with a state that moves on. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double uniform(uint64_t bits)
{
    return (double)(int64_t)(bits >> 11) / 0x1p52 - 1;
}

static double *vector(int64_t n)
{
    struct error error;
    double *v = memory_array(n, sizeof *v, "a test vector", &error);
    ck_assert_ptr_nonnull(v);
    for (int64_t i = 0; i < n; i++)
        v[i] = NAN;
    return v;
}

/* The five numbers that every implementation of splitmix64 is tested with. */
START_TEST(the_published_values_come_out)
{
    static const uint64_t published[] = {
        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
        UINT64_C(4593380528125082431), UINT64_C(16408922859458223821)};
    uint64_t state = 1234567;
    double v[5];
    random_vector(1234567, 5, v);
    for (int k = 0; k < 5; k++) {
        ck_assert_uint_eq(next(&state), published[k]);
        ck_assert_msg(v[k] == uniform(published[k]), "v[%d] = %a", k, v[k]);
    }
    ck_assert_msg(v[0] == -0x1.33097f4027b84p-2, "v[0] = %a", v[0]);
}
END_TEST

START_TEST(any_number_of_threads_draws_the_same)
{
    static const int64_t seeds[] = {0, 1, 42, INT64_MAX};
    static const int counts[] = {1, 2, 3, 7};
    enum { N = 100003 };
    double *v = vector(N);
    for (int s = 0; s < 4; s++) {
        for (int t = 0; t < 4; t++) {
            test_threads(counts[t]);
            for (int64_t i = 0; i < N; i++)
                v[i] = NAN;
            random_vector(seeds[s], N, v);
            uint64_t state = (uint64_t)seeds[s];
            for (int64_t i = 0; i < N; i++) {
                double wanted = uniform(next(&state));
                if (v[i] != wanted)
                    ck_abort_msg("seed %lld, %d threads: v[%d] = %a instead of %a",
                                 (long long)seeds[s], counts[t], (int)i, v[i], wanted);
            }
        }
    }
    memory_free(v);
}
END_TEST

/* Mean 0 and mean square 1/3 within five standard deviations: 0.577 / sqrt(n), and 0.298 / sqrt(n)
 * of the square. */
START_TEST(the_values_fill_the_interval)
{
    enum { N = 1000000 };
    double *v = vector(N), sum = 0, squares = 0, lowest = 1, highest = -1;
    random_vector(7, N, v);
    for (int64_t i = 0; i < N; i++) {
        sum += v[i];
        squares += v[i] * v[i];
        lowest = fmin(lowest, v[i]);
        highest = fmax(highest, v[i]);
    }
    ck_assert_double_eq_tol(sum / N, 0, 5 * 0.577e-3);
    ck_assert_double_eq_tol(squares / N, 1.0 / 3, 5 * 0.298e-3);
    ck_assert(lowest >= -1 && lowest < -0.9999);
    ck_assert(highest < 1 && highest > 0.9999);
    memory_free(v);
}
END_TEST

static double *filled(const struct csr *A, struct options rhs)
{
    double *b = vector(A->n);
    test_rhs_fill(rhs, A, 0, b);
    return b;
}

START_TEST(ones_and_random)
{
    struct csr A;
    uint64_t state = 1;
    test_matrix_build(&test_matrices[2], CSR_SYMMETRIC, &state, &A);
    double *ones = filled(&A, test_options(COMPONENT_RHS, "ones", NULL));
    for (int64_t i = 0; i < A.n; i++)
        ck_assert(ones[i] == 1);
    double *drawn = filled(&A, test_options(COMPONENT_RHS, "random", "seed=99", NULL)),
           *wanted = vector(A.n);
    random_vector(99, A.n, wanted);
    ck_assert_mem_eq(drawn, wanted, (size_t)A.n * sizeof *drawn);
    double *other = filled(&A, test_options(COMPONENT_RHS, "random", "seed=100", NULL));
    ck_assert_mem_ne(drawn, other, (size_t)A.n * sizeof *drawn);
    memory_free(ones);
    memory_free(drawn);
    memory_free(wanted);
    memory_free(other);
    csr_free(&A);
}
END_TEST

START_TEST(a_single_one)
{
    struct error error;
    struct csr A;
    uint64_t state = 1;
    test_matrix_build(&test_matrices[2], CSR_SYMMETRIC, &state, &A);
    for (int64_t row = 1; row <= A.n; row++) {
        char text[32];
        snprintf(text, sizeof text, "row=%d", (int)row);
        double *b = filled(&A, test_options(COMPONENT_RHS, "unit", text, NULL));
        for (int64_t i = 0; i < A.n; i++)
            ck_assert(b[i] == (i == row - 1));
        memory_free(b);
    }
    double b[1];
    struct options outside = test_options(COMPONENT_RHS, "unit", "row=2147483647", NULL);
    expect_error(rhs_fill(&outside, &A, 0, 1, b, &error), STATUS_CONFIG, &error, "rhs.row", NULL);
    expect_error(options_set(&outside, "row", "0", &error), STATUS_CONFIG, &error, "row wants",
                 NULL);
    options_free(&outside);
    csr_free(&A);
}
END_TEST

/* Each b_i is the chain of its full row. */
static void expect_product(const struct csr *A, const double *x, const double *b)
{
    struct error error;
    struct csr full;
    expect_ok(csr_expand(A, &full, &error), &error);
    for (int64_t i = 0; i < A->n; i++) {
        double sum = 0;
        for (int64_t k = full.offsets[i]; k < full.offsets[i + 1]; k++)
            sum = fma(full.values[k], x[full.columns[k]], sum);
        ck_assert_mem_eq(&b[i], &sum, sizeof sum);
    }
    csr_free(&full);
}

START_TEST(a_known_solution_is_multiplied)
{
    uint64_t state = test_seed();
    for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind *= 2) {
        struct csr A;
        test_matrix_build(&test_matrices[test_matrices_count - 3], kind, &state, &A);
        double *x = vector(A.n);
        for (int64_t i = 0; i < A.n; i++)
            x[i] = 1;
        double *b = filled(&A, test_options(COMPONENT_RHS, "solution", NULL));
        expect_product(&A, x, b);
        memory_free(b);
        random_vector(5, A.n, x);
        b = filled(&A, test_options(COMPONENT_RHS, "solution", "x=random", "seed=5", NULL));
        expect_product(&A, x, b);
        memory_free(b);
        memory_free(x);
        csr_free(&A);
    }
}
END_TEST

struct attempt {
    struct options rhs;
    struct csr A;
};

static enum status attempt(void *context, struct error *error)
{
    struct attempt *with = context;
    double b[2] = {0};
    return rhs_fill(&with->rhs, &with->A, 0, 1, b, error);
}

START_TEST(failures)
{
    static const double upper[] = {2, 1, 3};
    struct attempt with = {.rhs =
                               test_options(COMPONENT_RHS, "solution", "x=random", "seed=5", NULL)};
    test_matrix_from_dense(2, upper, CSR_SYMMETRIC, &with.A);
    walk_allocation_failures(attempt, &with);
    csr_free(&with.A);
    options_free(&with.rhs);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_published_values_come_out,
                            any_number_of_threads_draws_the_same,
                            the_values_fill_the_interval,
                            ones_and_random,
                            a_single_one,
                            a_known_solution_is_multiplied,
                            failures,
                            NULL};
    return suite_of("problem/rhs", tests);
}

/* Chebyshev's polynomial: against its recurrence in higher precision, where it is positive, and the
 * bounds that it takes for itself. */
#include "support.h"

#include "base/random.h"
#include "matrices.h"
#include "precondition/preconditioned.h"
#include "precondition/spectrum.h"
#include "solver/solve.h"
#include "spaces.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 64 };

static struct preconditioned_history history, other;

/* What one step adds to the error, and what it makes of the errors before it: z = c0 z' + c1
 * z'' + c2 r + c3 y, four roundings, coefficients with at most 8 of their own, and y = A z' with
 * one a term of its row (Higham 2002, section 3.1). */
static const long double STEP = 16;

struct wanted {
    long double z[N], bound[N];
};

/* s(A) r by the recurrence of src/precondition/chebyshev.c, and element by element how far the same
 * in double, with its coefficients multiplied out, may lie from it: E_k = |c0| E' + |c1| E'' + |c3|
 * (|A| E') + roundings. */
static void recurrence(const long double *A, int64_t n, const double *r, double low, double high,
                       int64_t degree, struct wanted *wanted)
{
    long double u = 0x1p-53L, theta = ((long double)high + (long double)low) / 2,
                delta = ((long double)high - (long double)low) / 2, sigma = theta / delta,
                rho = 1 / sigma, z[N], before[N] = {0}, e[N], e_before[N] = {0};
    for (int64_t i = 0; i < n; i++) {
        z[i] = (long double)r[i] / theta;
        e[i] = 4 * u * fabsl(z[i]);
    }
    for (int64_t k = 1; k <= degree; k++) {
        long double old = rho, next[N], e_next[N];
        rho = 1 / (2 * sigma - old);
        long double along = rho * old, across = 2 * rho / delta;
        for (int64_t i = 0; i < n; i++) {
            long double y = 0, size = 0, carried = 0;
            for (int64_t j = 0; j < n; j++) {
                y += A[i * n + j] * z[j];
                size += fabsl(A[i * n + j] * z[j]);
                carried += fabsl(A[i * n + j]) * e[j];
            }
            next[i] = z[i] + along * (z[i] - before[i]) + across * ((long double)r[i] - y);
            long double sizes = (1 + along) * fabsl(z[i]) + along * fabsl(before[i]) +
                                across * fabsl((long double)r[i]);
            e_next[i] = (1 + along) * e[i] + along * e_before[i] + across * carried +
                        u * (STEP * sizes + (STEP + (long double)n) * across * size);
        }
        memcpy(before, z, sizeof z);
        memcpy(z, next, sizeof z);
        memcpy(e_before, e, sizeof e);
        memcpy(e, e_next, sizeof e);
    }
    memcpy(wanted->z, z, sizeof z);
    memcpy(wanted->bound, e, sizeof e);
}

/* A symmetric matrix of n rows whose eigenvalues lie in [-radius, radius] + shift, by Gershgorin's
 * circles. */
static double random_matrix(int64_t n, double shift, uint64_t *state, struct csr *A)
{
    static double upper[N * (N + 1) / 2];
    static double sums[N];
    double *value = upper, radius = 0;
    memset(sums, 0, sizeof sums);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++) {
            *value = i == j ? shift : test_random(state) < 0.2 ? 2 * test_random(state) - 1 : 0;
            if (i != j) {
                sums[i] += fabs(*value);
                sums[j] += fabs(*value);
            }
            value++;
        }
    for (int64_t i = 0; i < n; i++)
        radius = fmax(radius, sums[i]);
    test_matrix_from_dense(n, upper, CSR_SYMMETRIC, A);
    return radius;
}

START_TEST(an_apply_is_the_polynomial)
{
    uint64_t state = test_seed();
    for (int64_t degree = 1; degree <= 9; degree++)
        for (int trial = 0; trial < 8; trial++) {
            int64_t n = 1 + test_random_below(&state, N);
            double r[N], z[N], dot, shift = trial % 2 ? 20 : 1;
            struct csr A;
            double high = shift + random_matrix(n, shift, &state, &A) + 1,
                   low = high * (trial % 4 < 2 ? 0.2 : 1e-4);
            for (int64_t i = 0; i < n; i++)
                r[i] = 2 * test_random(&state) - 1;
            struct options options = chebyshev_options(degree, low, high);
            apply_once(&options, 1 + trial % 3, &A, r, z, &dot);
            options_free(&options);
            long double *dense = dense_of(&A);
            struct wanted wanted;
            recurrence(dense, n, r, low, high, degree, &wanted);
            for (int64_t i = 0; i < n; i++)
                ck_assert_msg(fabsl((long double)z[i] - wanted.z[i]) <= wanted.bound[i],
                              "degree %d, z[%d] = %.17g instead of %.17Lg, bound %Lg", (int)degree,
                              (int)i, z[i], wanted.z[i], wanted.bound[i]);
            ck_assert(dot == ordered_dot(n, r, z));
            memory_free(dense);
            csr_free(&A);
        }
}
END_TEST

/* Whether the symmetric matrix m[n n] is positive definite, by Cholesky's factorisation. */
static bool is_positive(int64_t n, long double *m)
{
    for (int64_t j = 0; j < n; j++) {
        for (int64_t k = 0; k < j; k++)
            m[j * n + j] -= m[j * n + k] * m[j * n + k];
        if (!(m[j * n + j] > 0))
            return false;
        m[j * n + j] = sqrtl(m[j * n + j]);
        for (int64_t i = j + 1; i < n; i++) {
            for (int64_t k = 0; k < j; k++)
                m[i * n + j] -= m[i * n + k] * m[j * n + k];
            m[i * n + j] /= m[j * n + j];
        }
    }
    return true;
}

/* M^-1 column by column: symmetric within the bounds of its elements; then whether it is positive
 * definite. */
static bool inverse_is_positive(const struct csr *A, double low, double high, int64_t degree)
{
    static long double m[N * N], bound[N * N];
    int64_t n = A->n;
    long double *dense = dense_of(A);
    for (int64_t j = 0; j < n; j++) {
        double unit[N] = {0}, z[N], dot;
        struct options options = chebyshev_options(degree, low, high);
        struct wanted wanted;
        unit[j] = 1;
        apply_once(&options, 0, A, unit, z, &dot);
        options_free(&options);
        recurrence(dense, n, unit, low, high, degree, &wanted);
        ck_assert(dot == z[j]);
        for (int64_t i = 0; i < n; i++) {
            m[i * n + j] = (long double)z[i];
            bound[i * n + j] = wanted.bound[i];
        }
    }
    memory_free(dense);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            ck_assert(fabsl(m[i * n + j] - m[j * n + i]) <= bound[i * n + j] + bound[j * n + i]);
    return is_positive(n, m);
}

/* All eigenvalues below high + low: it is, whatever their sign. Beyond, an even degree still is and
 * an odd one is not: an eigenvalue of a diagonal matrix at 2 high. */
START_TEST(it_is_positive_where_it_is_said_to_be)
{
    uint64_t state = test_seed();
    for (int64_t degree = 1; degree <= 6; degree++) {
        struct csr A;
        for (int trial = 0; trial < 4; trial++) {
            double shift = trial < 2 ? 12 : 0.5; /* indefinite */
            double high =
                shift + random_matrix(1 + test_random_below(&state, 30), shift, &state, &A);
            ck_assert(
                inverse_is_positive(&A, high * (trial % 2 ? 1e-3 : 0.3), high * 1.0001, degree));
            csr_free(&A);
        }
        static const double beyond[] = {0.1, 1, 2};
        diagonal(3, beyond, &A);
        ck_assert(inverse_is_positive(&A, 0.05, 1, degree) == (degree % 2 == 0));
        csr_free(&A);
    }
}
END_TEST

static struct spectrum estimate(const struct csr *A, int threads)
{
    struct error error;
    struct space *space;
    struct linear_operator spmv;
    struct spectrum spectrum;
    space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, threads);
    expect_ok(operator_create(kernel_find("cpu_sym_bitwise"), A, NULL, space, &spmv, &error),
              &error);
    expect_ok(spectrum_estimate(&spmv, NULL, SPECTRUM_STEPS, &spectrum, &error), &error);
    operator_destroy(&spmv);
    space->operations->destroy(space);
    return spectrum;
}

/* Few different eigenvalues, which so many steps find; for the zero matrix one step does. */
START_TEST(a_small_spectrum_is_found)
{
    static const double ends[][2] = {{1, 1},      {1, 10}, {-3, 5},
                                     {1e-3, 1e3}, {0, 0},  {-2e100, 1e100}};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        double values[700];
        for (int i = 0; i < 700; i++)
            values[i] = ends[k][0] + (ends[k][1] - ends[k][0]) * (i % 6) / 5;
        struct csr A;
        diagonal(700, values, &A);
        struct spectrum found = estimate(&A, 2);
        double near = 1e-12 * fmax(fabs(ends[k][0]), fabs(ends[k][1]));
        ck_assert(fabs(found.low - ends[k][0]) <= near && fabs(found.high - ends[k][1]) <= near);
        ck_assert(found.bound <= near);
        ck_assert(found.steps == 1 || ends[k][1] != 0);
        csr_free(&A);
    }
}
END_TEST

/* A large one from inside, with a bound that holds: the eigenvalues of a diagonal matrix are
 * known. */
START_TEST(a_large_spectrum_is_found_from_inside)
{
    enum { LARGE = 10000 };
    static double values[LARGE];
    uint64_t state = test_seed();
    for (int i = 0; i < LARGE; i++)
        values[i] = 1 + 99 * test_random(&state);
    values[7] = 1;
    values[5000] = 100;
    struct csr A;
    diagonal(LARGE, values, &A);
    struct spectrum found = estimate(&A, 1);
    ck_assert_int_eq(found.steps, SPECTRUM_STEPS);
    ck_assert(found.low >= 1 - 1e-10 && found.low < 5);
    ck_assert(found.high <= 100 + 1e-10 && found.high > 95);
    double nearest = INFINITY;
    for (int i = 0; i < LARGE; i++)
        nearest = fmin(nearest, fabs(values[i] - found.high));
    ck_assert(nearest <= found.bound + 1e-10 && found.bound < 10);
    for (int threads = 2; threads <= 7; threads++) {
        struct spectrum again = estimate(&A, threads);
        ck_assert(again.low == found.low && again.high == found.high && again.bound == found.bound);
    }
    csr_free(&A);
}
END_TEST

/* The bounds that it takes for itself are above the spectrum, and at its lower end or the share of
 * the polynomial. */
START_TEST(bounds_are_taken_as_they_are_said_to_be)
{
    static const double ends[][2] = {{1, 2}, {0.05, 1}, {1e-6, 1}, {-0.05, 1}};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        for (int degree = 1; degree <= 8; degree++) {
            struct error error;
            struct space *space;
            struct linear_operator spmv;
            struct linear_operator M;
            struct options options = chebyshev_options(degree, 0, 0);
            double values[6], low, high;
            for (int i = 0; i < 6; i++)
                values[i] = ends[k][0] + (ends[k][1] - ends[k][0]) * i / 5;
            struct csr A;
            diagonal(6, values, &A);
            space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 0);
            expect_ok(operator_create(kernel_find("cpu_csr"), &A, NULL, space, &spmv, &error),
                      &error);
            expect_ok(preconditioner_create(&options, &A, NULL, &spmv, &M, &error), &error);
            ck_assert_int_eq(
                sscanf(M.description, "degree %*d on [%lf, %lf], estimated", &low, &high), 2);
            double wanted =
                fmax(ends[k][0], 0.8 * 1.1 * ends[k][1] / ((degree + 1) * (degree + 1)));
            ck_assert_double_eq_tol(high, 1.1 * ends[k][1], 1e-5 * high); /* six digits */
            ck_assert_double_eq_tol(low, wanted, 1e-5 * wanted);
            operator_destroy(&M);
            options_free(&options);
            operator_destroy(&spmv);
            space->operations->destroy(space);
            csr_free(&A);
        }
}
END_TEST

START_TEST(iterations_fall_with_the_degree)
{
    static double b[SOLVE_N], x[SOLVE_N];
    struct csr A;
    grid(20, 100, &A);
    random_vector(1, A.n, b);
    struct preconditioned choice = {.kernel = "cpu_sym_bitwise", .tolerance = 1e-8};
    solve_preconditioned(&choice, &A, b, &history, x);
    int64_t before = history.result.iterations;
    for (int64_t degree = 1; degree <= 16; degree *= 2) {
        choice.options = chebyshev_options(degree, 0, 0);
        solve_preconditioned(&choice, &A, b, &history, x);
        options_free(&choice.options);
        int64_t iterations = history.result.iterations;
        ck_assert_int_eq(history.result.reason, REASON_CONVERGED);
        ck_assert_int_eq(history.result.products, (iterations + 1) * (1 + degree));
        ck_assert_int_lt(iterations, before);
        before = iterations;
    }
    csr_free(&A);
}
END_TEST

START_TEST(bounds_that_are_none_are_refused)
{
    static const double negative[] = {-1, -2, -3}, infinite[] = {1e308, 1.5e308, 1e300};
    static const double *const spectra[] = {negative, infinite};
    double b[3] = {1, 1, 1}, x[3];
    struct error error;
    for (int k = 0; k < 2; k++) {
        struct csr A;
        diagonal(3, spectra[k], &A);
        struct preconditioned choice = {
            .kernel = "cpu_csr", .tolerance = 0.1, .options = chebyshev_options(2, 0, 0)};
        expect_error(try_preconditioned(&choice, &A, b, &other, x, &error), STATUS_CONFIG, &error,
                     k == 0 ? "A has no positive eigenvalue" : "the spectrum",
                     k == 0 ? "as estimated" : "not finite", NULL);
        options_free(&choice.options);
        choice.options = chebyshev_options(2, 7, 5);
        expect_error(try_preconditioned(&choice, &A, b, &other, x, &error), STATUS_CONFIG, &error,
                     "low = 7", "high = 5", "as given", NULL);
        expect_error(options_check(&choice.options, &error), STATUS_CONFIG, &error,
                     "low = 7.0: must lie below", NULL);
        expect_error(options_set(&choice.options, "degree", "65", &error), STATUS_CONFIG, &error,
                     "degree wants a whole number, 1..64, not 65", NULL);
        options_free(&choice.options);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Of 20 eigenvalues from -share to 1, all of which the estimate finds, a degree is refused where it
 * makes more than 64 of one. For the last three shares the highest degree makes 53, 37 and 61 of
 * it, and the next one 195, 187 and 900. */
START_TEST(a_degree_that_negative_eigenvalues_do_not_bear_is_refused)
{
    enum { COUNT = 20, MOST = 8 };
    static const struct {
        double share;
        int64_t degree; /* the highest one */
    } all[] = {{0, MOST}, {0.1, MOST}, {0.6, 3}, {1, 2}, {3.9, 1}};
    uint64_t state = test_seed();
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (int64_t degree = 1; degree <= MOST; degree++) {
            double values[COUNT] = {1, all[k].share > 0 ? -all[k].share : 0.5};
            double b[COUNT], x[COUNT], dot;
            char named[32];
            struct csr A;
            struct error error;
            for (int i = 0; i < COUNT; i++) {
                if (i > 1)
                    values[i] = 0.01 + 0.99 * test_random(&state);
                b[i] = 1 + test_random(&state);
            }
            diagonal(COUNT, values, &A);
            struct preconditioned choice = {
                .kernel = "cpu_csr", .tolerance = 0.5, .options = chebyshev_options(degree, 0, 0)};
            snprintf(named, sizeof named, "degree = %d at the most", (int)all[k].degree);
            if (degree > all[k].degree)
                expect_error(try_preconditioned(&choice, &A, b, &history, x, &error), STATUS_CONFIG,
                             &error, "A has an eigenvalue of -", named, NULL);
            else
                apply_once(&choice.options, 1, &A, b, x, &dot);
            for (int i = 0; i < COUNT && degree <= all[k].degree; i++)
                ck_assert(fabs(1 - values[i] * x[i] / b[i]) <= 64 * (1 + 1e-9));
            options_free(&choice.options);
            csr_free(&A);
        }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {an_apply_is_the_polynomial,
                            it_is_positive_where_it_is_said_to_be,
                            a_small_spectrum_is_found,
                            a_large_spectrum_is_found_from_inside,
                            bounds_are_taken_as_they_are_said_to_be,
                            iterations_fall_with_the_degree,
                            bounds_that_are_none_are_refused,
                            a_degree_that_negative_eigenvalues_do_not_bear_is_refused,
                            NULL};
    return suite_of("precondition/chebyshev", tests);
}

/* The small side of Lanczos' method: which Ritz values are wanted, what is thought of them, and
 * restarts that change none that is kept. */
#include "support.h"

#include "solver/lanczos/ritz.h"
#include "solver/lapack.h"

#include <float.h>
#include <math.h>
#include <string.h>

static struct ritz begin(int64_t count, enum eigen_which which, int64_t restart, int64_t n)
{
    struct error error;
    struct ritz ritz;
    struct eigen_options options = {count, which, 1e-10, REORTHOGONALIZATION_FULL, restart};
    expect_ok(ritz_begin(&ritz, &options, n, &error), &error);
    return ritz;
}

static void append(struct ritz *ritz, double alpha, double beta)
{
    struct error error;
    expect_ok(ritz_append(ritz, alpha, beta, &error), &error);
}

static void append_random(struct ritz *ritz, int64_t size, uint64_t *state)
{
    while (ritz->size < size) {
        double alpha = 2 * test_random(state) - 1;
        append(ritz, alpha, 0.1 + test_random(state));
    }
}

START_TEST(counts_and_sizes)
{
    static const struct {
        int64_t count, restart, n;
        enum eigen_which which;
        int64_t wanted, most, low;
    } cases[] = {{10, 0, 1000, EIGEN_SMALLEST, 10, 60, 10},
                 {30, 0, 1000, EIGEN_SMALLEST, 30, 80, 30},
                 {30, 0, 1000, EIGEN_BOTH, 60, 140, 30},
                 {30, 0, 70, EIGEN_LARGEST, 30, 70, 0},
                 {10, 35, 1000, EIGEN_LARGEST, 10, 35, 0},
                 {10, 35, 20, EIGEN_LARGEST, 10, 20, 0},
                 {10, 100000, 500, EIGEN_BOTH, 20, 500, 10},
                 {2, 0, 3, EIGEN_BOTH, 3, 3, 2},
                 {1, 0, 1, EIGEN_BOTH, 1, 1, 1},
                 {5, 0, 3, EIGEN_SMALLEST, 3, 3, 3}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ritz ritz = begin(cases[k].count, cases[k].which, cases[k].restart, cases[k].n);
        ck_assert_int_eq(ritz.most, cases[k].most);
        ck_assert_int_eq(ritz.low, cases[k].low);
        ck_assert_int_eq(ritz.low + ritz.high, cases[k].wanted);
        ritz_free(&ritz);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* T = diag(values) with a small coupling of the last one alone: bounds are known in closed form. */
START_TEST(what_is_wanted_and_what_has_converged)
{
    static const double values[] = {3, -1, 5, 0, 2, -4};
    struct ritz ritz = begin(2, EIGEN_BOTH, 0, 100);
    for (int k = 0; k < 6; k++) {
        append(&ritz, values[k], k < 5 ? 0 : 1e-3);
        ck_assert_int_eq(ritz.size, k + 1);
        for (int64_t i = 0; i < ritz.size; i++) /* all, as long as there are no more */
            ck_assert(ritz_is_wanted(&ritz, i) == (i < 2 || i >= ritz.size - 2));
    }
    double sorted[] = {-4, -1, 0, 2, 3, 5};
    ck_assert_mem_eq(ritz.theta, sorted, sizeof sorted);
    ck_assert(ritz.norm == 5 && ritz.bound[0] == 1e-3);
    for (int k = 1; k < 6; k++)
        ck_assert(ritz.bound[k] == 0 && ritz_has_converged(&ritz, k));
    ck_assert(!ritz_has_converged(&ritz, 0));
    ck_assert_int_eq(ritz_converged(&ritz), 3); /* -1, 3, 5: the others are not wanted */
    ck_assert(ritz_residual(&ritz) == 1e-3 / 4);
    ck_assert_int_eq(ritz_ghosts(&ritz), 0);
    ritz.e[5] = 0;
    append(&ritz, 5 - 4e-10, 0); /* within 1e-10 of 5, the norm: a copy */
    ck_assert_int_eq(ritz_ghosts(&ritz), 1);
    append(&ritz, -1 + 6e-10, 0); /* and this is not */
    ck_assert_int_eq(ritz_ghosts(&ritz), 1);
    append(&ritz, 5, 0);
    ck_assert_int_eq(ritz_ghosts(&ritz), 2);
    ck_assert_int_eq(ritz_converged(&ritz), 4);
    ck_assert(ritz_residual(&ritz) == 0);
    ritz_free(&ritz);
}
END_TEST

/* Below eps^(2/3) ||A|| an eigenvalue is zero, and that is what its residual is measured by, at any
 * scale of A; but no bound below u ||A|| is asked for. */
START_TEST(zero_has_a_scale)
{
    static const double norms[] = {1, 1e-100, 1e100};
    double zero = cbrt(DBL_EPSILON * DBL_EPSILON);
    for (int k = 0; k < 3; k++) {
        double norm = norms[k];
        struct ritz ritz = begin(1, EIGEN_SMALLEST, 0, 100);
        append(&ritz, norm, 0);
        ck_assert_double_eq_tol(ritz_scale(&ritz, 0) / norm, zero, 1e-12 * zero);
        ck_assert(ritz_scale(&ritz, -zero * norm / 2) == ritz_scale(&ritz, 0));
        ck_assert(ritz_scale(&ritz, -2 * zero * norm) == 2 * zero * norm);
        append(&ritz, 0, 0.99 * 0x1p-53 * norm);
        ck_assert_int_eq(ritz_converged(&ritz), 1);
        ritz.size = 1;
        append(&ritz, 0, 1.01 * 0x1p-53 * norm);
        ck_assert_int_eq(ritz_converged(&ritz), 0);
        ck_assert_double_eq_tol(ritz_residual(&ritz) * zero, 1.01 * 0x1p-53, 1e-26);
        ritz.tolerance = 1e-3; /* then that is more than the rounding of A v */
        ritz.size = 1;
        append(&ritz, 0, 0.99e-3 * zero * norm);
        ck_assert_int_eq(ritz_converged(&ritz), 1);
        ritz.size = 1;
        append(&ritz, 0, 1.01e-3 * zero * norm);
        ck_assert_int_eq(ritz_converged(&ritz), 0);
        ritz_free(&ritz);
    }
    struct ritz ritz = begin(1, EIGEN_SMALLEST, 0, 100); /* the zero matrix */
    append(&ritz, 0, 0);
    ck_assert(ritz_converged(&ritz) == 1 && ritz_residual(&ritz) == 0);
    ritz_free(&ritz);
}
END_TEST

/* T of the arrow, the last row of which is kept beside: dense, for LAPACK. */
static void dense_of(const struct ritz *ritz, int64_t kept, const double *theta, const double *b,
                     double *T)
{
    int64_t size = ritz->size;
    memset(T, 0, (size_t)(size * size) * sizeof *T);
    for (int64_t i = 0; i < size; i++)
        T[i + size * i] = i < kept ? theta[i] : ritz->d[i];
    for (int64_t i = 0; i < kept && kept < size; i++)
        T[i + size * kept] = T[kept + size * i] = b[i];
    for (int64_t i = kept; i + 1 < size; i++)
        T[i + size * (i + 1)] = T[i + 1 + size * i] = ritz->e[i];
}

/* As ALLOWED in test_tridiagonal, for a size of 40 and what the arrow adds. */
static const double OFF = 2 * 120 * 40 * 0x1p-53;

/* Restarts again and again: the kept ones are the wanted and their neighbours, with the bounds that
 * they had; and T grows on as the arrow and not as anything else. */
START_TEST(restarts_keep_the_best)
{
    enum { MOST = 40 };
    uint64_t state = test_seed();
    static double T[MOST * MOST];
    for (int trial = 0; trial < 30; trial++) {
        enum eigen_which which = (enum eigen_which)(trial % 3);
        int64_t count = 1 + test_random_below(&state, which == EIGEN_BOTH ? 8 : 16);
        struct error error;
        struct ritz ritz = begin(count, which, MOST, 1000);
        int64_t wanted = ritz.low + ritz.high;
        for (int cycle = 0; cycle < 4; cycle++) {
            double theta[MOST], bound[MOST], kept_theta[MOST], b[MOST], values[MOST];
            append_random(&ritz, MOST, &state);
            memcpy(theta, ritz.theta, sizeof theta);
            memcpy(bound, ritz.bound, sizeof bound);
            expect_ok(ritz_vectors(&ritz, &error), &error);
            ck_assert_mem_eq(theta, ritz.theta, sizeof theta);
            int64_t converged = ritz_converged(&ritz);
            ritz_restart_basis(&ritz, false, b);
            int64_t kept = ritz.size, half = (MOST - wanted) / 2;
            ck_assert_int_eq(kept, wanted + (converged < half ? converged : half));
            int64_t low = which == EIGEN_LARGEST    ? 0
                          : which == EIGEN_SMALLEST ? kept
                                                    : (kept + 1) / 2;
            for (int64_t j = 0; j < kept; j++) {
                int64_t i = j < low ? j : MOST - kept + j;
                kept_theta[j] = theta[i];
                ck_assert(fabs(b[j]) == bound[i]);
                double norm = 0;
                for (int64_t r = 0; r < MOST; r++)
                    norm += ritz.S[r + MOST * j] * ritz.S[r + MOST * j];
                ck_assert_double_eq_tol(norm, 1, OFF);
            }
            append(&ritz, 0.3, 0.7);
            append(&ritz, -0.2, 0.4);
            dense_of(&ritz, kept, kept_theta, b, T);
            lapack_symmetric(ritz.size, T, values);
            for (int64_t i = 0; i < ritz.size; i++)
                ck_assert_double_eq_tol(ritz.theta[i], values[i], OFF * ritz.norm);
            expect_ok(ritz_vectors(&ritz, &error), &error); /* T S = S Theta, for the arrow's T */
            for (int64_t j = 0; j < ritz.size; j++)
                for (int64_t i = 0; i < ritz.size; i++) {
                    double r = -ritz.theta[j] * ritz.S[i + ritz.size * j];
                    for (int64_t k = 0; k < ritz.size; k++)
                        r += T[i + ritz.size * k] * ritz.S[k + ritz.size * j];
                    ck_assert_double_eq_tol(r, 0, OFF * ritz.norm);
                }
        }
        ritz_free(&ritz);
    }
}
END_TEST

START_TEST(what_is_not_finite_is_refused)
{
    struct error error;
    struct ritz ritz = begin(1, EIGEN_SMALLEST, 0, 100);
    append(&ritz, 1, 2);
    expect_error(ritz_append(&ritz, NAN, 1, &error), STATUS_INPUT, &error, "not finite", NULL);
    ritz_free(&ritz);
    ritz_free(&ritz); /* a zeroed one */
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct ritz ritz;
    enum status status = ritz_begin(&ritz, context, 100, error);
    ritz_free(&ritz);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    struct eigen_options options = {5, EIGEN_BOTH, 1e-10, REORTHOGONALIZATION_FULL, 0};
    walk_allocation_failures(attempt, &options);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {counts_and_sizes,
                            what_is_wanted_and_what_has_converged,
                            zero_has_a_scale,
                            restarts_keep_the_best,
                            what_is_not_finite_is_refused,
                            every_failed_allocation_is_survived,
                            NULL};
    return suite_of("solver/ritz", tests);
}

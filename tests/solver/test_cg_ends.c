/* Every way in which a solve by conjugate gradients can end. */
#include "support.h"

#include "base/random.h"
#include "matrices.h"
#include "solver/solve.h"

#include <float.h>
#include <math.h>
#include <string.h>

static struct outcome outcome, other;

START_TEST(matrices_that_are_not_positive_are_named)
{
    static const double values[][10] = {
        {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1}, {0}, {1, 2, 3, 4, 5, 6, 7, 8, 9, -1}};
    static const double b[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, curvatures[] = {-10, 0};
    struct csr A;
    for (int k = 0; k < 3; k++) {
        diagonal(10, values[k], &A);
        solve(standard, &A, b, &outcome);
        expect_reason(REASON_NOT_POSITIVE, &outcome);
        ck_assert(k == 2 || outcome.result.iterations == 0);
        ck_assert(k == 2 || outcome.result.curvature == curvatures[k]);
        ck_assert(k != 2 || outcome.result.iterations > 1); /* 1'A 1 = 44, the first step is fine */
        ck_assert(k != 2 || outcome.result.curvature < 0);
        textbook(&A, b, outcome.result.iterations, ordered_dot, &other);
        ck_assert_mem_eq(outcome.x, other.x, sizeof b); /* the last iterate, not the bad step */
        csr_free(&A);
    }
}
END_TEST

/* An overflow in p'q or in r'r, and what was not finite from the start. */
START_TEST(what_is_not_finite_never_converges)
{
    static const double cases[][4] = {
        /* diagonal, then b */
        {1e300, 1, 1e10, 1},           {1e300, 1e300, 1e5, 1e5}, {1, 1, NAN, 1},
        {1, 1, 1, INFINITY},           {NAN, 1, 1, 1},           {1, INFINITY, 1, 1},
        {1e-300, 1e300, 1e150, 1e-160}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (int r = 0; r < 5; r++) {
            struct csr A;
            struct choice choice = standard;
            choice.reductions = (enum reductions)r;
            diagonal(2, cases[k], &A);
            solve(choice, &A, cases[k] + 2, &outcome);
            ck_assert_msg(outcome.result.reason == REASON_NOT_FINITE,
                          "case %d, reductions %d: \"%s\"", (int)k, r,
                          reason_name(outcome.result.reason));
            csr_free(&A);
        }
    }
}
END_TEST

/* b'b would be 0, or infinite, though b is neither: x = b. */
START_TEST(the_square_of_the_norm_is_not_needed)
{
    static const double ones[] = {1, 1}, b[][2] = {{3e-200, 4e-200}, {1e200, 1}, {-1e200, 1e200}};
    struct csr A;
    diagonal(2, ones, &A);
    for (size_t k = 0; k < sizeof b / sizeof *b; k++) {
        solve(standard, &A, b[k], &outcome);
        expect_reason(REASON_CONVERGED, &outcome);
        ck_assert_int_eq(outcome.result.iterations, 1);
        ck_assert_mem_eq(outcome.x, b[k], sizeof b[k]);
    }
    csr_free(&A);
}
END_TEST

START_TEST(iteration_limits_are_kept)
{
    static const int64_t limits[] = {0, 1, 3};
    struct csr A;
    grid(8, 1, &A);
    static double b[512];
    random_vector(2, A.n, b);
    for (int k = 0; k < 3; k++) {
        struct choice choice = standard;
        choice.max_iterations = limits[k];
        solve(choice, &A, b, &outcome);
        expect_reason(REASON_ITERATION_LIMIT, &outcome);
        ck_assert_int_eq(outcome.result.iterations, limits[k]);
        textbook(&A, b, limits[k], ordered_dot, &other);
        ck_assert_mem_eq(outcome.x, other.x, sizeof b);
    }
    solve(standard, &A, b, &outcome);
    struct choice exact = standard;
    exact.max_iterations = outcome.result.iterations;
    solve(exact, &A, b, &outcome); /* the last iteration allowed is the one that converges */
    expect_reason(REASON_CONVERGED, &outcome);
    csr_free(&A);
}
END_TEST

/* Condition 2e12: |A||x| is 1e12 times b, so b - A x can be known to 1e-4 only, while the recursive
 * residual goes on to shrink. */
START_TEST(a_residual_gap_is_not_called_converged)
{
    static const double upper[] = {1, 1 - 1e-12, 1}, b[] = {1, -0.5};
    struct csr A;
    test_matrix_from_dense(2, upper, CSR_SYMMETRIC, &A);
    solve(standard, &A, b, &outcome);
    expect_reason(REASON_RESIDUAL_GAP, &outcome);
    double target = standard.tolerance * outcome.result.rhs_norm;
    ck_assert(outcome.result.residual <= target);
    ck_assert(outcome.result.true_residual > 1.1 * target);
    csr_free(&A);
}
END_TEST

static bool still(const struct outcome *made, int64_t k, double factor)
{
    return made->moved[k] <= factor * DBL_EPSILON * made->size[k];
}

/* No residual gets that small: the solve must end when three steps running are below eps ||x||, and
 * not before. The solver has its norms from a recurrence, hence the factors. */
START_TEST(stagnation_ends_the_solve)
{
    struct csr A;
    grid(9, 1000, &A);
    static double b[729];
    random_vector(4, A.n, b);
    struct choice choice = standard;
    choice.tolerance = 1e-300;
    solve(choice, &A, b, &outcome);
    textbook(&A, b, outcome.result.iterations, ordered_dot, &other);
    int64_t end = 3;
    while (!still(&other, end - 2, 1) || !still(&other, end - 1, 1) || !still(&other, end, 1))
        end++;
    bool found = false;
    for (int64_t k = end > 5 ? end - 2 : 3; k <= end + 2 && !found; k++) {
        choice.max_iterations = k; /* which leaves none for a restart */
        solve(choice, &A, b, &outcome);
        found = outcome.result.reason == REASON_STAGNATION;
        ck_assert(!found || (still(&other, k - 2, 1.1) && still(&other, k - 1, 1.1) &&
                             still(&other, k, 1.1)));
    }
    ck_assert(found);
    textbook(&A, b, outcome.result.iterations, ordered_dot, &other);
    ck_assert_mem_eq(outcome.x, other.x, sizeof b);
    csr_free(&A);
}
END_TEST

/* The squares of steps and solutions under- or overflow: that says nothing about stagnation. */
START_TEST(the_scale_is_not_stagnation)
{
    static const double scales[] = {1e200, 1e-200};
    double values[12], b[12];
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < 12; i++) {
            values[i] = (i + 1) * scales[s];
            b[i] = 1;
        }
        struct csr A;
        diagonal(12, values, &A);
        solve(standard, &A, b, &outcome);
        expect_reason(REASON_CONVERGED, &outcome);
        csr_free(&A);
    }
}
END_TEST

START_TEST(every_reason_has_a_name)
{
    static const char *const names[] = {"converged",  "residual gap",           "iteration limit",
                                        "not finite", "not positive definite",  "stagnation",
                                        "singular",   "least squares solution", "interrupted"};
    static const enum reason reasons[] = {
        REASON_CONVERGED,  REASON_RESIDUAL_GAP,  REASON_ITERATION_LIMIT,
        REASON_NOT_FINITE, REASON_NOT_POSITIVE,  REASON_STAGNATION,
        REASON_SINGULAR,   REASON_LEAST_SQUARES, REASON_INTERRUPTED};
    for (size_t k = 0; k < sizeof reasons / sizeof *reasons; k++)
        ck_assert_str_eq(reason_name(reasons[k]), names[k]);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {matrices_that_are_not_positive_are_named,
                            what_is_not_finite_never_converges,
                            the_square_of_the_norm_is_not_needed,
                            iteration_limits_are_kept,
                            a_residual_gap_is_not_called_converged,
                            stagnation_ends_the_solve,
                            the_scale_is_not_stagnation,
                            every_reason_has_a_name,
                            NULL};
    return suite_of("solver/cg_ends", tests);
}

/* Every way in which a solve by minimal residuals with a preconditioner can end. */
#include "support.h"

#include "base/random.h"
#include "matrices.h"
#include "problem/generators.h"
#include "solver/solve.h"

#include <float.h>
#include <math.h>

static struct outcome outcome, other;

/* M^-1 = W */
static struct choice by(const struct csr *W)
{
    struct choice choice = standard;
    choice.method = &method_minres;
    choice.inverse = W;
    return choice;
}

static double preconditioned(const struct outcome *made, int64_t k)
{
    return made->rows[k].values[MINRES_PRECONDITIONED];
}

/* Eigenvalues within [1/2, 2]. */
static void random_diagonal(int64_t n, uint64_t *state, struct csr *W)
{
    double values[512];
    for (int64_t i = 0; i < n; i++)
        values[i] = 0.5 + 1.5 * test_random(state);
    diagonal(n, values, W);
}

/* M^-1 is applied once, to r_0. */
START_TEST(no_rhs_is_solved_by_zero)
{
    static const double values[] = {2, -2, 3}, weights[] = {1, 2, 3}, b[] = {0, -0.0, 0};
    struct csr A, W;
    diagonal(3, values, &A);
    diagonal(3, weights, &W);
    solve(by(&W), &A, b, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    ck_assert_int_eq(outcome.result.iterations, 0);
    ck_assert_int_eq(outcome.result.products, 1);
    ck_assert(outcome.x[0] == 0 && outcome.x[2] == 0 && preconditioned(&outcome, 0) == 0);
    csr_free(&A);
    csr_free(&W);
}
END_TEST

/* M^-1 = A^-1 but for one sign: that has two eigenvalues, 1 and -1. The numbers are exact. */
START_TEST(the_smallest_systems)
{
    static const double values[] = {-4, 2}, weights[] = {0.25, 0.5}, b[] = {8, 4};
    struct csr A, W;
    diagonal(1, values, &A);
    diagonal(1, weights, &W);
    solve(by(&W), &A, b, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    ck_assert(outcome.result.iterations == 1 && outcome.x[0] == -2);
    ck_assert(outcome.rows[1].alpha == -1 && outcome.rows[1].beta == 0);
    ck_assert(preconditioned(&outcome, 0) == 4 && outcome.rows[0].residual == 8);
    ck_assert(outcome.result.residual == 0 && outcome.result.true_residual == 0);
    csr_free(&A);
    csr_free(&W);
    diagonal(2, values, &A);
    diagonal(2, weights, &W);
    solve(by(&W), &A, b, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    ck_assert_int_eq(outcome.result.iterations, 2);
    ck_assert_int_eq(outcome.result.products, 2 + 3);
    ck_assert(fabs(outcome.x[0] + 2) <= 1e-14 && fabs(outcome.x[1] - 2) <= 1e-14);
    csr_free(&A);
    csr_free(&W);
}
END_TEST

/* A case: M^-1 = diag(1, 1, -1), the rows of A, b, and what is left of it. */
struct indefinite {
    double upper[6], b[3];
    int64_t iterations, products;
};

/* r_0.z below 0 and 0; y.z below 0, which makes no row; and y.z = 0 though y is not 0: then x_1 is
 * still known, and r_1.z = 0. */
START_TEST(an_M_that_is_not_positive_definite_is_named)
{
    static const double weights[] = {1, 1, -1};
    static const struct indefinite cases[] = {{{2, 0, 0, -3, 0, 5}, {1, 1, 2}, 0, 1},
                                              {{2, 0, 0, -3, 0, 5}, {1, 0, 1}, 0, 1},
                                              {{2, 0, 0, -3, 0, 5}, {1, 1, 1}, 0, 3},
                                              {{2, 1, 1, -3, 0, 5}, {1, 0, 0}, 1, 3}};
    struct csr A, W;
    diagonal(3, weights, &W);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        test_matrix_from_dense(3, cases[k].upper, CSR_SYMMETRIC, &A);
        solve(by(&W), &A, cases[k].b, &outcome);
        expect_reason(REASON_NOT_POSITIVE, &outcome);
        ck_assert_int_eq(outcome.result.iterations, cases[k].iterations);
        ck_assert_int_eq(outcome.result.products, cases[k].products);
        ck_assert(outcome.result.residual == outcome.result.true_residual);
        ck_assert(isnan(outcome.result.curvature)); /* no p . A p is at fault */
        csr_free(&A);
    }
    ck_assert(preconditioned(&outcome, 1) == 0 && outcome.result.residual > 0.7);
    csr_free(&W);
}
END_TEST

/* As of a solve without an M, and where M^-1 makes it so. */
START_TEST(what_is_not_finite_never_converges)
{
    static const double cases[][6] = {/* diagonal of A, M^-1, then b */
                                      {1e200, -1e200, 1, 1, 1, 2}, {1, 1, 1, 1, NAN, 1},
                                      {1, 1, 1, 1, 1, INFINITY},   {NAN, 1, 1, 1, 1, 1},
                                      {1, INFINITY, 1, 1, 1, 1},   {1, 1, NAN, 1, 1, 1},
                                      {1, 1, 1, INFINITY, 1, 1},   {1, 1, 1e300, 1, 1e10, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int r = 0; r < 5; r++) {
            struct csr A, W;
            diagonal(2, cases[k], &A);
            diagonal(2, cases[k] + 2, &W);
            struct choice choice = by(&W);
            choice.reductions = (enum reductions)r;
            solve(choice, &A, cases[k] + 4, &outcome);
            ck_assert_msg(outcome.result.reason == REASON_NOT_FINITE,
                          "case %d, reductions %d: \"%s\"", (int)k, r,
                          reason_name(outcome.result.reason));
            csr_free(&A);
            csr_free(&W);
        }
}
END_TEST

/* Of a diagonal A and M the least ||b - A x|| is the same in every norm: the part of b in the null
 * space. */
START_TEST(a_diagonal_null_space_is_named)
{
    static const double values[] = {0, 1, -2, 3, 0, 5}, inside[] = {0, 1, 1, -1, 0, 2};
    static const double outside[] = {3, 1, 1, -1, 4, 2};
    uint64_t state = test_seed();
    struct csr A, W;
    diagonal(6, values, &A);
    random_diagonal(6, &state, &W);
    solve(by(&W), &A, inside, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    solve(by(&W), &A, outside, &outcome);
    expect_reason(REASON_LEAST_SQUARES, &outcome);
    ck_assert_double_eq_tol(outcome.result.true_residual, 5, 1e-10);
    ck_assert_double_eq_tol(outcome.result.residual, 5, 1e-10);
    ck_assert_int_eq(outcome.result.products, 2 * outcome.result.iterations + 3);
    for (int i = 0; i < 6; i++)
        ck_assert(values[i] == 0 || fabs(values[i] * outcome.x[i] - outside[i]) <= 1e-10);
    csr_free(&A);
    csr_free(&W);
}
END_TEST

enum { PATH = 200 };

/* A path's graph Laplacian, whose null space is 1, with an eigenvalue 2 - 2 cos(pi l / 200) for
 * l = 0, 1, ..., and that plus `more`. */
static void path(double more, struct csr *A)
{
    static double upper[PATH * (PATH + 1) / 2];
    for (int64_t i = 0, place = 0; i < PATH; i++)
        for (int64_t j = i; j < PATH; j++, place++)
            upper[place] = j == i ? (i == 0 || i == PATH - 1 ? 1 : 2) + more : j == i + 1 ? -1 : 0;
    test_matrix_from_dense(PATH, upper, CSR_SYMMETRIC, A);
}

/* With W = M^-1 diagonal the least ||r||_W has W r = c 1, so r = c W^-1 1, 1.r = 1.b and
 * ||r||_W = |1.b| / sqrt(1.W^-1 1). The bounds are those of test_minres_ends, with the condition of
 * L^-1 A L^-T in its range, at most that of A times that of W. */
START_TEST(the_least_residual_is_that_of_the_norm_of_M)
{
    static const double tolerances[] = {1e-2, 1e-4, 1e-8, 1e-13};
    static double b[PATH];
    uint64_t state = test_seed();
    struct csr A, W;
    double sum = 0, weights = 0, norm = 0, gap = 4 * 2 / (1 - cos(M_PI / PATH));
    path(0, &A);
    random_diagonal(PATH, &state, &W);
    for (int64_t i = 0; i < PATH; i++) {
        sum += b[i] = 1 + test_random(&state);
        weights += 1 / W.values[i];
        norm += b[i] * b[i] * W.values[i];
    }
    double least = sum / sqrt(weights);
    for (size_t k = 0; k < sizeof tolerances / sizeof *tolerances; k++) {
        struct choice choice = by(&W);
        choice.tolerance = tolerances[k];
        solve(choice, &A, b, &outcome);
        expect_reason(REASON_LEAST_SQUARES, &outcome);
        double found = preconditioned(&outcome, outcome.count - 1);
        double allowed = 3 * sqrt(3 * (double)outcome.count) * DBL_EPSILON * gap * gap * sqrt(norm);
        ck_assert_msg(found >= least - allowed &&
                          found <= least / sqrt(1 - 0x1p-46 * gap) + allowed,
                      "||r|| = %.17g, and the least is %.17g", found, least);
        /* W r is c 1, r = b - A x as far as x is known */
        double error = 0, c = sum / weights;
        for (int64_t i = 0; i < PATH; i++) {
            double r = b[i] - A.values[A.offsets[i]] * outcome.x[i];
            r += i > 0 ? outcome.x[i - 1] : 0;
            r += i < PATH - 1 ? outcome.x[i + 1] : 0;
            error = fmax(error, fabs(r * W.values[i] - c));
        }
        ck_assert_msg(error <= 2 * sqrt(2 * 0x1p-46 * gap) * least + 2 * allowed,
                      "W r differs from %g by %g", c, error);
    }
    csr_free(&A);
    csr_free(&W);
}
END_TEST

/* Every preconditioner, of a matrix near by: b is in the range of A, or not. No solve of the other
 * kind is called converged, and whatever ends it, x is no larger than the header's bound: 4 is
 * ||A||, and one step more makes x at most a little larger than the one before. */
START_TEST(singular_systems_end_truly)
{
    static const char *const names[] = {"jacobi", "block_jacobi", "chebyshev", "multigrid"};
    static double b[PATH];
    uint64_t state = test_seed();
    struct csr A, near;
    path(0, &A);
    path(0.01, &near);
    for (int k = 0; k < 16; k++) {
        struct choice choice = by(NULL);
        bool inside = k / 4 % 2;
        double sum = 0;
        for (int64_t i = 0; i < PATH; i++)
            sum += b[i] = 1 + test_random(&state);
        for (int64_t i = 0; i < PATH && inside; i++)
            b[i] -= sum / PATH;
        choice.preconditioner = names[k % 4];
        choice.near = &near;
        choice.tolerance = k / 8 ? 1e-13 : 1e-6;
        solve(choice, &A, b, &outcome);
        enum reason reason = outcome.result.reason;
        if (inside && k < 8)
            expect_reason(REASON_CONVERGED, &outcome);
        else if (inside)
            ck_assert(reason == REASON_CONVERGED || reason == REASON_RESIDUAL_GAP ||
                      reason == REASON_STAGNATION);
        else
            ck_assert_msg(reason == REASON_LEAST_SQUARES || reason == REASON_SINGULAR ||
                              reason == REASON_STAGNATION || reason == REASON_ITERATION_LIMIT,
                          "%s: \"%s\"", choice.preconditioner, reason_name(reason));
        double size = sqrt(plain_dot(PATH, outcome.x, outcome.x));
        ck_assert(size <= 2e-3 / DBL_EPSILON * outcome.result.rhs_norm);
    }
    csr_free(&A);
    csr_free(&near);
}
END_TEST

/* Condition 1e14, and a solution so large that A x is known to less than 3 digits; and 2e12, with
 * one that is known to 1e-4 only. */
START_TEST(a_solution_that_is_too_large_is_named)
{
    static const double upper[] = {1, 1 - 0x1p-45, 1}, b[] = {1, -0.5};
    static const double less[] = {1, 1 - 1e-12, 1}, weights[] = {1, 0.5};
    struct csr A, W;
    diagonal(2, weights, &W);
    test_matrix_from_dense(2, upper, CSR_SYMMETRIC, &A);
    solve(by(&W), &A, b, &outcome);
    expect_reason(REASON_SINGULAR, &outcome);
    ck_assert_int_eq(outcome.result.products, 2 * outcome.result.iterations + 1);
    csr_free(&A);
    test_matrix_from_dense(2, less, CSR_SYMMETRIC, &A);
    solve(by(&W), &A, b, &outcome);
    ck_assert(outcome.result.reason == REASON_STAGNATION ||
              outcome.result.reason == REASON_RESIDUAL_GAP);
    ck_assert(outcome.result.true_residual > 1.1e-10 * outcome.result.rhs_norm);
    csr_free(&A);
    csr_free(&W);
}
END_TEST

START_TEST(iteration_limits_are_kept)
{
    static const int64_t limits[] = {0, 1, 2, 5};
    static double b[512];
    uint64_t state = test_seed();
    struct csr A, W;
    grid(8, 1, &A);
    random_diagonal(A.n, &state, &W);
    for (int64_t i = 0; i < A.n; i += 3)
        A.values[A.offsets[i]] = -6;
    random_vector(2, A.n, b);
    solve(by(&W), &A, b, &other);
    expect_reason(REASON_CONVERGED, &other);
    for (int k = 0; k < 4; k++) {
        struct choice choice = by(&W);
        choice.max_iterations = limits[k];
        solve(choice, &A, b, &outcome);
        expect_reason(REASON_ITERATION_LIMIT, &outcome);
        ck_assert_int_eq(outcome.result.iterations, limits[k]);
        ck_assert_int_eq(outcome.result.products, 2 * limits[k] + 1);
        ck_assert(outcome.result.residual == other.rows[limits[k]].residual);
        ck_assert(fabs(outcome.result.true_residual - outcome.result.residual) <=
                  1e-13 * outcome.result.rhs_norm); /* x is that of this row */
    }
    struct choice exact = by(&W);
    exact.max_iterations = other.result.iterations;
    solve(exact, &A, b, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    csr_free(&A);
    csr_free(&W);
}
END_TEST

/* No residual gets so small: the solve ends where it is eps ||A|| ||x||, 12 being above ||A||. */
START_TEST(stagnation_ends_the_solve)
{
    static double b[512];
    uint64_t state = test_seed();
    struct csr A, W;
    grid(8, 1, &A);
    random_diagonal(A.n, &state, &W);
    random_vector(4, A.n, b);
    struct choice choice = by(&W);
    choice.tolerance = 1e-300;
    solve(choice, &A, b, &outcome);
    expect_reason(REASON_STAGNATION, &outcome);
    double size = sqrt(plain_dot(A.n, outcome.x, outcome.x));
    ck_assert(outcome.result.residual <= 1.01 * 12 * DBL_EPSILON * size);
    csr_free(&A);
    csr_free(&W);
}
END_TEST

/* A power of two goes through every operation unchanged, of b and of A; of M a power of four does,
 * whose root is one of two. */
START_TEST(the_scale_does_not_matter)
{
    static const double scales[] = {0x1p60, 0x1p-60, 1, 1}, weights[] = {1, 1, 0x1p-40, 0x1p40};
    static double b[512], scaled[512];
    uint64_t state = test_seed();
    struct csr A, W;
    grid(8, 10, &A);
    random_diagonal(A.n, &state, &W);
    for (int64_t i = 0; i < A.n; i += 5)
        A.values[A.offsets[i]] *= -1;
    random_vector(6, A.n, b);
    solve(by(&W), &A, b, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    for (int k = 0; k < 4; k++) {
        double scale = scales[k], weight = weights[k];
        for (int64_t i = 0; i < A.n; i++) {
            scaled[i] = scale * b[i];
            W.values[i] *= weight;
        }
        for (int64_t i = 0; i < A.nnz; i++)
            A.values[i] *= scale;
        solve(by(&W), &A, scaled, &other);
        expect_reason(REASON_CONVERGED, &other);
        ck_assert_int_eq(other.count, outcome.count);
        for (int64_t row = 0; row < outcome.count; row++) {
            ck_assert(other.rows[row].residual == scale * outcome.rows[row].residual);
            ck_assert(preconditioned(&other, row) ==
                      scale * sqrt(weight) * preconditioned(&outcome, row));
        }
        ck_assert_mem_eq(other.x, outcome.x, (size_t)A.n * sizeof *b);
        for (int64_t i = 0; i < A.n; i++)
            W.values[i] /= weight;
        for (int64_t i = 0; i < A.nnz; i++)
            A.values[i] /= scale;
    }
    csr_free(&A);
    csr_free(&W);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {no_rhs_is_solved_by_zero,
                            the_smallest_systems,
                            an_M_that_is_not_positive_definite_is_named,
                            what_is_not_finite_never_converges,
                            a_diagonal_null_space_is_named,
                            the_least_residual_is_that_of_the_norm_of_M,
                            singular_systems_end_truly,
                            a_solution_that_is_too_large_is_named,
                            iteration_limits_are_kept,
                            stagnation_ends_the_solve,
                            the_scale_does_not_matter,
                            NULL};
    return suite_of("solver/minres_preconditioned_ends", tests);
}

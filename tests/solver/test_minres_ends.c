/* Every way in which a solve by minimal residuals can end, and which matrices it takes. */
#include "made.h"
#include "support.h"

#include "base/random.h"
#include "matrices.h"
#include "solver/minres/minres.h"
#include "solver/solve.h"

#include <float.h>
#include <math.h>
#include <string.h>

static struct outcome outcome, other;

static struct choice minres(void)
{
    struct choice choice = standard;
    choice.method = &method_minres;
    return choice;
}

static struct choice skew(double shift)
{
    struct choice choice = standard;
    choice.method = &method_skew;
    choice.shift = shift;
    return choice;
}

/* [[0, value], [-value, 0]], blocks of it along the diagonal */
static void skew_blocks(int64_t blocks, const double *values, struct csr *A)
{
    double upper[64 * 65 / 2] = {0};
    int64_t n = 2 * blocks, place = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++, place++)
            upper[place] = i % 2 == 0 && j == i + 1 ? values[i / 2] : 0;
    test_matrix_from_dense(n, upper, CSR_SKEW, A);
}

START_TEST(no_rhs_is_solved_by_zero)
{
    static const double values[] = {2, -2, 3}, b[] = {0, -0.0, 0, 0};
    struct csr A;
    diagonal(3, values, &A);
    solve(minres(), &A, b, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    ck_assert_int_eq(outcome.result.iterations, 0);
    ck_assert_int_eq(outcome.result.products, 0);
    ck_assert(outcome.x[0] == 0 && outcome.x[2] == 0);
    csr_free(&A);
    skew_blocks(2, values, &A);
    solve(skew(0), &A, b, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    ck_assert(outcome.result.iterations == 0 && outcome.result.true_residual == 0);
    csr_free(&A);
}
END_TEST

/* beta_{k+1} = 0 with the solution found. The numbers are exact. */
START_TEST(the_smallest_systems)
{
    static const double minus[] = {-4, 2}, b[] = {3, 4};
    struct csr A;
    diagonal(1, minus, &A);
    solve(minres(), &A, b, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    ck_assert(outcome.result.iterations == 1 && outcome.x[0] == -0.75);
    ck_assert(outcome.rows[1].alpha == -4 && outcome.rows[1].beta == 0);
    ck_assert(isnan(outcome.result.curvature) && isnan(outcome.result.ritz_low));
    csr_free(&A);
    static const double zero[] = {0};
    test_matrix_from_dense(1, zero, CSR_SKEW, &A);
    solve(skew(-2), &A, b, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    ck_assert(outcome.result.iterations == 1 && outcome.x[0] == -1.5);
    ck_assert(outcome.rows[1].alpha == -2 && outcome.rows[1].beta == 0);
    csr_free(&A);
    diagonal(2, minus, &A);
    solve(minres(), &A, b, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    ck_assert_int_eq(outcome.result.iterations, 2);
    ck_assert(fabs(outcome.x[0] + 0.75) <= 1e-14 && fabs(outcome.x[1] - 2) <= 1e-14);
    csr_free(&A);
    static const double five[] = {5};
    skew_blocks(1, five, &A); /* 5 x_1 = 3, -5 x_0 = 4 */
    solve(skew(0), &A, b, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    ck_assert_int_eq(outcome.result.iterations, 2);
    ck_assert(outcome.rows[1].residual == 5 && outcome.rows[2].residual <= 1e-14);
    ck_assert(fabs(outcome.x[0] + 0.8) <= 1e-15 && fabs(outcome.x[1] - 0.6) <= 1e-15);
    csr_free(&A);
}
END_TEST

/* b in the range, by whole numbers; and not in it: the residual is then the part of b that is in
 * the null space. */
START_TEST(singular_systems_are_named)
{
    static const double values[] = {0, 1, -2, 3, 0, 5}, inside[] = {0, 1, 1, -1, 0, 2};
    static const double outside[] = {3, 1, 1, -1, 4, 2};
    struct csr A;
    diagonal(6, values, &A);
    solve(minres(), &A, inside, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    solve(minres(), &A, outside, &outcome);
    expect_reason(REASON_LEAST_SQUARES, &outcome);
    ck_assert_double_eq_tol(outcome.result.true_residual, 5, 1e-10);
    ck_assert_double_eq_tol(outcome.result.residual, 5, 1e-10);
    ck_assert_int_eq(outcome.result.products, outcome.result.iterations + 1);
    for (int i = 0; i < 6; i++)
        ck_assert(values[i] == 0 || fabs(values[i] * outcome.x[i] - outside[i]) <= 1e-10);
    csr_free(&A);
    for (int zeros = 0; zeros < 2; zeros++) { /* nothing but zeros: no step at all */
        static const double none[4];
        if (zeros == 0)
            diagonal(4, none, &A);
        else
            skew_blocks(2, none, &A);
        solve(zeros ? skew(0) : minres(), &A, outside, &outcome);
        expect_reason(REASON_LEAST_SQUARES, &outcome);
        ck_assert_int_eq(outcome.result.iterations, 0);
        ck_assert(outcome.x[0] == 0 && outcome.result.residual == outcome.result.rhs_norm);
        csr_free(&A);
    }
    static const double blocks[] = {1, 0, -2};
    skew_blocks(3, blocks, &A);
    solve(skew(0), &A, outside, &outcome);
    expect_reason(REASON_LEAST_SQUARES, &outcome);
    ck_assert_double_eq_tol(outcome.result.true_residual, sqrt(2), 1e-10); /* rows 2 and 3 */
    csr_free(&A);
}
END_TEST

/* The solve ends with r = z + e, z the part of b in the null space, whose norm is `least`, and e in
 * the range. With gap = ||A|| over the least |eigenvalue| but 0, the bounds of
 * solver/minres/minres.h make e.e <= 2^-46 gap^2 r.r, and 2^-46 gap r.r of a semidefinite A. b - A
 * x is r but for 3 sqrt(3 k) eps gap^2 ||b|| (Sleijpen, van der Vorst and Modersitzki 2000, for the
 * condition gap in the range). */
static void expect_least_squares(const struct csr *A, const double *b, double least, double gap,
                                 bool semidefinite)
{
    static const double tolerances[] = {1e-2, 1e-4, 1e-8, 1e-13};
    for (size_t k = 0; k < sizeof tolerances / sizeof *tolerances; k++) {
        struct choice choice = minres();
        choice.tolerance = tolerances[k];
        solve(choice, A, b, &outcome);
        expect_reason(REASON_LEAST_SQUARES, &outcome);
        double residual = outcome.result.true_residual, allowed = outcome.result.rhs_norm;
        allowed *= 3 * sqrt(3 * (double)outcome.count) * DBL_EPSILON * gap * gap;
        ck_assert(residual >= least - allowed);
        double wanted = least / sqrt(1 - 0x1p-46 * gap * (semidefinite ? 1 : gap)) + allowed;
        ck_assert_msg(residual <= wanted, "||r|| = %.17g, and the least is %.17g", residual, least);
        ck_assert_int_eq(outcome.result.products, outcome.result.iterations + 1);
    }
}

/* A path's graph Laplacian, whose null space is 1, with an eigenvalue 2 - 2 cos(pi l / 200) for
 * l = 0, 1, ...: no tolerance makes a success of it, and the x of a solve that goes on grows along
 * 1 until b - A x is larger than b. */
START_TEST(a_laplacian_without_a_boundary_ends_at_the_least_squares_solution)
{
    enum { N = 200 };
    static double b[N];
    double upper[N * (N + 1) / 2] = {0}, sum = 0;
    uint64_t state = test_seed();
    for (int64_t i = 0, place = 0; i < N; i++)
        for (int64_t j = i; j < N; j++, place++)
            upper[place] = j == i ? (i == 0 || i == N - 1 ? 1 : 2) : j == i + 1 ? -1 : 0;
    struct csr A;
    test_matrix_from_dense(N, upper, CSR_SYMMETRIC, &A);
    for (int64_t i = 0; i < N; i++)
        sum += b[i] = 1 + test_random(&state);
    expect_least_squares(&A, b, sum / sqrt(N), 2 / (1 - cos(M_PI / N)), true);
    csr_free(&A);
}
END_TEST

/* A grid's adjacency: the eigenvalues are 2 cos(pi l / 8) + 2 cos(pi m / 8), and those with
 * l + m = 8 are 0, seven of them, in the middle of the spectrum. */
START_TEST(an_indefinite_system_ends_at_the_least_squares_solution)
{
    enum { SIDE = 7, N = SIDE * SIDE };
    double b[N], squares = 0, gap = INFINITY;
    uint64_t state = test_seed();
    struct csr A;
    struct error error;
    struct poisson3d adjacency = {{SIDE, SIDE, 1}, {1, 1, 1}, 1, -6, POISSON3D_DIRICHLET};
    expect_ok(poisson3d_create(&adjacency, &A, &error), &error);
    for (int i = 0; i < N; i++)
        b[i] = test_random(&state) - 0.3;
    for (int l = 1; l <= SIDE; l++) {
        double part = 0;
        for (int i = 0; i < N; i++)
            part += b[i] * sin(M_PI * l * (1 + i % SIDE) / 8) *
                    sin(M_PI * (8 - l) * (1 + i / SIDE) / 8);
        squares += part * part / 16; /* each of the two has the square 4 */
        for (int m = 1; m < 8 - l; m++)
            gap = fmin(gap, 2 * cos(M_PI * l / 8) + 2 * cos(M_PI * m / 8));
    }
    expect_least_squares(&A, b, sqrt(squares), 4 / gap, false);
    csr_free(&A);
}
END_TEST

/* Eigenvalues far below 1, but far above rounding errors of ||A||, are no null space: the solve
 * goes on and finds what there is. The last one's eigenvectors come in pairs of which b has as
 * much, so r.Ar is 0 all the way. */
START_TEST(small_eigenvalues_are_not_zero)
{
    static const double positive[] = {3, 2, 1, 1e-12}, both[] = {1, -2, 3, 1e-10};
    static const double ones[] = {1, 1, 1, 1, 0, 0, 0, 0}, sizes[] = {1, 0.5, 0.25, 1e-8};
    double pairs[8 * 9 / 2] = {0};
    struct csr A;
    struct choice choice = minres();
    choice.tolerance = 1e-2;
    diagonal(4, positive, &A);
    solve(choice, &A, ones, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    csr_free(&A);
    choice.tolerance = 1e-4;
    diagonal(4, both, &A);
    solve(choice, &A, ones, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    csr_free(&A);
    for (int i = 0, place = 0; i < 8; i++)
        for (int j = i; j < 8; j++, place++)
            pairs[place] = j == i + 4 ? sizes[i] : 0;
    test_matrix_from_dense(8, pairs, CSR_SYMMETRIC, &A);
    choice.tolerance = 1e-6;
    solve(choice, &A, ones, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    csr_free(&A);
}
END_TEST

/* Condition 1e14, and a solution so large that A x is known to less than 3 digits. */
START_TEST(a_solution_that_is_too_large_is_named)
{
    static const double upper[] = {1, 1 - 0x1p-45, 1}, b[] = {1, -0.5};
    struct csr A;
    test_matrix_from_dense(2, upper, CSR_SYMMETRIC, &A);
    solve(minres(), &A, b, &outcome);
    expect_reason(REASON_SINGULAR, &outcome);
    /* its row is there; and b - A x of a restart */
    ck_assert_int_eq(outcome.result.products, outcome.result.iterations + outcome.result.restarts);
    csr_free(&A);
}
END_TEST

START_TEST(iteration_limits_are_kept)
{
    static const int64_t limits[] = {0, 1, 2, 5};
    static double b[512];
    struct csr A;
    grid(8, 1, &A);
    for (int64_t i = 0; i < A.n; i += 3)
        A.values[A.offsets[i]] = -6;
    random_vector(2, A.n, b);
    solve(minres(), &A, b, &other);
    expect_reason(REASON_CONVERGED, &other);
    for (int k = 0; k < 4; k++) {
        struct choice choice = minres();
        choice.max_iterations = limits[k];
        solve(choice, &A, b, &outcome);
        expect_reason(REASON_ITERATION_LIMIT, &outcome);
        ck_assert_int_eq(outcome.result.iterations, limits[k]);
        ck_assert(outcome.result.residual == other.rows[limits[k]].residual);
        ck_assert(fabs(outcome.result.true_residual - outcome.result.residual) <=
                  1e-13 * outcome.result.rhs_norm); /* x is that of this row */
    }
    struct choice exact = minres();
    exact.max_iterations = other.result.iterations;
    solve(exact, &A, b, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    csr_free(&A);
}
END_TEST

/* Overflows in v'q or w'w, and what was not finite from the start. */
START_TEST(what_is_not_finite_never_converges)
{
    static const double cases[][4] = {/* diagonal, then b */
                                      {1e200, -1e200, 1, 2}, {1, 1, NAN, 1},
                                      {1, 1, 1, INFINITY},   {NAN, 1, 1, 1},
                                      {1, INFINITY, 1, 1},   {1e200, 1, 1, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int r = 0; r < 5; r++) {
            struct csr A;
            struct choice choice = minres();
            choice.reductions = (enum reductions)r;
            diagonal(2, cases[k], &A);
            solve(choice, &A, cases[k] + 2, &outcome);
            ck_assert_msg(outcome.result.reason == REASON_NOT_FINITE,
                          "case %d, reductions %d: \"%s\"", (int)k, r,
                          reason_name(outcome.result.reason));
            csr_free(&A);
        }
    static const double one[] = {1}, bad[] = {1, NAN};
    struct csr A;
    skew_blocks(1, one, &A);
    solve(skew(1), &A, bad, &outcome);
    expect_reason(REASON_NOT_FINITE, &outcome);
    csr_free(&A);
}
END_TEST

/* The squares of b would be 0 though it is not. Those of w are, where a kernel was set up from such
 * an A as it is: the true residual knows. */
START_TEST(a_vanishing_norm_does_not_converge)
{
    static const double values[] = {1, -2, 1e-200, -3e-200}, b[] = {3e-200, 4e-200, 3, 4};
    struct csr A;
    for (int k = 0; k < 2; k++) {
        diagonal(2, values + 2 * k, &A);
        solve(minres(), &A, b + 2 * k, &outcome);
        expect_reason(k ? REASON_RESIDUAL_GAP : REASON_CONVERGED, &outcome);
        csr_free(&A);
    }
}
END_TEST

/* Condition 2e12: x is 1e12 times b, and b - A x can be known to 1e-4 only. */
START_TEST(a_tolerance_out_of_reach_is_not_called_converged)
{
    static const double upper[] = {1, 1 - 1e-12, 1}, b[] = {1, -0.5};
    struct csr A;
    test_matrix_from_dense(2, upper, CSR_SYMMETRIC, &A);
    solve(minres(), &A, b, &outcome);
    expect_reason(REASON_STAGNATION, &outcome);
    ck_assert(outcome.result.true_residual > 1.1e-10 * outcome.result.rhs_norm);
    csr_free(&A);
}
END_TEST

/* No residual gets so small: the solve ends where it is eps ||A|| ||x||, and that is no success. A
 * shifted skew matrix likewise. ||A|| lies between the largest entry and 12. */
START_TEST(stagnation_ends_the_solve)
{
    static double b[512];
    struct csr A;
    grid(8, 1, &A);
    random_vector(4, A.n, b);
    struct choice choice = minres();
    choice.tolerance = 1e-300;
    solve(choice, &A, b, &outcome);
    expect_reason(REASON_STAGNATION, &outcome);
    double size = sqrt(plain_dot(A.n, outcome.x, outcome.x));
    ck_assert(outcome.result.residual <= 1.01 * 12 * DBL_EPSILON * size);
    ck_assert(outcome.rows[outcome.count - 3].residual > 0.99 * 4 * DBL_EPSILON * size);
    csr_free(&A);
    double blocks[32];
    for (int k = 0; k < 32; k++)
        blocks[k] = 1 + k;
    skew_blocks(32, blocks, &A);
    choice = skew(0.5);
    choice.tolerance = 1e-300;
    solve(choice, &A, b, &outcome);
    expect_reason(REASON_STAGNATION, &outcome);
    csr_free(&A);
}
END_TEST

/* A power of two goes through every operation unchanged, of b and of A. */
START_TEST(the_scale_does_not_matter)
{
    static double b[512], scaled[512];
    struct csr A;
    grid(8, 10, &A);
    for (int64_t i = 0; i < A.n; i += 5)
        A.values[A.offsets[i]] *= -1;
    random_vector(6, A.n, b);
    solve(minres(), &A, b, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    for (int k = 0; k < 2; k++) {
        double scale = k ? 0x1p60 : 0x1p-60;
        for (int64_t i = 0; i < A.n; i++)
            scaled[i] = scale * b[i];
        for (int64_t i = 0; i < A.nnz; i++)
            A.values[i] *= scale;
        solve(minres(), &A, scaled, &other);
        expect_reason(REASON_CONVERGED, &other);
        ck_assert_int_eq(other.count, outcome.count);
        for (int64_t row = 0; row < outcome.count; row++)
            ck_assert(other.rows[row].residual == scale * outcome.rows[row].residual);
        ck_assert_mem_eq(other.x, outcome.x, (size_t)A.n * sizeof *b);
        for (int64_t i = 0; i < A.nnz; i++)
            A.values[i] /= scale;
    }
    csr_free(&A);
}
END_TEST

START_TEST(matrices_of_other_kinds_are_refused)
{
    static const double three[] = {0, 1, 2, 0, 3, 0}, b[] = {1, 1, 1};
    struct error error;
    struct solver_result result;
    struct csr S, A, full;
    double x[3];
    test_matrix_from_dense(3, three, CSR_SKEW, &S);
    grid(1, 1, &A);
    expect_error(try_solve(minres(), &S, b, NULL, x, &result, &error), STATUS_CONFIG, &error,
                 "MINRES needs", "skew-symmetric", "\"skew\"", NULL);
    expect_error(try_solve(skew(1), &A, b, NULL, x, &result, &error), STATUS_CONFIG, &error,
                 "skew-symmetric matrix", "symmetric", "\"minres\"", NULL);
    expect_error(try_solve(skew(0), &S, b, NULL, x, &result, &error), STATUS_CONFIG, &error,
                 "odd order", "3 rows", "shift = 0", NULL);
    solve(skew(1), &S, b, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    expect_ok(csr_expand(&S, &full, &error), &error);
    for (int k = 0; k < 2; k++) {
        struct choice choice = k ? minres() : skew(1);
        choice.kernel = "cpu_csr";
        expect_error(try_solve(choice, &full, b, NULL, x, &result, &error), STATUS_CONFIG, &error,
                     "general", "products alone", NULL);
    }
    csr_free(&A);
    csr_free(&S);
    csr_free(&full);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {no_rhs_is_solved_by_zero,
                            the_smallest_systems,
                            singular_systems_are_named,
                            a_laplacian_without_a_boundary_ends_at_the_least_squares_solution,
                            an_indefinite_system_ends_at_the_least_squares_solution,
                            small_eigenvalues_are_not_zero,
                            a_solution_that_is_too_large_is_named,
                            iteration_limits_are_kept,
                            what_is_not_finite_never_converges,
                            a_vanishing_norm_does_not_converge,
                            a_tolerance_out_of_reach_is_not_called_converged,
                            stagnation_ends_the_solve,
                            the_scale_does_not_matter,
                            matrices_of_other_kinds_are_refused,
                            NULL};
    return suite_of("solver/minres_ends", tests);
}

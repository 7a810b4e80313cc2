/* Minimal residuals: against the textbook's loop in long double, against the least-squares optimum
 * over the Krylov space, symmetric and skew, and on every kernel of the CPU. How a solve can end is
 * the matter of test_minres_ends. */
#include "made.h"
#include "support.h"

#include "base/random.h"
#include "matrices.h"
#include "options.h"
#include "solver/krylov_reference.h"
#include "solver/minres/minres.h"
#include "solver/minres/preconditioned_scalars.h"
#include "solver/solve.h"
#include "spaces.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct outcome outcome;

static struct choice choose(const struct method *method, double shift)
{
    struct choice choice = standard;
    choice.method = method;
    choice.shift = shift;
    return choice;
}

static void poisson(int64_t x, int64_t y, int64_t z, double shift, struct csr *A)
{
    struct error error;
    struct poisson3d problem = {{x, y, z}, {1, 1, 1}, 1, shift, POISSON3D_DIRICHLET};
    expect_ok(poisson3d_create(&problem, A, &error), &error);
}

static void convection(int64_t x, int64_t y, int64_t z, struct csr *A)
{
    struct error error;
    struct convection3d problem = {{x, y, z}, {1, 0.7, -0.4}};
    expect_ok(problem_create(&problem_convection3d, &problem, A, &error), &error);
}

/* An error e_k of v_k, relative to 1, goes into alpha_k twice, into w once by A v, three times by
 * alpha_k v_k and twice by beta_k v_{k-1}, each times ||A|| at most; a step adds the roundings of a
 * product of 7 terms, of two fused updates, of a sum (60, see sum_order.h) and of three divisions;
 * and beta_{k+1} divides all of it. A relative error of T's column turns the rotation by that over
 * gamma_k, and the residual, a product of sines, by as much. */
START_TEST(the_first_steps_are_the_textbook_s)
{
    static double b[KRYLOV_N];
    static struct krylov_lanczos wanted;
    const double shifts[] = {-1, -2.5, -5.5, -8.25, 1};
    uint64_t state = test_seed();
    for (int s = 0; s < 5; s++) {
        struct csr A;
        poisson(8, 7, 6, shifts[s], &A);
        random_vector(test_random_below(&state, 1 << 20), A.n, b);
        krylov_lanczos(&A, NULL, b, 12, &wanted);
        solve(choose(&method_minres, 0), &A, b, &outcome);
        ck_assert_int_gt(outcome.count, 12);
        double norm = 12 + fabs(shifts[s]), u = DBL_EPSILON / 2, error = 70 * u, turned = 70 * u;
        ck_assert(isnan(outcome.rows[0].alpha) && isnan(outcome.rows[0].beta));
        int compared = 0;
        for (int k = 0; k <= 12 && turned < 1e-4; k++) {
            const struct kept_row *row = &outcome.rows[k];
            double scale = (double)wanted.residual[0] * turned;
            ck_assert_int_eq(row->iteration, k);
            ck_assert(fabsl(row->residual - wanted.residual[k]) <= scale);
            ck_assert(k == 0 || fabsl(row->alpha - wanted.alpha[k]) <= norm * error);
            ck_assert(k == 0 || fabsl(row->beta - wanted.beta[k]) <= norm * error);
            compared++;
            error = (8 * error + 90 * u) * norm / (double)wanted.beta[k + 1];
            turned += 4 * error * norm / (double)wanted.gamma[k + 1];
        }
        ck_assert_int_ge(compared, 4);
        csr_free(&A);
    }
}
END_TEST

enum { STEPS = 30 };

/* ||b - A x_k|| is the optimum within 1e-8 of itself in the first 30 steps, as long as it is above
 * 1e-5 ||b||; later the Lanczos vectors are no longer orthogonal, and the iteration falls behind.
 * Every x_k is that of a solve of its own. */
static void expect_optimal(struct choice choice, const struct csr *A, const double *b, int least)
{
    static long double optimum[KRYLOV_STEPS + 1];
    krylov_optimum(A, NULL, choice.shift, b, STEPS, optimum, NULL);
    choice.tolerance = 1e-15;
    int compared = 0;
    for (int k = 0; k <= STEPS && optimum[k] > 1e-5L * optimum[0]; k++, compared++) {
        choice.max_iterations = k;
        solve(choice, A, b, &outcome);
        expect_reason(REASON_ITERATION_LIMIT, &outcome);
        double best = (double)optimum[k];
        ck_assert_msg(fabs(outcome.result.true_residual - best) <= 1e-8 * best,
                      "shift %g, n = %d, k = %d: %.12g instead of %.12g", choice.shift, (int)A->n,
                      k, outcome.result.true_residual, best);
        ck_assert(fabs(outcome.result.residual - best) <= 1e-8 * best);
    }
    ck_assert_msg(compared >= least, "only %d steps", compared);
}

START_TEST(symmetric_residuals_are_the_least)
{
    static double b[KRYLOV_N];
    const double shifts[] = {0, -1, -2.5, -5.5, -9};
    uint64_t state = test_seed();
    for (int s = 0; s < 5; s++) {
        struct csr A;
        poisson(6, 5, 4 + s % 2, shifts[s], &A);
        random_vector(test_random_below(&state, 1 << 20), A.n, b);
        expect_optimal(choose(&method_minres, 0), &A, b, 15);
        csr_free(&A);
    }
}
END_TEST

START_TEST(skew_residuals_are_the_least)
{
    static double b[KRYLOV_N];
    const double shifts[] = {0, 0.3, -1, 2, 1e-3};
    uint64_t state = test_seed();
    for (int s = 0; s < 5; s++) {
        struct csr A;
        convection(6, 4, s == 1 ? 5 : 4, &A);
        random_vector(test_random_below(&state, 1 << 20), A.n, b);
        expect_optimal(choose(&method_skew, shifts[s]), &A, b, 8);
        csr_free(&A);
    }
}
END_TEST

/* Without a shift every odd step stands still. */
START_TEST(every_odd_step_of_a_skew_matrix_stagnates)
{
    static double b[KRYLOV_N];
    struct csr A;
    convection(6, 4, 4, &A);
    random_vector(3, A.n, b);
    solve(choose(&method_skew, 0), &A, b, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    ck_assert_int_gt(outcome.count, 20);
    for (int64_t k = 1; k < outcome.count; k++) {
        ck_assert(outcome.rows[k].alpha == 0);
        if (k % 2 == 1)
            ck_assert(outcome.rows[k].residual == outcome.rows[k - 1].residual);
        else
            ck_assert(outcome.rows[k].residual < outcome.rows[k - 1].residual);
    }
    csr_free(&A);
}
END_TEST

/* A solution that is known, by every kernel, in every kind of sum. ||(shift I + A)^-1||_inf <= 1 of
 * the rows that are dominated by their diagonal (Varah 1975), and ||.||_2 <= 1 / |shift| of the
 * skew ones, so x is as near as b - A x is small, but for the rounding of b. */
static void known_solution(struct choice choice, const struct csr *A)
{
    static double b[2000], x[2000];
    char text[32];
    snprintf(text, sizeof text, "seed=%d", (int)A->n);
    test_rhs_fill(test_options(COMPONENT_RHS, "solution", "x=random", text, NULL), A, choice.shift,
                  b);
    random_vector(A->n, A->n, x);
    solve(choice, A, b, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    ck_assert(outcome.result.true_residual <= 1.1 * choice.tolerance * outcome.result.rhs_norm);
    ck_assert_int_eq(outcome.result.products, outcome.result.iterations);
    double bound = 1.2 * choice.tolerance * outcome.result.rhs_norm + 1e-13;
    for (int64_t i = 0; i < A->n; i++)
        ck_assert_msg(fabs(outcome.x[i] - x[i]) <= bound, "%s: x[%d] = %.17g instead of %.17g",
                      choice.kernel, (int)i, outcome.x[i], x[i]);
}

START_TEST(every_kernel_finds_the_solution)
{
    uint64_t state = test_seed();
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    for (int m = 0; m < test_matrices_count; m++) {
        struct csr A, S;
        test_matrix_build_positive(&test_matrices[m], &state, &A);
        test_matrix_build(&test_matrices[m], CSR_SKEW, &state, &S);
        double largest = 0;
        for (int64_t k = 0; k < S.nnz; k++)
            largest = fmax(largest, fabs(S.values[k]));
        for (int64_t k = 0; k < S.nnz && largest > 0; k++)
            S.values[k] /= largest;
        for (int64_t i = 0; i < A.n; i++) /* the rows stay dominated: indefinite, ||A^-1|| <= 1 */
            A.values[A.offsets[i]] *= test_random(&state) < 0.5 ? -1 : 1;
        for (int k = 0; k < count; k++) {
            if (kernels[k]->space != SPACE_CPU)
                continue;
            struct choice choice = {.kernel = kernels[k]->component.name,
                                    .reductions = (enum reductions)((k + m) % 5),
                                    .tolerance = 1e-11,
                                    .max_iterations = SOLVE_ROWS - 1,
                                    .method = &method_minres,
                                    .threads = 1 + k % 3};
            known_solution(choice, &A);
            choice.method = &method_skew;
            choice.shift = k % 2 ? 3 : -3; /* ||(shift I + S)^-1|| <= 1 / 3 */
            known_solution(choice, &S);
        }
        csr_free(&A);
        csr_free(&S);
    }
}
END_TEST

/* A separate dot product costs two vectors, and a norm taken apart one. */
START_TEST(bytes_are_counted)
{
    struct error error;
    struct csr A;
    poisson(4, 4, 4, 0, &A);
    for (int skew = 0; skew < 2; skew++)
        for (int r = 0; r < 5; r++) {
            struct solver_options options = {.method = skew ? &method_skew : &method_minres};
            struct space *space;
            struct linear_operator spmv;
            const struct kernel *kernel = kernel_find("cpu_sym_bitwise");
            space = test_space(SPACE_CPU, (enum reductions)r, 0);
            expect_ok(operator_create(kernel, &A, NULL, space, &spmv, &error), &error);
            int64_t apart = r == REDUCTIONS_REPRODUCIBLE || skew ? 0 : 128;
            int64_t wanted =
                (skew ? 84 : 100) * A.n + apart * A.n / 8 + (r == REDUCTIONS_BLAS ? 8 * A.n : 0);
            ck_assert_int_eq(options.method->bytes_per_iteration(&options, &spmv) -
                                 spmv.bytes_per_apply,
                             wanted);
            ck_assert_int_eq(method_memory_bytes(&options, A.n),
                             48 * A.n + (int64_t)sizeof(struct minres_preconditioned_scalars));
            operator_destroy(&spmv);
            space->operations->destroy(space);
        }
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_first_steps_are_the_textbook_s,
                            symmetric_residuals_are_the_least,
                            skew_residuals_are_the_least,
                            every_odd_step_of_a_skew_matrix_stagnates,
                            every_kernel_finds_the_solution,
                            bytes_are_counted,
                            NULL};
    return suite_of("solver/minres", tests);
}

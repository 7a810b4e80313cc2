/* Minimal residuals with a preconditioner: against the textbook's loop in long double and the
 * optimum over the Krylov space, in the norm of M^-1; ||r||_2 against b - A x in every row; and
 * every way in which a solve can end. */
#include "made.h"
#include "support.h"

#include "base/random.h"
#include "solver/krylov_reference.h"
#include "solver/minres/preconditioned_scalars.h"
#include "solver/poisson_eigenvalues.h"
#include "solver/solve.h"
#include "spaces.h"
#include "spmv/preconditioner.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct outcome outcome;

static struct choice minres(void)
{
    struct choice choice = standard;
    choice.method = &method_minres;
    return choice;
}

static void poisson(int64_t x, int64_t y, int64_t z, double shift, struct csr *A)
{
    struct error error;
    struct poisson3d problem = {{x, y, z}, {1, 1, 1}, 1, shift, POISSON3D_DIRICHLET};
    expect_ok(poisson3d_create(&problem, A, &error), &error);
}

static double random_in(uint64_t *state, double low, double high)
{
    return low + (high - low) * test_random(state);
}

/* Eigenvalues within [1/2, 2]: a diagonal, or with six neighbours a row at most, of 1/16 at most
 * each, and a diagonal within [7/8, 13/8] (Gershgorin). */
static void inverse_like(const struct csr *A, bool has_neighbours, uint64_t *state, struct csr *W)
{
    struct error error;
    expect_ok(csr_create(W, CSR_SYMMETRIC, A->n, has_neighbours ? A->nnz : A->n, &error), &error);
    for (int64_t i = 0, k = 0; i < A->n; i++) {
        int64_t end = has_neighbours ? A->offsets[i + 1] : A->offsets[i] + 1;
        W->offsets[i] = k;
        for (int64_t from = A->offsets[i]; from < end; from++, k++) {
            W->columns[k] = A->columns[from];
            W->values[k] = from > A->offsets[i] ? random_in(state, -0.0625, 0.0625)
                           : has_neighbours     ? random_in(state, 0.875, 1.625)
                                                : random_in(state, 0.5, 2);
        }
        W->offsets[i + 1] = k;
    }
}

enum { W_NORM = 2, W_CONDITION = 4 };

static double preconditioned(const struct outcome *made, int64_t k)
{
    return made->rows[k].values[MINRES_PRECONDITIONED];
}

/* --- against the textbook --------------------------------------------------------------------- */

/* As in test_minres, in the norm of W = M^-1, in which the operator has the norm N = ||A|| ||W|| at
 * most. What a step adds is twice as much, for there is a product with W too. A rounding error of a
 * product is relative to ||A|| ||z||_2 or ||W|| ||y||_2; from 2-norms to the norms of W and W^-1,
 * and back, its bound grows by the condition of W. */
START_TEST(the_first_steps_are_the_textbook_s)
{
    static double b[KRYLOV_N];
    static struct krylov_lanczos wanted;
    const double shifts[] = {-1, -2.5, -5.5, -8.25, 1, 0};
    uint64_t state = test_seed();
    for (int s = 0; s < 6; s++) {
        struct csr A, W;
        poisson(8, 7, 6, shifts[s], &A);
        inverse_like(&A, s % 2, &state, &W);
        random_vector(test_random_below(&state, 1 << 20), A.n, b);
        krylov_lanczos(&A, &W, b, 12, &wanted);
        struct choice choice = minres();
        choice.inverse = &W;
        solve(choice, &A, b, &outcome);
        ck_assert_int_gt(outcome.count, 12);
        double norm = W_NORM * (12 + fabs(shifts[s])), u = W_CONDITION * DBL_EPSILON / 2;
        double error = 140 * u, turned = 140 * u;
        ck_assert(isnan(outcome.rows[0].alpha) && isnan(outcome.rows[0].beta));
        int compared = 0;
        for (int k = 0; k <= 12 && turned < 1e-4; k++) {
            const struct kept_row *row = &outcome.rows[k];
            double scale = (double)wanted.residual[0] * turned;
            ck_assert_int_eq(row->iteration, k);
            ck_assert(fabsl(preconditioned(&outcome, k) - wanted.residual[k]) <= scale);
            ck_assert(k == 0 || fabsl(row->alpha - wanted.alpha[k]) <= norm * error);
            ck_assert(k == 0 || fabsl(row->beta - wanted.beta[k]) <= norm * error);
            compared++;
            error = (8 * error + 180 * u) * norm / (double)wanted.beta[k + 1];
            turned += 4 * error * norm / (double)wanted.gamma[k + 1];
        }
        ck_assert_int_ge(compared, 4);
        csr_free(&A);
        csr_free(&W);
    }
}
END_TEST

enum { STEPS = 30 };

/* ||b - A x_k|| in W is the optimum within 1e-8 of itself in the first 30 steps, as long as it is
 * above 1e-5 of what it began with. The optimum's r and r_k differ by what r is orthogonal to in W,
 * so by sqrt(2e-8) of its norm at most, and their 2-norms by sqrt(||W^-1||) times that. Every x_k
 * is that of a solve of its own. */
static void expect_optimal(struct choice choice, const struct csr *A, const double *b)
{
    static long double optimum[KRYLOV_STEPS + 1], norm[KRYLOV_STEPS + 1];
    krylov_optimum(A, choice.inverse, 0, b, STEPS, optimum, norm);
    choice.tolerance = 1e-15;
    int compared = 0;
    for (int k = 0; k <= STEPS && optimum[k] > 1e-5L * optimum[0]; k++, compared++) {
        choice.max_iterations = k;
        solve(choice, A, b, &outcome);
        expect_reason(REASON_ITERATION_LIMIT, &outcome);
        double best = (double)optimum[k], distance = sqrt(2e-8) * best * sqrt(W_NORM);
        ck_assert_msg(fabs(preconditioned(&outcome, k) - best) <= 1e-8 * best,
                      "n = %d, k = %d: %.12g instead of %.12g", (int)A->n, k,
                      preconditioned(&outcome, k), best);
        ck_assert(fabs(outcome.result.true_residual - (double)norm[k]) <= distance);
        ck_assert_msg(fabs(outcome.result.true_residual - outcome.result.residual) <= 1e-8 * best,
                      "k = %d: %.12g, and b - A x is %.12g", k, outcome.result.residual,
                      outcome.result.true_residual);
    }
    ck_assert_msg(compared >= 12, "only %d steps", compared);
}

START_TEST(residuals_are_the_least)
{
    static double b[KRYLOV_N];
    const double shifts[] = {0, -1, -2.5, -5.5, -9};
    uint64_t state = test_seed();
    for (int s = 0; s < 10; s++) {
        struct csr A, W;
        poisson(6, 5, 4 + s % 2, shifts[s / 2], &A);
        inverse_like(&A, s % 2, &state, &W);
        random_vector(test_random_below(&state, 1 << 20), A.n, b);
        struct choice choice = minres();
        choice.inverse = &W;
        expect_optimal(choice, &A, b);
        csr_free(&A);
        csr_free(&W);
    }
}
END_TEST

/* --- every row -------------------------------------------------------------------------------- */

struct watched {
    const struct csr *A;
    const double *b;
    int64_t rows, looks;
    struct kept_row row[SOLVE_ROWS];
    double true_residual[SOLVE_ROWS];
};

static enum status watch(void *context, const struct event *event, struct error *error)
{
    struct watched *watched = context;
    (void)error;
    if (event->kind == EVENT_ROW) {
        watched->row[watched->rows++] = row_kept(&method_minres, event);
        return STATUS_OK;
    }
    ck_assert_int_eq(event->iteration, watched->looks);
    watched->true_residual[watched->looks++] =
        true_residual(1, watched->A, 0, watched->b, event->values);
    return STATUS_OK;
}

/* A shift for which no eigenvalue of the box lies within 0.05 of 0. */
static double regular_shift(const struct poisson3d *box, uint64_t *state)
{
    double *values = poisson_eigenvalues(box), shift = 0, nearest = 0;
    int64_t n = box->n[0] * box->n[1] * box->n[2];
    while (nearest < 0.05) {
        shift = random_in(state, -9, 1);
        nearest = INFINITY;
        for (int64_t i = 0; i < n; i++)
            nearest = fmin(nearest, fabs(values[i] + shift));
    }
    memory_free(values);
    return shift;
}

static const char *const all_preconditioners[] = {"jacobi", "block_jacobi", "chebyshev",
                                                  "multigrid"};

/* |phi_k| never grows, but by the rounding of c_k, s_k and the product. ||r_k||_2 is that of
 * b - A x_k: the errors of x_k are below 3 sqrt(3 k) eps condition^2 ||b|| (Sleijpen, van der Vorst
 * and Modersitzki 2000, without an M), the condition below 13 / 0.05 of A. With M it is that of
 * M^-1 A, and the errors of products with M^-1 are relative to its condition; 16 is for both. */
START_TEST(the_norms_are_those_of_b_minus_A_x)
{
    static double b[KRYLOV_N], x[KRYLOV_N];
    static struct watched watched;
    uint64_t state = test_seed();
    struct error error;
    for (int k = 0; k < 8; k++) {
        struct poisson3d box = {{8, 7, 6}, {1, 1, 1}, 1, 0, POISSON3D_DIRICHLET};
        struct csr A, near;
        struct solver_result result;
        struct observer observer = {.wants = 1u << EVENT_ROW | 1u << EVENT_VECTOR,
                                    .trace = {1, 1u << VECTOR_X},
                                    .see = watch,
                                    .context = &watched};
        expect_ok(poisson3d_create(&box, &near, &error), &error);
        poisson(8, 7, 6, k < 4 ? 0 : regular_shift(&box, &state), &A);
        random_vector(test_random_below(&state, 1 << 20), A.n, b);
        struct choice choice = minres();
        choice.preconditioner = all_preconditioners[k % 4];
        choice.near = &near;
        choice.threads = 1;
        watched = (struct watched){.A = &A, .b = b};
        expect_ok(try_solve(choice, &A, b, &observer, x, &result, &error), &error);
        ck_assert_int_eq(result.reason, REASON_CONVERGED);
        ck_assert_int_eq(watched.rows, result.iterations + 1);
        ck_assert_int_eq(watched.looks, watched.rows);
        double condition = 13 / 0.05, u = DBL_EPSILON / 2;
        for (int64_t row = 0; row < watched.rows; row++) {
            const double *values = watched.row[row].values;
            double gap = 16 * 3 * sqrt(3 * (double)(row + 1)) * 2 * u * condition * condition;
            ck_assert_msg(fabs(values[MINRES_RESIDUAL] - watched.true_residual[row]) <=
                              gap * result.rhs_norm,
                          "%s, row %d: %.12g, and b - A x is %.12g", choice.preconditioner,
                          (int)row, values[MINRES_RESIDUAL], watched.true_residual[row]);
            double before = row > 0 ? watched.row[row - 1].values[MINRES_PRECONDITIONED] : INFINITY;
            ck_assert(values[MINRES_PRECONDITIONED] <= (1 + 8 * u) * before);
        }
        csr_free(&A);
        csr_free(&near);
    }
}
END_TEST

/* --- by every kernel -------------------------------------------------------------------------- */

/* A solution that is known, of a definite A and one that is not, by every kernel, in every kind of
 * sum: |x_i| <= 1, and ||A^-1|| <= 1 / 0.05 of both. */
START_TEST(every_kernel_finds_the_solution)
{
    static double b[KRYLOV_N], x[KRYLOV_N];
    uint64_t state = test_seed();
    struct poisson3d box = {{8, 7, 6}, {1, 1, 1}, 1, 0, POISSON3D_DIRICHLET};
    struct error error;
    struct csr A, near;
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    expect_ok(poisson3d_create(&box, &near, &error), &error);
    poisson(8, 7, 6, regular_shift(&box, &state), &A);
    random_vector(test_random_below(&state, 1 << 20), A.n, x);
    for (int k = 0; k < 4 * count; k++) {
        const struct kernel *kernel = kernels[k / 4];
        if (kernel->space != SPACE_CPU)
            continue;
        const struct csr *of = k % 3 ? &A : &near;
        struct choice choice = minres();
        choice.kernel = kernel->component.name;
        choice.reductions = (enum reductions)(k % 5);
        choice.tolerance = 1e-11;
        choice.preconditioner = all_preconditioners[k % 4];
        choice.near = &near;
        choice.threads = 1 + k % 3;
        csr_multiply(of, x, b);
        solve(choice, of, b, &outcome);
        expect_reason(REASON_CONVERGED, &outcome);
        double bound = 20 * 1.2 * choice.tolerance * outcome.result.rhs_norm + 1e-12;
        for (int64_t i = 0; i < A.n; i++)
            ck_assert_msg(fabs(outcome.x[i] - x[i]) <= bound,
                          "%s, %s: x[%d] = %.17g instead of %.17g", choice.kernel,
                          choice.preconditioner, (int)i, outcome.x[i], x[i]);
    }
    csr_free(&A);
    csr_free(&near);
}
END_TEST

/* 104 n besides the product and the apply; a separate dot product costs two vectors, and BLAS one
 * for each of four norms. */
START_TEST(bytes_are_counted)
{
    struct error error;
    struct csr A;
    poisson(4, 4, 4, 0, &A);
    for (int r = 0; r < 5; r++) {
        struct linear_operator spmv, M = {.bytes_per_apply = 12345};
        struct solver_options options = {.method = &method_minres, .preconditioner = &M};
        struct space *space = test_space(SPACE_CPU, (enum reductions)r, 0);
        expect_ok(operator_create(kernel_find("cpu_sym_bitwise"), &A, NULL, space, &spmv, &error),
                  &error);
        int64_t apart = r == REDUCTIONS_REPRODUCIBLE ? 0 : 16 * A.n;
        int64_t wanted = 104 * A.n + apart + (r == REDUCTIONS_BLAS ? 32 * A.n : 0) + 12345;
        ck_assert_int_eq(method_minres.bytes_per_iteration(&options, &spmv) - spmv.bytes_per_apply,
                         wanted);
        ck_assert_int_eq(method_memory_bytes(&options, A.n),
                         64 * A.n + (int64_t)sizeof(struct minres_preconditioned_scalars));
        operator_destroy(&spmv);
        space->operations->destroy(space);
    }
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_first_steps_are_the_textbook_s,
                            residuals_are_the_least,
                            the_norms_are_those_of_b_minus_A_x,
                            every_kernel_finds_the_solution,
                            bytes_are_counted,
                            NULL};
    return suite_of("solver/minres_preconditioned", tests);
}

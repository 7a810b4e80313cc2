/* Conjugate gradients over products of single precision: the recursive residual falls, the true one
 * stops where the rounding of A leaves it, and the solve says so. */
#include "support.h"

#include "problem/generators.h"
#include "solver/cg/cg.h"
#include "solver/residual.h"
#include "solver/solve.h"
#include "spaces.h"
#include "spmv/precision.h"

#include <math.h>
#include <string.h>

static const double tolerance = 1e-8;

static struct outcome outcome, other;

static enum status keep_row(void *context, const struct event *event, struct error *error)
{
    (void)error;
    struct outcome *kept = context;
    ck_assert_int_lt(kept->count, SOLVE_ROWS);
    kept->rows[kept->count++] = row_kept(&method_cg, event);
    return STATUS_OK;
}

/* Whether the kernel offers that precision; then the solve. */
static bool solve_in(const struct kernel *kernel, enum precision precision, const struct csr *A,
                     const double *b, struct outcome *made)
{
    struct error error;
    struct space *space;
    struct linear_operator spmv;
    struct solver_options limits = {
        .method = &method_cg, .tolerance = tolerance, .max_iterations = SOLVE_ROWS - 1};
    struct observer observer = {.wants = 1u << EVENT_ROW, .see = keep_row, .context = made};
    struct kernel_options options = kernel_defaults(kernel);
    if (!choose_precision(kernel, precision, &options))
        return false;
    made->count = 0;
    space = test_space(kernel->space, REDUCTIONS_REPRODUCIBLE, 0);
    expect_ok(operator_create(kernel, A, &options, space, &spmv, &error), &error);
    expect_ok(solver_solve(&spmv, A, b, NULL, &limits, &observer, made->x, &made->result, &error),
              &error);
    operator_destroy(&spmv);
    space->operations->destroy(space);
    return true;
}

/* A network whose conductances are no singles, and its right-hand side. */
static void network(struct csr *A, double **b)
{
    struct error error;
    struct network network = {{7, 8, 9}, 2, 0, 1e-4, 5};
    expect_ok(problem_create(&problem_network, &network, A, &error), &error);
    *b = memory_array(A->n, sizeof **b, "b", &error);
    ck_assert_ptr_nonnull(*b);
    uint64_t state = 7;
    for (int64_t i = 0; i < A->n; i++)
        (*b)[i] = 2 * test_random(&state) - 1;
}

/* fl(A) and A - fl(A), the latter exact. */
static void split(const struct csr *A, struct csr *rounded, struct csr *rest)
{
    struct error error;
    expect_ok(csr_expand(A, rounded, &error), &error);
    expect_ok(csr_expand(A, rest, &error), &error);
    for (int64_t k = 0; k < rounded->nnz; k++) {
        rounded->values[k] = (double)(float)rounded->values[k];
        rest->values[k] -= rounded->values[k];
    }
}

/* Every kernel that offers single values, where it can run, solves the rounded system: b - A
 * x = (b - fl(A) x) - (A - fl(A)) x, so the true residual is ||(A - fl(A)) x||, give or take what a
 * converged solve of fl(A) x = b leaves. */
START_TEST(single_values_leave_a_gap)
{
    struct error error;
    struct csr A, rounded, rest;
    double *b, left, moved;
    network(&A, &b);
    split(&A, &rounded, &rest);
    double *zero = memory_zeros(A.n, sizeof *zero, "zero", &error);
    ck_assert_ptr_nonnull(zero);
    int count, tried = 0;
    const struct kernel *const *kernels = kernel_list(&count);
    for (int k = 0; k < count; k++) {
        if (kernels[k]->space != SPACE_CPU ||
            !solve_in(kernels[k], PRECISION_FLOAT_DOUBLE, &A, b, &outcome))
            continue;
        tried++;
        solve_in(kernels[k], PRECISION_DOUBLE, &A, b, &other);
        expect_reason(REASON_CONVERGED, &other);
        expect_reason(REASON_RESIDUAL_GAP, &outcome);
        double allowed = tolerance * outcome.result.rhs_norm;
        ck_assert(outcome.result.residual <= allowed);
        left = true_residual(0, &rounded, 0, b, outcome.x);
        moved = true_residual(0, &rest, 0, zero, outcome.x);
        ck_assert_msg(left <= 1.1 * allowed, "%s: the rounded system is left with %g",
                      kernels[k]->component.name, left);
        ck_assert_msg(fabs(outcome.result.true_residual - moved) <= left * (1 + 1e-9),
                      "%s: the true residual is %g, the rounded values make %g",
                      kernels[k]->component.name, outcome.result.true_residual, moved);
        ck_assert(moved > 100 * allowed);
    }
    ck_assert_int_ge(tried, 3);
    memory_free(zero);
    memory_free(b);
    csr_free(&rest);
    csr_free(&rounded);
    csr_free(&A);
}
END_TEST

/* With sums in double and a fixed order, the history is bit for bit that of the rounded matrix:
 * only the ending differs, because the true residual is that of A. */
START_TEST(single_values_have_the_history_of_the_rounded_matrix)
{
    struct csr A, rounded;
    double *b;
    network(&A, &b);
    ck_assert(solve_in(kernel_find("cpu_csr"), PRECISION_FLOAT_DOUBLE, &A, b, &outcome));
    struct error error;
    expect_ok(csr_create(&rounded, A.kind, A.n, A.nnz, &error), &error);
    memcpy(rounded.offsets, A.offsets, (size_t)(A.n + 1) * sizeof *A.offsets);
    memcpy(rounded.columns, A.columns, (size_t)A.nnz * sizeof *A.columns);
    for (int64_t k = 0; k < A.nnz; k++)
        rounded.values[k] = (double)(float)A.values[k];
    ck_assert(solve_in(kernel_find("cpu_csr"), PRECISION_DOUBLE, &rounded, b, &other));
    expect_reason(REASON_CONVERGED, &other);
    expect_reason(REASON_RESIDUAL_GAP, &outcome);
    ck_assert_int_eq(outcome.count, other.count);
    for (int64_t k = 0; k < other.count; k++)
        ck_assert_mem_eq(&outcome.rows[k].residual, &other.rows[k].residual, sizeof(double));
    ck_assert_mem_eq(outcome.x, other.x, (size_t)A.n * sizeof *other.x);
    memory_free(b);
    csr_free(&rounded);
    csr_free(&A);
}
END_TEST

/* Single sums as well: the recursion passes, and the solve is not called converged. */
START_TEST(single_sums_leave_a_gap)
{
    struct csr A;
    double *b;
    network(&A, &b);
    int count, tried = 0;
    const struct kernel *const *kernels = kernel_list(&count);
    for (int k = 0; k < count; k++) {
        if (kernels[k]->space != SPACE_CPU ||
            !solve_in(kernels[k], PRECISION_FLOAT, &A, b, &outcome))
            continue;
        tried++;
        expect_reason(REASON_RESIDUAL_GAP, &outcome);
        ck_assert(outcome.result.residual <= tolerance * outcome.result.rhs_norm);
        ck_assert(outcome.result.true_residual > 100 * tolerance * outcome.result.rhs_norm);
    }
    ck_assert_int_ge(tried, 3);
    memory_free(b);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {single_values_leave_a_gap,
                            single_values_have_the_history_of_the_rounded_matrix,
                            single_sums_leave_a_gap, NULL};
    return suite_of("solver/cg_precision", tests);
}

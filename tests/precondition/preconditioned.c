#include "precondition/preconditioned.h"

#include "support.h"

#include "base/memory.h"
#include "base/random.h"
#include "options.h"
#include "solver/cg/cg.h"
#include "spaces.h"
#include "study/preconditioner_trials.h"
#include "study/test_matrices.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct options preconditioner_tried(int k)
{
    static const char *const tried[PRECONDITIONERS_TRIED][4] = {
        {"none"},
        {"jacobi"},
        {"block_jacobi", "block=4"},
        {"block_jacobi", "block=7"},
        {"chebyshev", "degree=1"},
        {"chebyshev", "degree=2"},
        {"chebyshev", "degree=5"},
        {"multigrid", "coarsest=8"},
        {"multigrid", "coarsest=8", "aggregates=matching"},
        {"multigrid", "coarsest=8", "transfer=smoothed"},
        {"multigrid", "coarsest=8", "smoother=fsai"},
        {"fsai"},
        {"fsai", "looks=1", "step=3", "threshold=0.1"},
        {"fsai", "precision=float"},
        {"auto"},
        {"multigrid", "coarsest=8", "precision=float"},
        {"multigrid", "coarsest=8", "precision=float", "aggregates=matching"},
        {"multigrid", "coarsest=8", "precision=float", "transfer=smoothed"},
        {"multigrid", "coarsest=8", "precision=float", "smoother=fsai"},
    };
    return test_options(COMPONENT_PRECONDITIONER, tried[k][0], tried[k][1], tried[k][2],
                        tried[k][3], NULL);
}

bool preconditioner_suits(int k, const char *kernel)
{
    struct kernel_options options;
    return k < PRECONDITIONERS_IN_DOUBLE ||
           kernel_set_precision(kernel_find(kernel), PRECISION_FLOAT, &options);
}

void expect_preconditioner(int k, const char *kernel, uint64_t seed)
{
    struct error error;
    struct trials_found found;
    struct trials_options how = {.seed = seed, .quick = test_is_slow()};
    struct options options = preconditioner_tried(k);
    expect_ok(
        preconditioner_try(options.component, &options, kernel_find(kernel), &how, &found, &error),
        &error);
    ck_assert_msg(!*found.broken, "%s, %s: %s", options.component->name, found.trial, found.broken);
    ck_assert_int_ge(found.matrices, test_matrices_count / (how.quick ? TRIALS_QUICK : 1));
    bool sweeps = strstr(kernel, "sym_bitwise");
    ck_assert(!sweeps || found.can & OPERATOR_COLUMNS);
    options_free(&options);
}

struct options chebyshev_options(int64_t degree, double low, double high)
{
    const double bounds[2] = {low, high};
    char text[32];
    struct error error;
    snprintf(text, sizeof text, "degree=%" PRId64, degree);
    struct options options = test_options(COMPONENT_PRECONDITIONER, "chebyshev", text, NULL);
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, "%.17g", bounds[k]);
        if (bounds[k] > 0)
            expect_ok(options_set(&options, k ? "high" : "low", text, &error), &error);
    }
    return options;
}

static enum status keep(void *context, const struct event *event, struct error *error)
{
    (void)error;
    struct preconditioned_history *history = context;
    ck_assert_int_lt(history->count, PRECONDITIONED_ROWS);
    history->rows[history->count++] = row_kept(&method_cg, event);
    return STATUS_OK;
}

enum status solve_with(double tolerance, struct linear_operator *spmv, struct linear_operator *M,
                       const struct csr *A, const double *b, struct preconditioned_history *history,
                       double *x, struct error *error)
{
    struct observer observer = {.wants = 1u << EVENT_ROW, .see = keep, .context = history};
    struct solver_options options = {.method = &method_cg,
                                     .tolerance = tolerance,
                                     .max_iterations = PRECONDITIONED_ROWS - 1,
                                     .preconditioner = M};
    history->count = 0;
    return solver_solve(spmv, A, b, NULL, &options, &observer, x, &history->result, error);
}

static enum status solve_over(struct linear_operator *spmv, const struct preconditioned *choice,
                              const struct csr *A, const double *b,
                              struct preconditioned_history *history, double *x,
                              struct error *error)
{
    struct linear_operator M = {0};
    bool is_set = preconditioner_is_set(&choice->options);
    enum status status =
        is_set ? preconditioner_create(&choice->options, A, NULL, spmv, &M, error) : STATUS_OK;
    if (!status)
        status = solve_with(choice->tolerance, spmv, is_set ? &M : NULL, A, b, history, x, error);
    operator_destroy(&M);
    return status;
}

enum status try_preconditioned(const struct preconditioned *choice, const struct csr *A,
                               const double *b, struct preconditioned_history *history, double *x,
                               struct error *error)
{
    const struct kernel *kernel = kernel_find(choice->kernel);
    struct kernel_options options = kernel_defaults(kernel);
    struct space *space;
    struct linear_operator spmv;
    for (int64_t i = 0; i < A->n; i++)
        x[i] = NAN;
    if (choice->parameter)
        options.values[0] = choice->parameter;
    struct space_options wanted = {.reductions = choice->reductions, .threads = choice->threads};
    enum status status = space_create(kernel->space, &wanted, &space, error);
    if (status)
        return status;
    status = operator_create(kernel, A, &options, space, &spmv, error);
    if (!status)
        status = solve_over(&spmv, choice, A, b, history, x, error);
    operator_destroy(&spmv);
    space->operations->destroy(space);
    return status;
}

void solve_preconditioned(const struct preconditioned *choice, const struct csr *A, const double *b,
                          struct preconditioned_history *history, double *x)
{
    struct error error;
    expect_ok(try_preconditioned(choice, A, b, history, x, &error), &error);
    ck_assert_int_eq(history->count, history->result.iterations + 1);
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

void expect_same_history(const struct preconditioned_history *one,
                         const struct preconditioned_history *two, const char *what)
{
    ck_assert_msg(one->count == two->count, "%s: %d and %d rows", what, (int)one->count,
                  (int)two->count);
    for (int64_t k = 0; k < one->count; k++) {
        const struct kept_row *a = &one->rows[k], *b = &two->rows[k];
        ck_assert_msg(same(a->residual, b->residual) &&
                          (k == 0 || (same(a->alpha, b->alpha) && same(a->beta, b->beta))),
                      "%s: row %d: residual %a and %a", what, (int)k, a->residual, b->residual);
    }
}

void apply_once(const struct options *options, int threads, const struct csr *A, const double *r,
                double *z, double *dot)
{
    struct error error;
    struct space *space;
    struct linear_operator spmv;
    struct linear_operator M;
    space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, threads);
    expect_ok(operator_create(kernel_find("cpu_csr"), A, NULL, space, &spmv, &error), &error);
    expect_ok(preconditioner_create(options, A, NULL, &spmv, &M, &error), &error);
    for (int64_t i = 0; i < A->n; i++)
        z[i] = NAN;
    *dot = NAN;
    expect_ok(operator_apply_dot(&M, r, z, dot, &error), &error);
    operator_destroy(&M);
    operator_destroy(&spmv);
    space->operations->destroy(space);
}

long double *dense_of(const struct csr *A)
{
    struct error error;
    int64_t n = A->n;
    long double *dense = memory_zeros(n * n, sizeof *dense, "a dense matrix", &error);
    ck_assert_ptr_nonnull(dense);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
            dense[i * n + A->columns[k]] = dense[A->columns[k] * n + i] = (long double)A->values[k];
    return dense;
}

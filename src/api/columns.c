/* A X = B for one or several columns, on the host. */
#include "api/solve.h"
#include "api/strides.h"
#include "base/memory.h"
#include "solver/method.h"

#include <stdint.h>

/* An array of the caller's, and its columns, one after the other. */
struct columns {
    const double *array; /* NULL: none */
    struct api_layout layout;
    const char *what;
    int64_t span;
    double *copy;          /* NULL: none */
    const double *columns; /* the copy or the caller's */
};

static bool overlap(const struct columns *a, const struct columns *b)
{
    uintptr_t of_a = (uintptr_t)a->array, of_b = (uintptr_t)b->array, size = sizeof *a->array;
    return of_a < of_b + (uintptr_t)b->span * size && of_b < of_a + (uintptr_t)a->span * size;
}

static enum status reserve(struct columns *made, struct error *error)
{
    made->copy =
        memory_array(made->layout.columns * made->layout.n, sizeof *made->copy, made->what, error);
    made->columns = made->copy;
    return made->copy ? STATUS_OK : STATUS_MEMORY;
}

/* apart: from x, which comes while these are still read. */
static enum status take(struct columns *made, bool apart, struct error *error)
{
    made->columns = made->array;
    if (!made->array || (apart && strides_are_columns(&made->layout)))
        return STATUS_OK;
    enum status status = reserve(made, error);
    if (!status)
        strides_gather(&made->layout, made->array, made->copy);
    return status;
}

static enum status solve(struct cgs_solver *solver, struct columns *b, struct columns *x0,
                         struct columns *x, double *X, struct cgs_result *results,
                         struct error *error)
{
    int64_t columns = x->layout.columns;
    enum status status = strides_are_columns(&x->layout) ? STATUS_OK : reserve(x, error);
    if (!status)
        status = take(b, x->copy || !overlap(b, x), error);
    if (!status)
        status = take(x0, x->copy || !overlap(x0, x), error);
    const struct api_system system = {.columns = columns,
                                      .b = b->columns,
                                      .x0 = x0->columns,
                                      .x = x->copy ? x->copy : X,
                                      .results = results};
    if (!status)
        status = api_solve(solver, &system, error);
    if (!status && x->copy)
        strides_scatter(&x->layout, x->copy, X);
    return status;
}

enum status api_solve_columns(struct cgs_solver *solver, int64_t columns, const double *B,
                              struct cgs_strides of_B, const double *X0, double *X,
                              struct cgs_strides of_X, struct cgs_result *results,
                              struct error *error)
{
    int64_t n = solver->kernel->A->n;
    struct columns b = {.array = B, .layout = {n, columns, of_B}, .what = "a copy of B"};
    struct columns x0 = {.array = X0, .layout = {n, columns, of_X}, .what = "a copy of X0"};
    struct columns x = {.array = X, .layout = {n, columns, of_X}, .what = "a copy of X"};
    enum status status = api_expect_method(solver, METHOD_FINDS_VECTOR, "cgs_solve_eigen", error);
    if (!status)
        status = strides_check(&b.layout, "B", &b.span, error);
    if (!status)
        status = strides_check(&x.layout, "X", &x.span, error);
    x0.span = x.span;
    if (!status)
        status = solve(solver, &b, &x0, &x, X, results, error);
    memory_free(b.copy);
    memory_free(x0.copy);
    memory_free(x.copy);
    return status;
}

enum cgs_status cgs_solve_columns(struct cgs_solver *solver, int64_t columns, const double *B,
                                  struct cgs_strides of_B, const double *X0, double *X,
                                  struct cgs_strides of_X, struct cgs_result *results,
                                  struct cgs_error *error)
{
    if (!solver || !B || !X)
        return api_missing(!solver ? "a solver" : !B ? "B" : "X", error);
    if (!api_solve_begin(solver, error))
        return CGS_BAD_OPTION;
    return api_end(solver->kernel, api_solve_columns(solver, columns, B, of_B, X0, X, of_X, results,
                                                     api_error(error)));
}

enum cgs_status cgs_solve(struct cgs_solver *solver, const double *b, const double *x0, double *x,
                          struct cgs_result *result, struct cgs_error *error)
{
    const struct cgs_strides one = {1, 1};
    if (!solver || !b || !x)
        return api_missing(!solver ? "a solver" : !b ? "b" : "x", error);
    if (!api_solve_begin(solver, error))
        return CGS_BAD_OPTION;
    return api_end(solver->kernel,
                   api_solve_columns(solver, 1, b, one, x0, x, one, result, api_error(error)));
}

/* Solves with arrays of the caller's: A X = B for one or several columns, and A V = V Lambda. */
#include "spmv/columns.h"
#include "api/ranks.h"
#include "api/solve.h"
#include "api/strided.h"
#include "base/memory.h"
#include "base/random.h"
#include "solver/method.h"

#include <math.h>

static enum status check(const struct cgs_operator *kernel, const struct cgs_array *given,
                         const char *what, int64_t columns, struct strided *made,
                         struct error *error)
{
    const struct strided_wanted wanted = {what, api_given_rows(kernel), columns, STRIDED_DOUBLES};
    return strided_check(kernel->context, kernel->space, given, &wanted, made, error);
}

static enum status solve_on_host(struct cgs_solver *solver, struct strided *b, struct strided *x0,
                                 struct strided *x, struct cgs_result *results, struct error *error)
{
    struct space *space = solver->kernel->space;
    enum status status = strided_reserve(x, error);
    if (!status)
        status = strided_read(space, b, x, error);
    if (!status)
        status = strided_read(space, x0, x, error);
    const struct api_system system = {
        .columns = x->at.columns, .b = b->host, .x0 = x0->host, .x = x->host, .results = results};
    if (!status)
        status = api_solve(solver, STATUS_OK, &system, error);
    return status ? status : strided_write(space, x, error);
}

/* --- over ranks ------------------------------------------------------------------------------- */

/* A rank without rows needs no arrays. */
static enum status check_given(const struct strided *b, const struct strided *x0,
                               const struct strided *x, bool starts, int64_t rows,
                               struct error *error)
{
    const char *missing = !b->at.data              ? "b"
                          : !x->at.data            ? "x"
                          : starts && !x0->at.data ? "x0, which another rank has,"
                                                   : NULL;
    return missing && rows > 0 ? error_set(error, STATUS_CONFIG, "%s is NULL", missing) : STATUS_OK;
}

/* The ranks agree on the status of each before they work together. */
static enum status solve_over_ranks(struct cgs_solver *solver, enum status status,
                                    struct strided *b, struct strided *x0, struct strided *x,
                                    struct cgs_result *results, struct error *error)
{
    const struct cgs_operator *kernel = solver->kernel;
    struct error own;
    bool starts = x0->at.data;
    enum status met = api_ranks_any(kernel->context, &starts, &own);
    if (met && error)
        *error = own;
    if (met)
        return met;
    if (!status)
        status = check_given(b, x0, x, starts, api_given_rows(kernel), error);
    if (!status)
        status = strided_reserve(x, error);
    if (!status)
        status = strided_read(kernel->space, b, x, error);
    if (!status)
        status = strided_read(kernel->space, x0, x, error);
    const struct api_system system = {.columns = b->at.columns > 0 ? b->at.columns : 1,
                                      .b = b->host,
                                      .x0 = x0->host,
                                      .starts = starts,
                                      .x = x->host,
                                      .results = results};
    status = api_solve(solver, status, &system, error);
    return status || !x->at.data ? status : strided_write(kernel->space, x, error);
}

/* --- in the memory of a device ---------------------------------------------------------------- */

static bool on_device(const struct strided *array)
{
    return array->at.place == CGS_CUDA;
}

/* The pass column_take copies the columns of the array to v, one after the other; column_put copies
 * back. */
static enum status move(struct space *space, const struct pass *pass, const struct cgs_array *at,
                        double *v, struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t j = 0; j < at->columns && !status; j++) {
        struct column_work work = {(double *)at->data + j * at->column_stride, v + j * at->rows,
                                   at->row_stride};
        status = space_run(space, pass, at->rows, &work, error);
    }
    return status;
}

/* *v = the array; or *copy, if it has gaps or shares memory with x. */
static enum status take(struct space *space, const struct strided *array, const struct strided *x,
                        const double **v, double **copy, struct error *error)
{
    const struct cgs_array *at = &array->at;
    *v = at->data;
    if (!*v || (strided_is_dense(array) && !strided_overlap(array, x)))
        return STATUS_OK;
    enum status status = space_vector(space, at->rows * at->columns, array->what, copy, error);
    if (!status)
        status = move(space, &pass_column_take, at, *copy, error);
    *v = *copy;
    return status;
}

/* x is complete when api_end has waited. */
static enum status solve_on_device(struct cgs_solver *solver, struct strided *b, struct strided *x0,
                                   struct strided *x, struct cgs_result *results,
                                   struct error *error)
{
    struct space *space = solver->kernel->space;
    double *copies[2] = {NULL, NULL}, *found = NULL;
    const struct cgs_array *at = &x->at;
    x->host = at->data;
    struct api_system system = {
        .columns = at->columns, .memory = space, .x = at->data, .results = results};
    enum status status = take(space, b, x, &system.b, &copies[0], error);
    if (!status)
        status = take(space, x0, x, &system.x0, &copies[1], error);
    if (!status && !strided_is_dense(x)) {
        status = space_vector(space, at->rows * at->columns, x->what, &found, error);
        system.x = found;
    }
    if (!status)
        status = api_solve(solver, STATUS_OK, &system, error);
    if (!status && found)
        status = move(space, &pass_column_put, at, found, error);
    space_release(space, copies[0]);
    space_release(space, copies[1]);
    space_release(space, found);
    return status;
}

static enum status solve(struct cgs_solver *solver, struct strided *b, struct strided *x0,
                         struct strided *x, struct cgs_result *results, struct error *error)
{
    bool stays = on_device(b) && on_device(x) && (!x0->at.data || on_device(x0));
    return (stays ? solve_on_device : solve_on_host)(solver, b, x0, x, results, error);
}

enum status api_solve_arrays(struct cgs_solver *solver, const struct cgs_array *b,
                             const struct cgs_array *x0, const struct cgs_array *x,
                             struct cgs_result *results, struct error *error)
{
    const struct cgs_operator *kernel = solver->kernel;
    struct strided of_b = {.what = NULL}, of_x0 = of_b, of_x = of_b;
    enum status status = api_expect_method(solver, METHOD_FINDS_VECTOR, "cgs_solve_eigen", error);
    if (!status)
        status = check(kernel, b, "b", 0, &of_b, error);
    if (!status)
        status = check(kernel, x0, "x0", of_b.at.columns, &of_x0, error);
    if (!status)
        status = check(kernel, x, "x", of_b.at.columns, &of_x, error);
    if (kernel->context->exchange)
        status = solve_over_ranks(solver, status, &of_b, &of_x0, &of_x, results, error);
    else if (!status)
        status = solve(solver, &of_b, &of_x0, &of_x, results, error);
    strided_free(&of_b);
    strided_free(&of_x0);
    strided_free(&of_x);
    return status;
}

enum cgs_status cgs_solve(struct cgs_solver *solver, struct cgs_array b, struct cgs_array x0,
                          struct cgs_array x, struct cgs_result *results, struct cgs_error *error)
{
    bool alone = solver && !solver->kernel->context->exchange;
    if (!solver || (alone && (!b.data || !x.data)))
        return api_missing(!solver ? "a solver" : !b.data ? "b" : "x", error);
    if (!api_solve_begin(solver, error))
        return CGS_BAD_OPTION;
    return api_end(solver->kernel,
                   api_solve_arrays(solver, &b, &x0, &x, results, api_error(error)));
}

/* --- eigenvalues ------------------------------------------------------------------------------ */

/* The first vector: the caller's, or where that is missing a random one in *drawn. */
static enum status begin(struct space *space, struct strided *start, const struct strided *vectors,
                         int64_t n, double **drawn, struct error *error)
{
    if (start->at.data)
        return strided_read(space, start, vectors, error);
    *drawn = memory_array(n, sizeof **drawn, "the first vector", error);
    if (!*drawn)
        return STATUS_MEMORY;
    random_vector(1, n, *drawn);
    return STATUS_OK;
}

/* Unfound values of an end stay NaN. */
static enum status solve_eigen(struct cgs_solver *solver, struct strided *start, double *values,
                               struct strided *vectors, struct cgs_result *result,
                               struct error *error)
{
    struct space *space = solver->kernel->space;
    int64_t n = solver->kernel->A->n;
    double *drawn = NULL;
    enum status status = strided_reserve(vectors, error);
    if (!status)
        status = begin(space, start, vectors, n, &drawn, error);
    double *found = vectors->host;
    for (int64_t k = 0; !status && found && k < n * vectors->at.columns; k++)
        found[k] = NAN;
    const struct api_system system = {.columns = 1,
                                      .b = drawn ? drawn : start->host,
                                      .x = values,
                                      .vectors = found,
                                      .results = result};
    if (!status)
        status = api_solve(solver, STATUS_OK, &system, error);
    memory_free(drawn);
    return status || !found ? status : strided_write(space, vectors, error);
}

static enum status solve_eigen_arrays(struct cgs_solver *solver, const struct cgs_array *start,
                                      double *values, const struct cgs_array *vectors,
                                      struct cgs_result *result, struct error *error)
{
    const struct cgs_operator *kernel = solver->kernel;
    struct strided of_start = {.what = NULL}, found = of_start;
    enum status status = api_expect_method(solver, METHOD_FINDS_EIGENVALUES, "cgs_solve", error);
    if (!status)
        status = check(kernel, start, "start", 1, &of_start, error);
    if (!status)
        status = check(kernel, vectors, "vectors", cgs_solver_eigen_count(solver), &found, error);
    if (!status)
        status = solve_eigen(solver, &of_start, values, &found, result, error);
    strided_free(&of_start);
    strided_free(&found);
    return status;
}

enum cgs_status cgs_solve_eigen(struct cgs_solver *solver, struct cgs_array start, double *values,
                                struct cgs_array vectors, struct cgs_result *result,
                                struct cgs_error *error)
{
    if (!solver || !values)
        return api_missing(solver ? "values" : "a solver", error);
    if (!api_solve_begin(solver, error))
        return CGS_BAD_OPTION;
    return api_end(solver->kernel,
                   solve_eigen_arrays(solver, &start, values, &vectors, result, api_error(error)));
}

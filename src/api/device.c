/* Solves for vectors in the memory of a device, by way of the host: there the solution is
 * confirmed. */
#include "api/handles.h"
#include "base/memory.h"

/* A vector of the caller's, and its copy. */
struct vector {
    const double *there;
    int64_t count;
    const char *what;
    double *host;
};

static enum status take(const struct cgs_operator *kernel, struct vector *vector,
                        struct error *error)
{
    return api_take(kernel->context, kernel->space, vector->there, vector->count,
                    sizeof *vector->host, vector->what, (void **)&vector->host, error);
}

/* Room for what comes back. */
static enum status reserve(const struct cgs_operator *kernel, struct vector *vector,
                           struct error *error)
{
    if (!vector->there)
        return STATUS_OK;
    enum status status =
        space_borrow(kernel->space, kernel->context->stream, vector->there, vector->what, error);
    if (status)
        return status;
    vector->host = memory_array(vector->count, sizeof *vector->host, vector->what, error);
    return vector->host ? STATUS_OK : STATUS_MEMORY;
}

static enum status give_back(const struct cgs_operator *kernel, const struct vector *vector,
                             double *there, struct error *error)
{
    return there ? space_upload(kernel->space, vector->count, vector->host, there, error)
                 : STATUS_OK;
}

enum cgs_status cgs_solve_device(struct cgs_solver *solver, const double *b, const double *x0,
                                 double *x, struct cgs_result *result, struct cgs_error *error)
{
    if (!solver || !b || !x)
        return api_missing(!solver ? "a solver" : !b ? "b" : "x", error);
    const struct cgs_operator *kernel = solver->kernel;
    int64_t n = kernel->A->n;
    struct vector rhs = {b, n, "b", NULL}, start = {x0, n, "x0", NULL}, found = {x, n, "x", NULL};
    enum status status = take(kernel, &rhs, api_error(error));
    if (!status)
        status = take(kernel, &start, api_error(error));
    if (!status)
        status = reserve(kernel, &found, api_error(error));
    enum cgs_status solved =
        status ? api_status(status)
               : cgs_solve(solver, rhs.host, start.host, found.host, result, error);
    if (!solved)
        solved = api_status(give_back(kernel, &found, x, api_error(error)));
    memory_free(rhs.host);
    memory_free(start.host);
    memory_free(found.host);
    return solved;
}

enum cgs_status cgs_solve_eigen_device(struct cgs_solver *solver, const double *start,
                                       double *values, double *vectors, struct cgs_result *result,
                                       struct cgs_error *error)
{
    if (!solver || !values)
        return api_missing(solver ? "values" : "a solver", error);
    const struct cgs_operator *kernel = solver->kernel;
    int64_t n = kernel->A->n, count = cgs_solver_eigen_count(solver);
    struct vector first = {start, n, "start", NULL};
    struct vector found = {vectors, count * n, "vectors", NULL};
    enum status status = take(kernel, &first, api_error(error));
    if (!status)
        status = reserve(kernel, &found, api_error(error));
    enum cgs_status solved =
        status ? api_status(status)
               : cgs_solve_eigen(solver, first.host, values, found.host, result, error);
    if (!solved)
        solved = api_status(give_back(kernel, &found, vectors, api_error(error)));
    memory_free(first.host);
    memory_free(found.host);
    return solved;
}

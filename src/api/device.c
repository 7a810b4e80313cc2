/* Solves for vectors in the memory of a device, by way of the host: there the solution is
 * confirmed. */
#include "api/solve.h"
#include "api/strides.h"
#include "base/memory.h"

#include <inttypes.h>

/* A vector of the caller's, and its copy. */
struct vector {
    const double *device;
    int64_t count;
    const char *what;
    double *host;
};

static enum status take(const struct cgs_operator *kernel, struct vector *vector,
                        struct error *error)
{
    return api_copy_to_host(kernel->context, kernel->space, vector->device, vector->count,
                            sizeof *vector->host, vector->what, (void **)&vector->host, error);
}

/* Room for what comes back. */
static enum status reserve(const struct cgs_operator *kernel, struct vector *vector,
                           struct error *error)
{
    if (!vector->device)
        return STATUS_OK;
    enum status status = space_check_array(kernel->space, kernel->context->stream, vector->device,
                                           vector->what, error);
    if (status)
        return status;
    vector->host = memory_array(vector->count, sizeof *vector->host, vector->what, error);
    return vector->host ? STATUS_OK : STATUS_MEMORY;
}

static enum status give_back(const struct cgs_operator *kernel, const struct vector *vector,
                             double *device, struct error *error)
{
    return device ? space_upload(kernel->space, vector->count, vector->host, device, error)
                  : STATUS_OK;
}

enum cgs_status cgs_solve_device(struct cgs_solver *solver, const double *b, const double *x0,
                                 double *x, struct cgs_result *result, struct cgs_error *error)
{
    if (!solver || !b || !x)
        return api_missing(!solver ? "a solver" : !b ? "b" : "x", error);
    if (!api_solve_begin(solver, error))
        return CGS_BAD_OPTION;
    const struct cgs_strides one = {1, 1};
    struct cgs_operator *kernel = solver->kernel;
    int64_t n = kernel->A->n;
    struct vector rhs = {b, n, "b", NULL}, start = {x0, n, "x0", NULL}, found = {x, n, "x", NULL};
    enum status status = take(kernel, &rhs, api_error(error));
    if (!status)
        status = take(kernel, &start, api_error(error));
    if (!status)
        status = reserve(kernel, &found, api_error(error));
    if (!status)
        status = api_solve_columns(solver, 1, rhs.host, one, start.host, found.host, one, result,
                                   api_error(error));
    if (!status)
        status = give_back(kernel, &found, x, api_error(error));
    memory_free(rhs.host);
    memory_free(start.host);
    memory_free(found.host);
    return api_end(kernel, status);
}

/* --- several columns -------------------------------------------------------------------------- */

/* What lies between two columns is not written. Within a column, or a row, elements must be
 * contiguous. */
static enum status check_columns(const struct api_layout *x, enum status before,
                                 struct error *error)
{
    if (before || x->n == 1 || x->strides.row == 1 || strides_are_rows(x))
        return before;
    return error_set(error, STATUS_CONFIG,
                     "on a device the columns of X, or all its rows, are without gaps: not with "
                     "the strides %" PRId64 " and %" PRId64,
                     x->strides.row, x->strides.column);
}

static enum status give_columns(const struct cgs_operator *kernel, const struct api_layout *layout,
                                const struct vector *found, double *device, struct error *error)
{
    enum status status = STATUS_OK;
    if (strides_are_columns(layout) || strides_are_rows(layout))
        return give_back(kernel, found, device, error);
    for (int64_t j = 0; j < layout->columns && !status; j++) {
        int64_t begin = j * layout->strides.column;
        status = space_upload(kernel->space, layout->n, found->host + begin, device + begin, error);
    }
    return status;
}

enum cgs_status cgs_solve_columns_device(struct cgs_solver *solver, int64_t columns,
                                         const double *B, struct cgs_strides of_B, const double *X0,
                                         double *X, struct cgs_strides of_X,
                                         struct cgs_result *results, struct cgs_error *error)
{
    if (!solver || !B || !X)
        return api_missing(!solver ? "a solver" : !B ? "B" : "X", error);
    if (!api_solve_begin(solver, error))
        return CGS_BAD_OPTION;
    struct cgs_operator *kernel = solver->kernel;
    const struct api_layout b = {kernel->A->n, columns, of_B}, x = {kernel->A->n, columns, of_X};
    struct vector rhs = {B, 0, "B", NULL}, start = {X0, 0, "X0", NULL}, found = {X, 0, "X", NULL};
    enum status status = strides_check(&b, "B", &rhs.count, api_error(error));
    if (!status)
        status = strides_check(&x, "X", &found.count, api_error(error));
    start.count = found.count;
    status = check_columns(&x, status, api_error(error));
    if (!status)
        status = take(kernel, &rhs, api_error(error));
    if (!status)
        status = take(kernel, &start, api_error(error));
    if (!status)
        status = reserve(kernel, &found, api_error(error));
    if (!status)
        status = api_solve_columns(solver, columns, rhs.host, of_B, start.host, found.host, of_X,
                                   results, api_error(error));
    if (!status)
        status = give_columns(kernel, &x, &found, X, api_error(error));
    memory_free(rhs.host);
    memory_free(start.host);
    memory_free(found.host);
    return api_end(kernel, status);
}

/* --- eigenvalues ------------------------------------------------------------------------------ */

enum cgs_status cgs_solve_eigen_device(struct cgs_solver *solver, const double *start,
                                       double *values, double *vectors, struct cgs_result *result,
                                       struct cgs_error *error)
{
    if (!solver || !values)
        return api_missing(solver ? "values" : "a solver", error);
    if (!api_solve_begin(solver, error))
        return CGS_BAD_OPTION;
    struct cgs_operator *kernel = solver->kernel;
    int64_t n = kernel->A->n, count = cgs_solver_eigen_count(solver);
    struct vector first = {start, n, "start", NULL};
    struct vector found = {vectors, count * n, "vectors", NULL};
    enum status status = take(kernel, &first, api_error(error));
    if (!status)
        status = reserve(kernel, &found, api_error(error));
    if (!status)
        status = api_solve_eigen(solver, first.host, values, found.host, result, api_error(error));
    if (!status)
        status = give_back(kernel, &found, vectors, api_error(error));
    memory_free(first.host);
    memory_free(found.host);
    return api_end(kernel, status);
}

#include "solver/true_residual.h"

#include "base/cuda_part.h"
#include "base/memory.h"
#include "solver/column_space.h"
#include "solver/residual.h"
#include "space/ranks/ranks.h"
#include "space/vector_norm.h"
#include "spmv/device_csr.h"

#include <math.h>

/* How far the true residual may lie above the tolerance. */
static const double GAP = 1.1;

enum status solver_give(const struct solver *solver, const double *x, double *given,
                        struct error *error)
{
    struct space *space = solver->space, *memory = solver->options.memory;
    if (memory && memory != space)
        return column_give(space, x, given, error);
    return memory ? space_copy(space, solver->n, x, given, error)
                  : ranks_download_own(space, solver->n, x, given, error);
}

enum status solver_on_host(const struct solver *solver, double *v, double **host, double **copy,
                           struct error *error)
{
    *host = v;
    *copy = NULL;
    if (!v || !solver->options.memory)
        return STATUS_OK;
    *host = *copy = memory_array(solver->n, sizeof *v, "a vector on the host", error);
    return *copy ? space_download(solver->options.memory, solver->n, v, *copy, error)
                 : STATUS_MEMORY;
}

/* y = A x, both on the host. */
static enum status multiply(struct linear_operator *spmv, const double *x, double *y,
                            struct error *error)
{
    struct space *space = spmv->space;
    double *there = NULL, *product = NULL;
    enum status status = space_vector(space, spmv->n, "the vector x", &there, error);
    if (!status)
        status = space_vector(space, spmv->n, "A x", &product, error);
    if (!status)
        status = space_upload(space, spmv->n, x, there, error);
    if (!status)
        status = operator_apply(spmv, there, product, error);
    if (!status)
        status = space_download(space, spmv->n, product, y, error);
    space_release(space, there);
    space_release(space, product);
    return status;
}

/* Of one rank alone: others are always given A. */
static enum status by_product(struct linear_operator *spmv, double shift, const double *b,
                              const double *x, double *norm, struct error *error)
{
    double *r = memory_array(spmv->n, sizeof *r, "the residual", error);
    if (!r)
        return STATUS_MEMORY;
    enum status status = multiply(spmv, x, r, error);
    for (int64_t i = 0; i < spmv->n && !status; i++)
        r[i] = fma(-shift, x[i], (b ? b[i] : 0) - r[i]);
    if (!status)
        *norm = vector_norm(spmv->space->threads, spmv->n, r);
    memory_free(r);
    return status;
}

enum status solver_true_residual(struct linear_operator *spmv, const struct csr *A, double shift,
                                 const double *b, double *x, double *norm, struct error *error)
{
    struct csr copy;
    if (!A->maker && !A->offsets)
        return by_product(spmv, shift, b, x, norm, error);
    enum status status = device_csr_on_host(A, &A, &copy, error);
    if (!status)
        status = residual_norm_in(spmv->space, A, shift, b, x, norm, error);
    csr_free(&copy);
    return status;
}

int64_t solver_confirming_bytes(const struct space *space, const struct csr *A)
{
    bool there = !ranks_of(space) && (A->space || device_csr_makes(space, A));
    return there ? residual_bytes_on_device(A) : 0;
}

static enum status residual_on_host(const struct solver *solver, const struct csr *A,
                                    const double *b, double *x, double *norm, struct error *error)
{
    double *vectors[2], *copies[2] = {NULL, NULL};
    enum status status = solver_on_host(solver, (double *)b, &vectors[0], &copies[0], error);
    if (!status)
        status = solver_on_host(solver, x, &vectors[1], &copies[1], error);
    if (!status)
        status = solver_true_residual(solver->spmv, A, solver->options.shift, vectors[0],
                                      vectors[1], norm, error);
    memory_free(copies[0]);
    memory_free(copies[1]);
    return status;
}

/* Of x, wherever that is. */
static enum status residual_of_x(struct solver *solver, const struct csr *A, const double *b,
                                 double *x, struct error *error)
{
    double shift = solver->options.shift, *norm = &solver->result.true_residual;
    struct space *memory = solver->options.memory;
    const double *of_b = memory ? b : solver->b_device, *of_x = memory ? x : solver->x_device;
    bool suits = false;
    enum status status = STATUS_OK;
    if (of_b && solver->confirming_bytes > 0)
        status = CUDA_PART(residual_norm_cuda)(memory ? memory : solver->space, A, shift, of_b,
                                               of_x, &suits, norm, error);
    return status || suits ? status : residual_on_host(solver, A, b, x, norm, error);
}

enum status solver_confirm(struct solver *solver, const struct csr *A, const double *b, double *x,
                           struct error *error)
{
    struct solver_result *result = &solver->result;
    enum status status = residual_of_x(solver, A, b, x, error);
    if (status)
        return status;
    /* an ||b|| that underflows in row 0 leaves the absolute one */
    double allowed = fmax(GAP * solver->options.tolerance * result->rhs_norm,
                          GAP * solver->options.absolute_tolerance);
    if (!isfinite(result->true_residual) && result->reason != REASON_INTERRUPTED)
        result->reason = REASON_NOT_FINITE;
    else if (result->reason == REASON_CONVERGED && !(result->true_residual <= allowed))
        result->reason = REASON_RESIDUAL_GAP;
    return STATUS_OK;
}

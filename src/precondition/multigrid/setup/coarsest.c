#include "precondition/multigrid/setup/coarsest.h"

#include "base/memory.h"
#include "precondition/dense.h"
#include "precondition/multigrid/setup/to_float.h"

#include <inttypes.h>

static enum status invert(const char *name, const struct csr *A, struct dense *dense,
                          double *inverse, struct error *error)
{
    dense_take(A, 0, dense);
    int64_t row = dense_factor(dense);
    for (int64_t i = 0; i < row; i++) /* to its own diagonal: rows may have any scales */
        if (dense->d[i] <= (double)A->n * 0x1p-52 * A->values[A->offsets[i]])
            row = i;
    if (row == A->n && dense_invert(dense, A->n, inverse))
        return STATUS_OK;
    return error_set(error, STATUS_CONFIG,
                     "preconditioner %s: the matrix of the last level, %" PRId64
                     " rows, is not positive definite: pivot %g. For a singular matrix take "
                     "jacobi, chebyshev or none, which solve for a b in its range, or add a small "
                     "multiple of its diagonal to it; for an indefinite one take the method "
                     "minres, and no preconditioner",
                     name, A->n, row < A->n ? dense->d[row] : 0.0);
}

/* In the space, of the precision of the cycle. */
static enum status keep_inverse(const char *name, const double *inverse, int64_t count,
                                struct hierarchy *hierarchy, struct error *error)
{
    struct space *space = hierarchy->space;
    bool narrow = hierarchy->precision == PRECISION_FLOAT;
    size_t element = narrow ? sizeof(float) : sizeof(double);
    float *singles = NULL;
    enum status status = STATUS_OK;
    if (narrow)
        status = to_float_inverse(name, inverse, count, &singles, error);
    if (!status)
        status = space->operations->allocate(space, count, element, "the inverse of the last level",
                                             &hierarchy->coarsest_inverse, error);
    if (!status)
        status = space->operations->upload(space, count * (int64_t)element,
                                           singles ? (void *)singles : inverse,
                                           hierarchy->coarsest_inverse, error);
    memory_free(singles);
    return status;
}

enum status coarsest_solve(const char *name, const struct csr *A, struct hierarchy *hierarchy,
                           struct error *error)
{
    int64_t n = A->n;
    double *room = memory_array((3 * n + 2) * n, sizeof *room, "the last level", error);
    if (!room)
        return STATUS_MEMORY;
    double *inverse = room;
    struct dense dense = {.m = n,
                          .stride = n,
                          .l = room + n * n,
                          .w = room + 2 * n * n,
                          .d = room + 3 * n * n,
                          .lower = room + 3 * n * n + n};
    enum status status = invert(name, A, &dense, inverse, error);
    if (!status)
        status = keep_inverse(name, inverse, n * n, hierarchy, error);
    memory_free(room);
    return status;
}

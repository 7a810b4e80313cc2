#include "precondition/multigrid/setup/coarsest.h"

#include "base/memory.h"
#include "precondition/dense.h"
#include "precondition/multigrid/setup/to_float.h"

#include <inttypes.h>
#include <math.h>

/* Of a_jj. */
static const double SINGULAR = 0x1p-36;

/* Which pivots are dropped. */
static void limit(const struct csr *A, const struct hierarchy *hierarchy, double *from,
                  double *until)
{
    for (int64_t j = 0; j < A->n; j++) {
        double a = A->values[A->offsets[j]]; /* to its own diagonal: rows may have any scales */
        double most = fmax(SINGULAR * a, hierarchy->nothing);
        from[j] = -most;
        until[j] = hierarchy->singular ? most : fmax(0, (double)A->n * 0x1p-52 * a);
    }
}

static double dot(int64_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum = fma(x[k], y[k], sum);
    return sum;
}

/* Null vector `count`, of pivot j, in row `count` of l, orthonormal to those before it. */
static void take_null_vector(struct dense *dense, int64_t j, int64_t count)
{
    int64_t n = dense->m;
    double *v = dense->l + count * n;
    for (int64_t i = 0; i < n; i++)
        v[i] = i < j ? dense->w[j * n + i] : i == j;
    for (int64_t twice = 0; twice < 2; twice++)
        for (int64_t c = 0; c < count; c++) {
            const double *before = dense->l + c * n;
            double along = dot(n, before, v);
            for (int64_t i = 0; i < n; i++)
                v[i] = fma(-along, before[i], v[i]);
        }
    double norm = sqrt(dot(n, v, v));
    for (int64_t i = 0; i < n; i++)
        v[i] /= norm;
}

/* along: what the inverse becomes along v. u[n] is for its own use. */
static void project(int64_t n, const double *v, double along, double *u, double *inverse)
{
    for (int64_t i = 0; i < n; i++)
        u[i] = dot(n, inverse + i * n, v);
    double s = along + dot(n, v, u);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++) {
            double b = fma(-u[i], v[j], fma(s * v[i], v[j], inverse[i * n + j]));
            inverse[i * n + j] = inverse[j * n + i] = fma(-v[i], u[j], b);
        }
}

/* l is free once the inverse is there. */
static void make_pseudo_inverse(const struct csr *A, struct dense *dense, double *inverse,
                                struct hierarchy *hierarchy)
{
    int64_t count = 0;
    double most = 0;
    for (int64_t j = 0; j < A->n; j++)
        most = fmax(most, A->values[A->offsets[j]]);
    double along = most > hierarchy->nothing ? 1 / most : 0;
    for (int64_t j = 0; j < dense->m; j++)
        if (isinf(dense->d[j]))
            take_null_vector(dense, j, count++);
    for (int64_t c = 0; c < count; c++)
        project(dense->m, dense->l + c * dense->m, along, dense->lower, inverse);
    hierarchy->dropped = count;
    hierarchy->singular = hierarchy->singular || count > 0;
}

static enum status invert(const char *name, const struct csr *A, struct dense *dense,
                          double *inverse, struct hierarchy *hierarchy, struct error *error)
{
    dense_take(A, 0, dense);
    int64_t row = dense_factor(dense);
    if (row == A->n && dense_invert(dense, A->n, inverse)) {
        make_pseudo_inverse(A, dense, inverse, hierarchy);
        return STATUS_OK;
    }
    return error_set(
        error, STATUS_CONFIG,
        "preconditioner %s: the matrix of the last level, %" PRId64
        " rows, is not positive definite: pivot %g. For an indefinite matrix take the "
        "method minres, and no preconditioner; where only rounding makes it one, add a "
        "small multiple of its diagonal to it",
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
    double *room = memory_array((3 * n + 4) * n, sizeof *room, "the last level", error);
    if (!room)
        return STATUS_MEMORY;
    double *inverse = room, *from = room + (3 * n + 2) * n;
    struct dense dense = {.m = n,
                          .stride = n,
                          .l = room + n * n,
                          .w = room + 2 * n * n,
                          .d = room + 3 * n * n,
                          .lower = room + 3 * n * n + n,
                          .from = from,
                          .until = from + n};
    limit(A, hierarchy, from, from + n);
    enum status status = invert(name, A, &dense, inverse, hierarchy, error);
    if (!status)
        status = keep_inverse(name, inverse, n * n, hierarchy, error);
    memory_free(room);
    return status;
}

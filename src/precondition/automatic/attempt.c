#include "precondition/automatic/attempt.h"

#include "precondition/spectrum.h"
#include "space/ranks/ranks.h"

#include <math.h>

static enum status allocate(struct attempt *a, struct error *error)
{
    struct space *space = a->spmv->space;
    double **vectors[] = {&a->r, &a->z, &a->p, &a->q};
    enum status status = space_scalars(space, 1, "a scalar", &a->scalar, error);
    for (int k = 0; k < 4 && !status; k++)
        status = space_vector(space, a->spmv->n, "a vector of a preconditioner's trial", vectors[k],
                              error);
    if (ranks_of(space)) /* all have their vectors before one waits for another */
        status = ranks_barrier(ranks_of(space), status, error);
    return status;
}

void attempt_end(struct attempt *a)
{
    double *all[] = {a->r, a->z, a->p, a->q, a->scalar};
    for (int k = 0; k < 5; k++)
        space_release(a->spmv->space, all[k]);
}

static enum status square(struct attempt *a, struct error *error)
{
    double *value = &a->squared[a->steps];
    struct space *space = a->spmv->space;
    enum status status = space_dot(space, a->spmv->n, a->r, a->r, a->scalar, error);
    if (!status)
        status = space_download(space, 1, a->scalar, value, error);
    a->ended |= !status && *value == 0;
    a->infinite |= !status && !isfinite(*value);
    return status;
}

enum status attempt_begin(struct linear_operator *spmv, const struct linear_operator *M,
                          const int32_t *number, bool singular, struct attempt *a,
                          struct error *error)
{
    *a = (struct attempt){.spmv = spmv, .M = M};
    enum status status = allocate(a, error);
    if (!status)
        status =
            spectrum_first_vector(spmv->space, spmv->n, number, 1, singular ? a->z : a->r, error);
    if (!status && singular)
        status = operator_apply(spmv, a->z, a->r, error);
    return status ? status : square(a, error);
}

/* y = B x, and x . y. */
static enum status product(struct attempt *a, const struct linear_operator *B, const double *x,
                           double *y, double *dot, struct error *error)
{
    enum status status = operator_apply_dot(B, x, y, a->scalar, error);
    if (!status)
        status = space_download(a->spmv->space, 1, a->scalar, dot, error);
    a->indefinite |= !status && *dot <= 0;
    a->infinite |= !status && !isfinite(*dot);
    return status;
}

static bool goes_on(const struct attempt *a)
{
    return !a->ended && !a->indefinite && !a->infinite;
}

/* p = z + beta p in the place of z, whose place p's is then; then r. */
static enum status move(struct attempt *a, struct error *error)
{
    struct space *space = a->spmv->space;
    int64_t n = a->spmv->n;
    int k = a->steps;
    double *p = a->z;
    enum status status = STATUS_OK;
    if (k > 0)
        status = space_axpy(space, n, a->rho[k] / a->rho[k - 1], a->p, p, error);
    a->z = a->p;
    a->p = p;
    if (!status)
        status = product(a, a->spmv, a->p, a->q, &a->curvature, error);
    if (status || !goes_on(a))
        return status;
    a->steps++;
    status = space_axpy(space, n, -a->rho[k] / a->curvature, a->q, a->r, error);
    return status ? status : square(a, error);
}

static enum status step(struct attempt *a, struct error *error)
{
    enum status status = product(a, a->M, a->r, a->z, &a->rho[a->steps], error);
    return status || !goes_on(a) ? status : move(a, error);
}

enum status attempt_advance(struct attempt *a, int steps, struct error *error)
{
    enum status status = STATUS_OK;
    while (!status && a->steps < steps && goes_on(a))
        status = step(a, error);
    return status;
}

enum status attempt_try(struct attempt *a, const struct linear_operator *M, bool *positive,
                        struct error *error)
{
    double rho = 0;
    enum status status = operator_apply_dot(M, a->r, a->z, a->scalar, error);
    if (!status)
        status = space_download(a->spmv->space, 1, a->scalar, &rho, error);
    *positive = rho > 0 && isfinite(rho);
    return status;
}

/* k steps have made `last` of the square `first`. */
static double steps_of(int k, double first, double last, double tolerance)
{
    if (!(last < first))
        return INFINITY;
    return last > 0 ? 2 * k * log(tolerance) / log(last / first) : k;
}

double attempt_steps(const struct attempt *a, int k, double tolerance)
{
    return steps_of(k, a->squared[0], a->squared[k], tolerance);
}

double attempt_steps_of_M(const struct attempt *a, int k, double tolerance)
{
    return steps_of(k - 1, a->rho[0], a->rho[k - 1], tolerance);
}

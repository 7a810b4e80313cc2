/* A turn of minimal residuals with a preconditioner. */
#include "solver/minres/preconditioned_passes.h"
#include "solver/minres/work.h"

int64_t minres_preconditioned_bytes(const struct linear_operator *M,
                                    const struct linear_operator *spmv)
{
    return M->bytes_per_apply + space_bytes(spmv->space, &minres_lanczos, spmv->n) +
           space_bytes(spmv->space, &minres_follow, spmv->n);
}

enum status minres_preconditioned_first(struct minres *minres, struct error *error)
{
    struct space *space = minres->base.space;
    struct minres_preconditioned_scalars *s = minres->preconditioned;
    struct minres_preconditioned work = {.scalars = s};
    int64_t n = minres->base.n;
    enum status status = space_copy(space, n, minres->r, minres->v[0], error);
    if (!status)
        status =
            operator_apply_dot(minres->M, minres->v[0], minres->z[0], &s->of.norm_squared, error);
    return status ? status : space_run(space, &minres_rotate, n, &work, error);
}

enum status minres_preconditioned_turn(struct minres *minres, bool multiplies, struct error *error)
{
    struct space *space = minres->base.space;
    struct minres_preconditioned_scalars *s = minres->preconditioned;
    bool second = minres->turns % 2 == 1;
    double *other = minres->z[!second]; /* A z_k, then z_{k+1} */
    struct minres_preconditioned work = {.z = minres->z[second],
                                         .q = other,
                                         .y = minres->v[second],
                                         .y_next = minres->v[!second],
                                         .d_before = minres->d[!second],
                                         .d = minres->d[second],
                                         .x = minres->x,
                                         .r = minres->r,
                                         .scalars = s};
    int64_t n = minres->base.n;
    minres->turns++;
    enum status status = STATUS_OK;
    if (multiplies)
        status = operator_apply_dot(minres->base.spmv, work.z, other, &s->zq, error);
    if (!status)
        status = space_run(space, &minres_lanczos, n, &work, error);
    if (!status)
        status = krylov_keep_in_range(&minres->base, work.y_next, error);
    if (!status && multiplies)
        status = operator_apply_dot(minres->M, work.y_next, other, &s->of.norm_squared, error);
    if (!status)
        status = space_run(space, &minres_rotate, n, &work, error);
    return status ? status : space_run(space, &minres_follow, n, &work, error);
}

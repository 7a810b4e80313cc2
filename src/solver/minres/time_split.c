/* The time of the pieces of an iteration of minimal residuals, behind a solve. */
#include "solver/minres/work.h"

#include <math.h>

static enum status turn(struct minres *minres, struct error *error)
{
    struct minres_scalars *s = minres->scalars;
    return minres->M ? minres_preconditioned_turn(minres, false, error)
                     : minres_turn(minres, false, &s->alpha, &s->alpha, error);
}

/* What is multiplied here, and where the product comes to. */
static const double *factor(const struct minres *minres)
{
    return minres->M ? minres->z[0] : minres->v[0];
}

static double *product_of(const struct minres *minres)
{
    return minres->M ? minres->z[1] : minres->q;
}

/* alpha = 0 stays, and no part of w is taken off. No row but the first reads the tolerance. */
static enum status update(void *context, struct error *error)
{
    struct minres *minres = context;
    enum status status = turn(minres, error);
    if (status || !minres_dots_apart(minres))
        return status;
    return space_dot(minres->base.space, minres->base.n, factor(minres), product_of(minres),
                     &minres->scalars->loop.tolerance, error);
}

static enum status product(void *context, struct error *error)
{
    struct minres *minres = context;
    double *to = product_of(minres);
    if (minres->skew || minres_dots_apart(minres))
        return operator_apply(minres->base.spmv, factor(minres), to, error);
    return operator_apply_dot(minres->base.spmv, factor(minres), to,
                              minres->M ? &minres->preconditioned->zq : &minres->scalars->alpha,
                              error);
}

static enum status apply(void *context, struct error *error)
{
    struct minres *minres = context;
    return operator_apply_dot(minres->M, minres->v[0], minres->z[1], &minres->scalars->norm_squared,
                              error);
}

/* w is a v, of norm 1, and stays. With an M all vectors are 0 but r, which shrinks. */
static enum status fill(struct minres *minres, struct error *error)
{
    struct space *space = minres->base.space;
    int64_t n = minres->base.n;
    const double *last =
        minres->v[(minres->base.result.iterations - 1) % 2]; /* the next may be 0 */
    double *zeros[] = {minres->x,    minres->d[0], minres->d[1], minres->v[0],
                       minres->v[1], minres->z[0], minres->z[1]};
    size_t count = minres->M ? sizeof zeros / sizeof *zeros : 3;
    enum status status = STATUS_OK;
    for (size_t k = 0; k < count && !status; k++)
        status = space_fill(space, n, 0, zeros[k], error);
    if (status)
        return status;
    return minres->M ? space_fill(space, n, 1, minres->r, error)
                     : space_copy(space, n, last, minres->q, error);
}

/* T has 0 on its diagonal and 1 beside it; |phi| falls like 1 / sqrt(k) then, and without an M d
 * and x grow like powers of k. */
static enum status prepare(struct solver *solver, struct error *error)
{
    struct minres *minres = (struct minres *)solver;
    struct minres_preconditioned_scalars scalars = {
        .of = {.loop = {.max_iterations = INT64_MAX, .target = -1, .iteration = 1},
               .skew = minres->skew,
               .norm_squared = 1,
               .upper = minres->skew ? -1 : 1,
               .scale = INFINITY,
               .phi = 1,
               .cosine = 1,
               .cosine_before = 1},
        .scale = 1};
    minres->turns = 0;
    enum status status = krylov_put_scalars(solver, &scalars.of.loop, error);
    return status ? status : fill(minres, error);
}

const struct krylov_pieces minres_pieces = {
    .precondition = apply, .multiply = product, .update = update, .prepare = prepare};

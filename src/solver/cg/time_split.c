/* The time of the pieces of an iteration of conjugate gradients, behind a solve. */
#include "solver/time_split.h"
#include "solver/cg/work.h"

/* p . q counts as product if the kernel computes it. Only the first row reads the tolerance. */
static enum status update(void *context, struct error *error)
{
    struct cg *cg = context;
    enum status status = cg_step(cg, false, error);
    if (status || cg->base.spmv->fuses_dot)
        return status;
    return space_dot(cg->base.space, cg->base.n, cg->p[0], cg->q, &cg->scalars->tolerance, error);
}

static enum status product(void *context, struct error *error)
{
    struct cg *cg = context;
    return cg_multiply(cg, cg->base.spmv->fuses_dot ? &cg->scalars->curvature : NULL, error);
}

static enum status apply(void *context, struct error *error)
{
    struct cg *cg = context;
    return cg_precondition(cg, &cg->scalars->next_rho, error);
}

/* The pieces of a turn over and over, from a state in which they can be: q = 0 and r = p leave r as
 * it is, so rho does not change, and no row is one to end with. It is known if one did: then what
 * followed did nothing. */
enum status cg_split_time(struct cg *cg, struct error *error)
{
    struct solver_split *split = &cg->base.result.time_split;
    struct cg_scalars scalars = {.max_iterations = INT64_MAX,
                                 .preconditioned = cg->M != NULL,
                                 .rows = cg->loop.rows,
                                 .iteration = 1,
                                 .rho = 1,
                                 .next_rho = 1,
                                 .curvature = 1,
                                 .target = -1};
    cg->turns = 0;
    cg->base.space->ended = &cg->scalars->ended;
    enum status status = space_upload(cg->base.space, CG_SCALARS, (const double *)&scalars,
                                      (double *)cg->scalars, error);
    if (!status)
        status = space_copy(cg->base.space, cg->base.n, cg->p[0], cg->r, error);
    if (!status)
        status = space_fill(cg->base.space, cg->base.n, 0, cg->q, error);
    if (!status)
        status =
            time_split_take(cg->base.space, update, cg, &cg->base.result, &split->updates, error);
    if (!status && cg->M)
        status = time_split_take(cg->base.space, apply, cg, &cg->base.result,
                                 &split->preconditioner, error);
    if (!status)
        status =
            time_split_take(cg->base.space, product, cg, &cg->base.result, &split->product, error);
    if (!status)
        status = space_download(cg->base.space, CG_SCALARS, (const double *)cg->scalars,
                                (double *)&scalars, error);
    if (scalars.ended)
        *split = (struct solver_split){0};
    return status;
}

/* The time of the pieces of an iteration of conjugate gradients, behind a solve. */
#include "solver/cg/work.h"

/* p . q counts as product if the kernel computes it. Only the first row reads the tolerance. */
static enum status update(void *context, struct error *error)
{
    struct cg *cg = context;
    enum status status = cg_step(cg, false, error);
    if (status || cg->base.spmv->can & OPERATOR_DOT)
        return status;
    return space_dot(cg->base.space, cg->base.n, cg->p[0], cg->q, &cg->scalars->loop.tolerance,
                     error);
}

static enum status product(void *context, struct error *error)
{
    struct cg *cg = context;
    return cg_multiply(cg, cg->base.spmv->can & OPERATOR_DOT ? &cg->scalars->curvature : NULL,
                       error);
}

static enum status apply(void *context, struct error *error)
{
    struct cg *cg = context;
    return cg_precondition(cg, &cg->scalars->next_rho, error);
}

/* q = 0 and r = p leave r as it is, so rho does not change, and no row is one to end with. */
static enum status prepare(struct solver *solver, struct error *error)
{
    struct cg *cg = (struct cg *)solver;
    struct cg_scalars scalars = {
        .loop = {.max_iterations = INT64_MAX, .target = -1, .iteration = 1},
        .preconditioned = cg->M != NULL,
        .rho = 1,
        .next_rho = 1,
        .curvature = 1};
    cg->turns = 0;
    enum status status = krylov_put_scalars(solver, &scalars.loop, error);
    if (!status)
        status = space_copy(solver->space, solver->n, cg->p[0], cg->r, error);
    return status ? status : space_fill(solver->space, solver->n, 0, cg->q, error);
}

const struct krylov_pieces cg_pieces = {
    .precondition = apply, .multiply = product, .update = update, .prepare = prepare};

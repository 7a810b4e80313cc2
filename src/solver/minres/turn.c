/* A turn of minimal residuals without a preconditioner. */
#include "solver/minres/passes.h"
#include "solver/minres/work.h"
#include "solver/recurrence.h"

/* The norm of x is taken every second time. */
int64_t minres_turn_bytes(bool skew, const struct linear_operator *spmv)
{
    const struct space *space = spmv->space;
    int64_t n = spmv->n, norm_of_x = n * (int64_t)sizeof(double) / 2;
    int64_t passes =
        skew ? space_bytes(space, &one_term, n) + space_bytes(space, &minres_skew_step, n)
             : space_bytes(space, &two_terms, n) + space_bytes(space, &minres_step, n);
    return passes + norm_of_x;
}

/* The next row, and what the vectors do then. */
static enum status move(struct minres *minres, const struct pass *pass,
                        const struct minres_vectors *vectors, struct error *error)
{
    enum status status =
        space_run(minres->base.space, &minres_advance, minres->base.n, vectors, error);
    return status ? status : space_run(minres->base.space, pass, minres->base.n, vectors, error);
}

enum status minres_first(struct minres *minres, struct error *error)
{
    struct minres_vectors first = {
        .w = minres->q, .v_next = minres->v[0], .scalars = minres->scalars};
    return move(minres, &minres_step, &first, error);
}

/* q = A v, and v . q, which S v has none of. */
static enum status multiply(struct minres *minres, const double *v, struct error *error)
{
    return minres->skew ? operator_apply(minres->base.spmv, v, minres->q, error)
                        : operator_apply_dot(minres->base.spmv, v, minres->q,
                                             &minres->scalars->alpha, error);
}

/* w = q - alpha v - upper v_before, and its norm; S v has no part along v. The coefficients are in
 * the space. */
static enum status recur(struct minres *minres, const double *alpha, const double *v,
                         const double *upper, const double *v_before, struct error *error)
{
    bool skew = minres->skew;
    struct recurrence work = {.a = skew ? upper : alpha,
                              .x = skew ? v_before : v,
                              .b = upper,
                              .u = skew ? NULL : v_before,
                              .y = minres->q,
                              .squared = &minres->scalars->norm_squared};
    return space_run(minres->base.space, skew ? &one_term : &two_terms, minres->base.n, &work,
                     error);
}

enum status minres_turn(struct minres *minres, bool multiplies, const double *alpha,
                        const double *upper, struct error *error)
{
    bool second = minres->turns % 2 == 1;
    struct minres_vectors step = {.v = minres->v[second],
                                  .d_before = minres->skew ? NULL : minres->d[!second],
                                  .d = minres->d[second],
                                  .x = minres->x,
                                  .w = minres->q,
                                  .v_next = minres->v[!second],
                                  .scalars = minres->scalars};
    minres->turns++;
    enum status status = multiplies ? multiply(minres, step.v, error) : STATUS_OK;
    if (!status)
        status = recur(minres, alpha, step.v, upper, step.v_next, error);
    if (!status)
        status = move(minres, minres->skew ? &minres_skew_step : &minres_step, &step, error);
    if (!status)
        status = krylov_keep_in_range(&minres->base, step.v_next, error);
    if (!status && second)
        status = space_dot(minres->base.space, minres->base.n, minres->x, minres->x,
                           &minres->scalars->xx, error);
    return status;
}

/* What a cycle does on levels that ranks share. */
#include "precondition/multigrid/cycle/fused_smoothing.h"
#include "precondition/multigrid/cycle/transfer.h"
#include "precondition/multigrid/distributed/distribute.h"
#include "spmv/distributed/rank_operator.h"

enum status distribute_prepare(const struct level *level, int columns, struct error *error)
{
    struct rank_halo *halos[2] = {0};
    enum status status = STATUS_OK;
    if (level->crossing) {
        halos[0] = level->crossing->bring_residual;
        halos[1] = level->crossing->bring_coarse;
    }
    for (int h = 0; h < 2 && !status; h++)
        if (halos[h] && halos[h]->table->prepare)
            status = halos[h]->table->prepare(halos[h], columns, error);
    return status;
}

enum status distribute_restrict(const struct level *level, const double *b, int shift,
                                struct error *error)
{
    const struct crossing *crossing = level->crossing;
    struct rank_halo *halo = crossing->bring_residual;
    struct remainder remainder = {.b = b, .q = level->q};
    double *residual = (double *)level->q - (crossing->residual.below << shift);
    double *coarse = level[1].b;
    double *local = crossing->gathers ? coarse : coarse - (crossing->coarse.below << shift);
    struct restriction restriction = {.offsets = crossing->offsets,
                                      .members = crossing->members,
                                      .b = residual,
                                      .coarse = local + (crossing->coarse.below << shift),
                                      .shift = shift};
    enum status status =
        b ? space_run(level->space, &pass_remainder, level->n << shift, &remainder, error)
          : STATUS_OK;
    if (!status)
        status = halo->table->bring(halo, 1 << shift, residual, error);
    if (!status && crossing->coarse_own > 0) /* no launch has no blocks */
        status = space_run(ranks_enter(crossing->ranks), &pass_restriction,
                           crossing->coarse_own << shift, &restriction, error);
    halo = crossing->bring_coarse;
    return status || !crossing->gathers ? status
                                        : halo->table->bring(halo, 1 << shift, local, error);
}

/* *local: where the rows of x of the next level begin, with all that this rank reads of it. */
static enum status bring_correction(const struct level *level, int shift, double **local,
                                    struct error *error)
{
    const struct crossing *crossing = level->crossing;
    struct rank_halo *halo = crossing->bring_coarse;
    *local = level[1].x;
    if (crossing->gathers)
        return STATUS_OK;
    *local -= crossing->coarse.below << shift;
    return halo->table->bring(halo, 1 << shift, *local, error);
}

enum status distribute_correct(const struct level *level, double *x, int shift, struct error *error)
{
    const struct crossing *crossing = level->crossing;
    double *coarse;
    enum status status = bring_correction(level, shift, &coarse, error);
    struct prolongation prolongation = {
        .map = crossing->map + crossing->below, .coarse = coarse, .x = x, .shift = shift};
    return status ? status
                  : space_run(level->space, &pass_prolongation, level->n << shift, &prolongation,
                              error);
}

/* --- fused smoothing -------------------------------------------------------------------------- */

/* The step over the local rows. */
static struct smooth shifted(const struct smooth *step, int64_t below)
{
    struct smooth local = *step;
    const void **read[] = {&local.b, &local.q, &local.inverse, &local.d, &local.x};
    void **made[] = {&local.made_r, &local.made_d, &local.made_x};
    for (size_t k = 0; k < sizeof read / sizeof *read; k++)
        if (*read[k])
            *read[k] = (const double *)*read[k] - below;
    for (size_t k = 0; k < sizeof made / sizeof *made; k++)
        if (*made[k])
            *made[k] = (double *)*made[k] - below;
    local.along -= below;
    return local;
}

enum status distribute_sweep_down(const struct level *level, const struct smooth *first,
                                  const struct smooth *second, const double *b, const double *x,
                                  struct error *error)
{
    const struct linear_operator *real = rank_operator_real(level->spmv);
    int64_t below = level->crossing->below;
    struct smooth one = shifted(first, below), two = shifted(second, below);
    double *b_local = rank_operator_local(level->spmv, b);
    double *x_local = rank_operator_local(level->spmv, x);
    if (!b_local || !x_local)
        return error_set(error, STATUS_UNAVAILABLE,
                         "a vector is older than the product, and has no room for the rows of "
                         "other ranks");
    ranks_enter(ranks_of(level->space));
    enum status status = rank_operator_bring(level->spmv, b_local, error);
    if (!status)
        status = level->fused_smoothing->before(real, false, &one, &two, error);
    if (!status)
        status = rank_operator_bring(level->spmv, x_local, error);
    if (!status)
        status = level->fused_smoothing->residual(real, b_local, x_local,
                                                  (double *)level->q - below, error);
    return status ? status : distribute_restrict(level, NULL, 0, error);
}

/* x of other ranks' rows is there since the residual. */
enum status distribute_sweep_up(const struct level *level, const struct smooth *first,
                                const struct smooth *last, double *x, struct error *error)
{
    const struct linear_operator *real = rank_operator_real(level->spmv);
    const struct crossing *crossing = level->crossing;
    int64_t below = crossing->below;
    struct smooth one = shifted(first, below), two = shifted(last, below);
    struct ranks *ranks = ranks_of(level->space);
    double *coarse;
    ranks_enter(ranks);
    enum status status = bring_correction(level, 0, &coarse, error);
    struct prolongation prolongation = {.map = crossing->map, .coarse = coarse, .x = x - below};
    if (!status)
        status = level->fused_smoothing->up(real, &prolongation, (double *)level->q - below, &one,
                                            error);
    if (!status)
        status = rank_operator_bring(level->spmv, (double *)level->d - below, error);
    ranks_begin_sums(ranks, below);
    if (!status)
        status = level->fused_smoothing->last(real, false, &two, error);
    return ranks_end_sums(ranks, status);
}

enum status distribute_find_smoothing(struct level *level, struct error *error)
{
    const struct fused_smoothing *fused_smoothing =
        fused_smoothing_find(rank_operator_real(level->spmv), false);
    struct ranks *ranks = ranks_of(level->space);
    int64_t all = fused_smoothing != NULL;
    enum status status = ranks_sum(ranks, 1, &all, error);
    level->fused_smoothing =
        !status && all == ranks->partition.exchange->count ? fused_smoothing : NULL;
    return status;
}

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

/* What lies so many rows before v, in a vector or in a multivector of 2^shift columns. */
static void *rows_before(const struct crossing *crossing, const void *v, int64_t rows, int shift)
{
    return (char *)v - rows * (INT64_C(1) << shift) * distribute_element(crossing->singles);
}

static enum status bring(const struct crossing *crossing, struct rank_halo *halo, int shift,
                         void *local, struct error *error)
{
    return halo->table->bring(halo, 1 << shift, crossing->singles, local, error);
}

/* The own rows of the next level, from this one's residual on the local rows. */
static enum status restrict_own(const struct crossing *crossing, const void *residual, void *coarse,
                                int shift, struct error *error)
{
    bool singles = crossing->singles;
    struct space *real = ranks_enter(crossing->ranks);
    int64_t elements = crossing->coarse_own << shift;
    struct restriction restriction = {.offsets = crossing->offsets,
                                      .members = crossing->members,
                                      .b = residual,
                                      .coarse = coarse,
                                      .shift = shift};
    struct block_transfer by_blocks = {
        .P = crossing->P, .b = residual, .coarse = coarse, .shift = shift};
    if (elements == 0) /* no launch has no blocks */
        return STATUS_OK;
    return crossing->P.blocks > 0
               ? space_run(real, singles ? &pass_block_restriction_float : &pass_block_restriction,
                           elements, &by_blocks, error)
               : space_run(real, singles ? &pass_restriction_float : &pass_restriction, elements,
                           &restriction, error);
}

enum status distribute_restrict(const struct level *level, const void *b, int shift,
                                struct error *error)
{
    const struct crossing *crossing = level->crossing;
    const struct pass *remaining = crossing->singles ? &pass_remainder_float : &pass_remainder;
    int64_t below = crossing->coarse.below;
    struct remainder remainder = {.b = b, .q = level->q};
    void *residual = rows_before(crossing, level->q, crossing->residual.below, shift);
    void *coarse = level[1].b;
    void *local = crossing->gathers ? coarse : rows_before(crossing, coarse, below, shift);
    enum status status =
        b ? space_run(level->space, remaining, level->n << shift, &remainder, error) : STATUS_OK;
    if (!status)
        status = bring(crossing, crossing->bring_residual, shift, residual, error);
    if (!status)
        status = restrict_own(crossing, residual, rows_before(crossing, local, -below, shift),
                              shift, error);
    return status || !crossing->gathers
               ? status
               : bring(crossing, crossing->bring_coarse, shift, local, error);
}

/* *local: where the rows of x of the next level begin, with all that this rank reads of it. */
static enum status bring_correction(const struct level *level, int shift, void **local,
                                    struct error *error)
{
    const struct crossing *crossing = level->crossing;
    *local = level[1].x;
    if (crossing->gathers)
        return STATUS_OK;
    *local = rows_before(crossing, *local, crossing->coarse.below, shift);
    return bring(crossing, crossing->bring_coarse, shift, *local, error);
}

enum status distribute_correct(const struct level *level, void *x, int shift, struct error *error)
{
    const struct crossing *crossing = level->crossing;
    static const struct pass *const passes[2][2] = {
        {&pass_prolongation, &pass_prolongation_float},
        {&pass_block_prolongation, &pass_block_prolongation_float}};
    const struct pass *prolonging = passes[crossing->P.blocks > 0][crossing->singles];
    void *coarse;
    enum status status = bring_correction(level, shift, &coarse, error);
    struct prolongation prolongation = {
        .map = crossing->map + crossing->below, .coarse = coarse, .x = x, .shift = shift};
    struct block_transfer by_blocks = {.P = crossing->P, .coarse = coarse, .x = x, .shift = shift};
    const void *work = crossing->P.blocks > 0 ? (const void *)&by_blocks : &prolongation;
    return status ? status : space_run(level->space, prolonging, level->n << shift, work, error);
}

/* --- fused smoothing -------------------------------------------------------------------------- */

/* The step over the local rows. */
static struct smooth shifted(const struct crossing *crossing, const struct smooth *step)
{
    struct smooth local = *step;
    int64_t below = crossing->below;
    const void **read[] = {&local.b, &local.q, &local.inverse, &local.d, &local.x};
    void **made[] = {&local.made_r, &local.made_d, &local.made_x};
    for (size_t k = 0; k < sizeof read / sizeof *read; k++)
        if (*read[k])
            *read[k] = rows_before(crossing, *read[k], below, 0);
    for (size_t k = 0; k < sizeof made / sizeof *made; k++)
        if (*made[k])
            *made[k] = rows_before(crossing, *made[k], below, 0);
    local.along -= below;
    local.float_scaling.r -= below;
    local.float_scaling.z -= below;
    if (local.float_scaling.b)
        local.float_scaling.b -= below;
    return local;
}

static enum status refuse_vector(struct error *error)
{
    return error_set(error, STATUS_UNAVAILABLE,
                     "a vector is older than the product, and has no room for the rows of other "
                     "ranks");
}

/* The rows of other ranks of the vectors that the sweep begins from: of b, or, where the cycle
 * enters, of the caller's r, of which b is made. */
static enum status bring_begin(const struct level *level, bool enters, const struct smooth *first,
                               const void *b, struct error *error)
{
    bool singles = level->crossing->singles && !enters;
    void *local = rank_operator_local(level->spmv, singles, enters ? first->float_scaling.r : b);
    return local ? rank_operator_bring(level->spmv, singles, local, error) : refuse_vector(error);
}

enum status distribute_sweep_down(const struct level *level, bool enters,
                                  const struct smooth *first, const struct smooth *second,
                                  const void *b, const void *x, struct error *error)
{
    const struct linear_operator *real = rank_operator_real(level->spmv);
    const struct crossing *crossing = level->crossing;
    int64_t below = crossing->below;
    struct smooth one = shifted(crossing, first), two = shifted(crossing, second);
    void *x_local = rank_operator_local(level->spmv, crossing->singles, x);
    ranks_enter(ranks_of(level->space));
    enum status status =
        x_local ? bring_begin(level, enters, first, b, error) : refuse_vector(error);
    if (!status)
        status = level->fused_smoothing->before(real, enters, &one, &two, error);
    if (!status)
        status = rank_operator_bring(level->spmv, crossing->singles, x_local, error);
    if (!status)
        status = level->fused_smoothing->residual(real, rows_before(crossing, b, below, 0), x_local,
                                                  rows_before(crossing, level->q, below, 0), error);
    return status ? status : distribute_restrict(level, NULL, 0, error);
}

/* x of other ranks' rows is there since the residual. */
enum status distribute_sweep_up(const struct level *level, bool leaves, const struct smooth *first,
                                const struct smooth *last, void *x, struct error *error)
{
    const struct linear_operator *real = rank_operator_real(level->spmv);
    const struct crossing *crossing = level->crossing;
    int64_t below = crossing->below;
    struct smooth one = shifted(crossing, first), two = shifted(crossing, last);
    struct ranks *ranks = ranks_of(level->space);
    void *coarse, *q = rows_before(crossing, level->q, below, 0);
    if (leaves && !rank_operator_local(level->spmv, false, last->float_scaling.z))
        return refuse_vector(error);
    ranks_enter(ranks);
    enum status status = bring_correction(level, 0, &coarse, error);
    struct prolongation prolongation = {
        .map = crossing->map, .coarse = coarse, .x = rows_before(crossing, x, below, 0)};
    if (!status)
        status = level->fused_smoothing->up(real, &prolongation, q, &one, error);
    if (!status)
        status = rank_operator_bring(level->spmv, crossing->singles,
                                     rows_before(crossing, level->d, below, 0), error);
    ranks_begin_sums(ranks, below);
    if (!status)
        status = level->fused_smoothing->last(real, leaves, &two, error);
    return ranks_end_sums(ranks, status);
}

enum status distribute_find_smoothing(struct level *level, struct error *error)
{
    const struct fused_smoothing *fused_smoothing =
        fused_smoothing_find(rank_operator_real(level->spmv), level->crossing->singles);
    struct ranks *ranks = ranks_of(level->space);
    int64_t all = fused_smoothing != NULL;
    enum status status = ranks_sum(ranks, 1, &all, error);
    level->fused_smoothing =
        !status && all == ranks->partition.exchange->count ? fused_smoothing : NULL;
    return status;
}

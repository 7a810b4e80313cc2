#include "precondition/multigrid/cycle/cycle.h"

#include "base/cuda_part.h"
#include "base/memory.h"
#include "precondition/blocks.h"
#include "precondition/multigrid/cycle/cycle_columns.h"
#include "precondition/multigrid/cycle/direct.h"
#include "precondition/multigrid/cycle/float_scaling.h"
#include "precondition/multigrid/cycle/fused_smoothing.h"
#include "precondition/multigrid/distributed/distribute.h"
#include "precondition/multigrid/setup/grid.h"

/* A leg with two steps of the smoother is one chain of sweeps. */
enum { SWEEPS_AHEAD = 8 };

bool cycle_is_float(const struct multigrid *m)
{
    return m->hierarchy.precision == PRECISION_FLOAT;
}

bool cycle_is_callers(const struct multigrid *m, const struct level *level)
{
    return level->number == 0 && !cycle_is_float(m);
}

static const void *rhs_of(const struct cycle *cycle, const struct level *level)
{
    return cycle_is_callers(cycle->m, level) ? cycle->float_scaling.r : level->b;
}

static void *solution_of(const struct cycle *cycle, const struct level *level)
{
    return cycle_is_callers(cycle->m, level) ? cycle->float_scaling.z : level->x;
}

enum smooth_kind cycle_kind(const struct multigrid *m, const struct level *level, int64_t k,
                            bool from_zero, bool is_last)
{
    bool last = k + 1 == m->degree, float_scaling = cycle_is_float(m) && level->number == 0;
    bool enters = float_scaling && !cycle_by_fsai(level);
    if (k == 0)
        return !from_zero ? SMOOTH_FIRST_LATER : enters ? SMOOTH_ENTER : SMOOTH_FIRST;
    if (from_zero && k == 1)
        return last ? SMOOTH_SECOND_LAST : SMOOTH_SECOND;
    return !last ? SMOOTH_MIDDLE : float_scaling && is_last ? SMOOTH_LEAVE : SMOOTH_LAST;
}

bool cycle_by_fsai(const struct level *level)
{
    return level->fsai.G.nnz > 0;
}

const struct pass *cycle_pass(const struct multigrid *m, enum smooth_kind kind)
{
    return cycle_is_float(m) ? &smooth_passes_float[kind] : &smooth_passes[kind];
}

bool cycle_waits(enum smooth_kind kind)
{
    return kind != SMOOTH_FIRST_LATER && kind != SMOOTH_SECOND_LAST && kind != SMOOTH_LAST;
}

static bool in_fused_levels(const struct multigrid *m, const struct level *level)
{
    return m->fused_levels.count > 0 && level->number >= m->fused_levels.first;
}

bool cycle_is_one_sweep(const struct multigrid *m, const struct level *level, enum smooth_kind kind)
{
    if (cycle_waits(kind) || in_fused_levels(m, level))
        return !cycle_waits(kind);
    return !cycle_is_float(m) && !cycle_by_fsai(level) &&
           operator_fuses_pass(level->spmv, cycle_pass(m, kind));
}

/* Sets level->restricting. */
static enum status find_restricting(struct level *level, struct error *error)
{
    memory_free(level->restricting.begin);
    level->restricting = (struct tiled_elements){0};
    bool may = level->space->operations->kind == SPACE_CPU && !level->crossing &&
               level->P.blocks == 0 && level->joining.cells.n[0] > 0 &&
               level->spmv->table->apply_all;
    return may ? cells_by_tiles(&level->joining.cells, &level->restricting, error) : STATUS_OK;
}

enum status cycle_find_smoothing(struct multigrid *m, enum legs_choice legs, struct error *error)
{
    struct hierarchy *h = &m->hierarchy;
    enum status status = STATUS_OK;
    for (int k = 0; k + 1 < h->count && m->degree == 2 && !status; k++)
        if (h->levels[k].P.blocks > 0)
            h->levels[k].fused_smoothing = NULL;
        else if (h->levels[k].crossing)
            status = distribute_find_smoothing(&h->levels[k], error);
        else if (!cycle_by_fsai(&h->levels[k]))
            h->levels[k].fused_smoothing =
                fused_smoothing_find(h->levels[k].spmv, cycle_is_float(m));
    for (int k = 0; k + 1 < h->count && !status; k++)
        status = legs_create(&h->levels[k], cycle_is_float(m), legs, error);
    for (int k = 0; k + 1 < h->count && !status; k++)
        status = find_restricting(&h->levels[k], error);
    return status;
}

/* q = A x */
static struct operands product_of(const struct cycle *cycle, const struct level *level,
                                  const void *x)
{
    int columns = 1 << cycle->shift;
    return (struct operands){.x = x,
                             .y = level->q,
                             .singles = cycle_is_float(cycle->m),
                             .columns = columns,
                             .used = columns};
}

/* A pass over the elements of the level's vectors or multivectors. */
static enum status run(const struct cycle *cycle, const struct level *level,
                       const struct pass *pass, const void *work, struct error *error)
{
    return space_run(level->space, pass, level->n << cycle->shift, work, error);
}

struct smooth cycle_step(const struct cycle *cycle, const struct level *level, int64_t k,
                         bool from_zero, bool is_last)
{
    const struct multigrid *m = cycle->m;
    bool by_fsai = cycle_by_fsai(level);
    const void *b = by_fsai ? level->fsai.b : rhs_of(cycle, level);
    void *x = solution_of(cycle, level);
    double lmax = by_fsai ? level->fsai.lmax : level->lmax;
    bool last = k + 1 == m->degree, second = from_zero && k == 1;
    struct smooth work = {.b = k == 0 || second ? b : level->r,
                          .q = from_zero && k == 0 ? NULL : level->q,
                          .inverse = level->inverse,
                          .shift = cycle->shift,
                          .d = k == 0 ? NULL : level->d,
                          .x = k == 0 || second ? NULL : x,
                          .made_r = last || (from_zero && k == 0) ? NULL : level->r,
                          .made_d = last ? NULL : level->d,
                          .made_x = k == 0 ? NULL : x,
                          .of_d = (double)(2 * k - 1) / (double)(2 * k + 3),
                          .of_r = (double)(8 * k + 4) / ((double)(2 * k + 3) * lmax),
                          .of_before = k == 0 ? 0 : m->betas[k - 1],
                          .beta = m->betas[k],
                          .along = cycle->float_scaling.r,
                          .dot = last && is_last && !cycle_is_float(m) ? cycle->float_scaling.dot
                                                                       : NULL,
                          .float_scaling = cycle->float_scaling};
    if (cycle_kind(m, level, k, from_zero, is_last) == SMOOTH_ENTER)
        work.float_scaling.b = level->b;
    return work;
}

/* y = G'G x, where that smooths. */
static enum status approximate(const struct cycle *cycle, const struct level *level, const void *x,
                               void *y, struct error *error)
{
    return cycle_by_fsai(level)
               ? level_fsai_apply(level, cycle_is_float(cycle->m), cycle->shift, x, y, error)
               : STATUS_OK;
}

/* Sweeps over a level that are sent together, with what their passes work on. */
struct sweeps_ahead {
    const struct level *level;
    int count;
    struct operands of[SWEEPS_AHEAD];
    union {
        struct smooth smooth;
        struct prolongation prolongation;
        struct restriction restriction;
    } work[SWEEPS_AHEAD];
};

static enum status send(struct sweeps_ahead *ahead, struct error *error)
{
    int count = ahead->count;
    ahead->count = 0;
    return operator_apply_all(ahead->level->spmv, ahead->of, count, error);
}

/* Step k: the product that it needs, if it needs one, and its pass. G'G stands between them. */
static enum status smooth_step(const struct cycle *cycle, int64_t k, bool from_zero, bool is_last,
                               struct sweeps_ahead *ahead, struct error *error)
{
    const struct multigrid *m = cycle->m;
    const struct level *level = ahead->level;
    enum smooth_kind kind = cycle_kind(m, level, k, from_zero, is_last);
    struct smooth work = cycle_step(cycle, level, k, from_zero, is_last);
    struct operands sweep = product_of(cycle, level, k == 0 ? solution_of(cycle, level) : level->d);
    bool is_one = cycle->shift == 0 && cycle_is_one_sweep(m, level, kind);
    enum status status = ahead->count + 2 > SWEEPS_AHEAD ? send(ahead, error) : STATUS_OK;
    if (work.q && !is_one)
        ahead->of[ahead->count++] = sweep;
    if (work.q && cycle_by_fsai(level)) {
        if (!status)
            status = send(ahead, error);
        if (!status)
            status = approximate(cycle, level, level->q, level->q, error);
    }
    if (!is_one)
        sweep.x = sweep.y = NULL;
    sweep.pass = cycle_pass(m, kind);
    ahead->work[ahead->count].smooth = work;
    sweep.work = &ahead->work[ahead->count].smooth;
    ahead->of[ahead->count++] = sweep;
    return status;
}

static enum status run_ends(const struct cycle *cycle, const struct level *level,
                            const struct pass *pass, struct error *error)
{
    struct float_scaling work = cycle->float_scaling;
    work.b = pass == &pass_enter ? level->b : NULL;
    work.x = level->x;
    return run(cycle, level, pass, &work, error);
}

/* G'G b, which both smoothings of the level begin with. */
static enum status begin_by_fsai(const struct cycle *cycle, const struct level *level,
                                 struct error *error)
{
    enum status status = STATUS_OK;
    if (cycle_by_fsai(level) && cycle_is_float(cycle->m) && level->number == 0)
        status = run_ends(cycle, level, &pass_enter, error);
    return status ? status : approximate(cycle, level, rhs_of(cycle, level), level->fsai.b, error);
}

/* x = S(x, b), or S(0, b), behind what is ahead; the last sweeps are not sent yet. */
static enum status smooth(const struct cycle *cycle, bool from_zero, bool is_last,
                          struct sweeps_ahead *ahead, struct error *error)
{
    enum status status = from_zero ? begin_by_fsai(cycle, ahead->level, error) : STATUS_OK;
    for (int64_t k = 0; k < cycle->m->degree && !status; k++)
        status = smooth_step(cycle, k, from_zero, is_last, ahead, error);
    return status;
}

/* x = B b by the inverse, in single precision. */
static enum status solve_directly_float(const struct cycle *cycle, const struct level *level,
                                        bool alone, struct error *error)
{
    struct direct work = {.n = level->n,
                          .values = cycle->m->hierarchy.coarsest_inverse,
                          .b = level->b,
                          .x = level->x,
                          .shift = cycle->shift};
    enum status status = alone ? run_ends(cycle, level, &pass_enter, error) : STATUS_OK;
    if (!status)
        status = run(cycle, level, &pass_direct, &work, error);
    return status || !alone ? status : run_ends(cycle, level, &pass_leave, error);
}

static enum status solve_directly(const struct cycle *cycle, const struct level *level, bool alone,
                                  struct error *error)
{
    struct blocks_work work = {.n = level->n,
                               .rows = level->n,
                               .block = level->n,
                               .values = cycle->m->hierarchy.coarsest_inverse,
                               .r = rhs_of(cycle, level),
                               .z = solution_of(cycle, level),
                               .dot = alone ? cycle->float_scaling.dot : NULL};
    struct blocks_columns_work columns = {.n = work.n,
                                          .block = work.block,
                                          .rows = work.rows,
                                          .stride = INT64_C(1) << cycle->shift,
                                          .values = work.values,
                                          .r = work.r,
                                          .z = work.z};
    return cycle->shift == 0 ? run(cycle, level, &pass_blocks, &work, error)
                             : run(cycle, level, &pass_blocks_columns, &columns, error);
}

/* alone: there is no other level. */
static enum status solve_last(const struct cycle *cycle, const struct level *level, bool alone,
                              struct error *error)
{
    if (cycle->m->hierarchy.coarsest_inverse)
        return cycle_is_float(cycle->m) ? solve_directly_float(cycle, level, alone, error)
                                        : solve_directly(cycle, level, alone, error);
    struct sweeps_ahead ahead = {.level = level};
    enum status status = STATUS_OK;
    for (int k = 0; k < LAST_SMOOTHINGS && !status; k++)
        status = smooth(cycle, k == 0, alone && k + 1 == LAST_SMOOTHINGS, &ahead, error);
    return status ? status : send(&ahead, error);
}

/* --- between two levels ----------------------------------------------------------------------- */

struct restriction cycle_restriction(const struct cycle *cycle, const struct level *level)
{
    return (struct restriction){.offsets = level->aggregates.offsets,
                                .members = level->aggregates.members,
                                .b = rhs_of(cycle, level),
                                .q = level->q,
                                .coarse = level[1].b,
                                .shift = cycle->shift};
}

struct prolongation cycle_prolongation(const struct cycle *cycle, const struct level *level)
{
    return (struct prolongation){.map = level->aggregates.map,
                                 .coarse = level[1].x,
                                 .x = solution_of(cycle, level),
                                 .shift = cycle->shift};
}

static struct block_transfer block_transfer(const struct cycle *cycle, const struct level *level)
{
    return (struct block_transfer){.P = level->P,
                                   .b = rhs_of(cycle, level),
                                   .q = level->q,
                                   .coarse = level[1].b,
                                   .x = solution_of(cycle, level),
                                   .shift = cycle->shift};
}

static enum status restrict_by_blocks(const struct cycle *cycle, const struct level *level,
                                      struct error *error)
{
    struct block_transfer work = block_transfer(cycle, level);
    return run(cycle, level + 1,
               cycle_is_float(cycle->m) ? &pass_block_restriction_float : &pass_block_restriction,
               &work, error);
}

static enum status correct_by_blocks(const struct cycle *cycle, const struct level *level,
                                     struct error *error)
{
    struct block_transfer work = block_transfer(cycle, level);
    work.coarse = level[1].x;
    return run(cycle, level,
               cycle_is_float(cycle->m) ? &pass_block_prolongation_float : &pass_block_prolongation,
               &work, error);
}

/* is_made: q is the residual, else A x. */
static enum status restrict_residual(const struct cycle *cycle, const struct level *level,
                                     bool is_made, struct error *error)
{
    const struct multigrid *m = cycle->m;
    const struct pass *pass = cycle_is_float(m) ? &pass_restriction_float : &pass_restriction;
    if (level->crossing)
        return distribute_restrict(level, rhs_of(cycle, level), cycle->shift, error);
    if (level->P.blocks > 0)
        return restrict_by_blocks(cycle, level, error);
    struct restriction work = cycle_restriction(cycle, level);
    if (is_made) {
        work.b = level->q;
        work.q = NULL;
    }
    return run(cycle, level + 1, pass, &work, error);
}

/* The same as one more sweep. */
static void add_restriction(const struct cycle *cycle, struct sweeps_ahead *ahead)
{
    const struct level *level = ahead->level;
    struct restriction *work = &ahead->work[ahead->count].restriction;
    *work = cycle_restriction(cycle, level);
    ahead->of[ahead->count++] = (struct operands){
        .pass = cycle_is_float(cycle->m) ? &pass_restriction_float : &pass_restriction,
        .work = work,
        .elements = &level->restricting};
}

/* x + P x_c: at once, or as a sweep before others. */
static enum status correct(const struct cycle *cycle, struct sweeps_ahead *ahead,
                           struct error *error)
{
    const struct level *level = ahead->level;
    const struct pass *pass =
        cycle_is_float(cycle->m) ? &pass_prolongation_float : &pass_prolongation;
    if (level->crossing)
        return distribute_correct(level, solution_of(cycle, level), cycle->shift, error);
    if (level->P.blocks > 0)
        return correct_by_blocks(cycle, level, error);
    ahead->work[0].prolongation = cycle_prolongation(cycle, level);
    ahead->of[ahead->count++] = (struct operands){
        .pass = pass, .work = &ahead->work[0].prolongation, .columns = 1 << cycle->shift};
    return STATUS_OK;
}

/* The x between the legs is q, because the leg up writes x while it still reads that. */
static enum status run_down(const struct cycle *cycle, const struct level *level,
                            struct error *error)
{
    struct leg leg = {.first = cycle_step(cycle, level, 0, true, false),
                      .second = cycle_step(cycle, level, 1, true, false),
                      .at_end = cycle_is_float(cycle->m) && level->number == 0,
                      .x = level->q,
                      .coarse = level[1].b};
    bool in_single = cycle_is_float(cycle->m);
    return level->crossing ? distribute_leg_down(level, in_single, &leg, error)
                           : CUDA_PART(legs_down_cuda)(&level->legs, in_single, &leg, error);
}

static enum status run_up(const struct cycle *cycle, const struct level *level, bool is_last,
                          struct error *error)
{
    const struct float_scaling *ends = &cycle->float_scaling;
    struct leg leg = {.first = cycle_step(cycle, level, 0, false, is_last),
                      .second = cycle_step(cycle, level, 1, false, is_last),
                      .at_end = cycle_is_float(cycle->m) && level->number == 0,
                      .x = level->q,
                      .coarse = level[1].x};
    bool in_single = cycle_is_float(cycle->m);
    enum status status = level->crossing
                             ? distribute_leg_up(level, in_single, &leg, error)
                             : CUDA_PART(legs_up_cuda)(&level->legs, in_single, &leg, error);
    if (status || !is_last || !ends->dot)
        return status;
    return space_dot(level->space, level->n, ends->r, ends->z, ends->dot, error);
}

static enum status go_down(const struct cycle *cycle, const struct level *level,
                           struct error *error)
{
    if (level->legs.table)
        return run_down(cycle, level, error);

    const struct fused_smoothing *fused_smoothing = level->fused_smoothing;
    if (!fused_smoothing) {
        struct sweeps_ahead ahead = {.level = level};
        enum status status = smooth(cycle, true, false, &ahead, error);
        if (!status && ahead.count + 2 > SWEEPS_AHEAD)
            status = send(&ahead, error);
        ahead.of[ahead.count++] = product_of(cycle, level, solution_of(cycle, level));
        bool follows = cycle->shift == 0 && level->restricting.begin;
        if (follows)
            add_restriction(cycle, &ahead);
        if (!status)
            status = send(&ahead, error);
        return status || follows ? status : restrict_residual(cycle, level, false, error);
    }
    bool enters = cycle_kind(cycle->m, level, 0, true, false) == SMOOTH_ENTER;
    struct smooth first = cycle_step(cycle, level, 0, true, false);
    struct smooth second = cycle_step(cycle, level, 1, true, false);
    if (level->crossing)
        return distribute_sweep_down(level, enters, &first, &second, rhs_of(cycle, level),
                                     solution_of(cycle, level), error);
    enum status status = fused_smoothing->before(level->spmv, enters, &first, &second, error);
    if (!status)
        status = fused_smoothing->residual(level->spmv, rhs_of(cycle, level),
                                           solution_of(cycle, level), level->q, error);
    return status ? status : restrict_residual(cycle, level, true, error);
}

/* Fused smoothing writes the corrected x to q, because its product still reads x. */
static enum status go_up(const struct cycle *cycle, const struct level *level, bool is_last,
                         struct error *error)
{
    if (level->legs.table)
        return run_up(cycle, level, is_last, error);
    const struct fused_smoothing *fused_smoothing = level->fused_smoothing;
    if (!fused_smoothing) {
        struct sweeps_ahead ahead = {.level = level};
        enum status status = correct(cycle, &ahead, error);
        if (!status)
            status = smooth(cycle, false, is_last, &ahead, error);
        return status ? status : send(&ahead, error);
    }
    struct smooth first = cycle_step(cycle, level, 0, false, is_last);
    struct smooth last = cycle_step(cycle, level, 1, false, is_last);
    struct prolongation prolongation = cycle_prolongation(cycle, level);
    last.x = level->q;
    bool at_end = cycle_kind(cycle->m, level, 1, false, is_last) == SMOOTH_LEAVE;
    if (level->crossing)
        return distribute_sweep_up(level, at_end, &first, &last, solution_of(cycle, level), error);
    enum status status = fused_smoothing->up(level->spmv, &prolongation, level->q, &first, error);
    return status ? status : fused_smoothing->last(level->spmv, at_end, &last, error);
}

static enum status run_fused_levels(const struct cycle *cycle, struct error *error)
{
    const struct multigrid *m = cycle->m;
    return CUDA_PART(fused_levels_run_cuda)(m->hierarchy.space, &m->fused_levels, cycle_is_float(m),
                                            error);
}

static enum status run_cycle(const struct cycle *cycle, struct error *error)
{
    const struct level *levels = cycle->levels;
    const struct fused_levels *fused_levels = &cycle->m->fused_levels;
    bool fused = fused_levels->count > 0 && cycle->shift == 0;
    int end = fused ? fused_levels->first : cycle->m->hierarchy.count - 1;
    enum status status = STATUS_OK;
    for (int k = 0; k < end && !status; k++)
        status = go_down(cycle, &levels[k], error);
    if (!status)
        status = fused ? run_fused_levels(cycle, error)
                       : solve_last(cycle, &levels[end], end == 0, error);
    for (int k = end - 1; k >= 0 && !status; k--)
        status = go_up(cycle, &levels[k], k == 0, error);
    return status;
}

/* r . r of each column that is wanted, and the scales of all. */
static enum status scale_columns(const struct cycle *cycle, const struct operands *operands,
                                 struct error *error)
{
    const struct level *level = cycle->levels;
    double *squared = cycle->m->squared;
    struct pass_sum dots[PASS_COLUMNS];
    struct pass_columns columns = {.stride = INT64_C(1) << cycle->shift, .count = operands->used};
    for (int j = 0; j < operands->used; j++) {
        const double *r = (const double *)operands->x + j;
        dots[j] = (struct pass_sum){r, r, squared + j};
        columns.work[j] = &dots[j];
        columns.place[j] = j;
        columns.ended[j] = level->space->ended;
    }
    struct float_scales scales = {.squared = squared,
                                  .exponent = cycle->m->hierarchy.exponent,
                                  .used = operands->used,
                                  .shift = cycle->shift,
                                  .scales = squared + COLUMNS_AT_ONCE};
    struct ranks *ranks = ranks_of(level->space);
    enum status status = space_run_columns(level->space, &pass_dot, level->n, &columns, error);
    return status ? status
                  : space_run(ranks ? ranks_enter(ranks) : level->space, &pass_float_scales,
                              columns.stride, &scales, error);
}

/* What the cycle's scaling follows from, where the method does not bring it. */
static enum status take_squared(const struct cycle *cycle, const struct operands *operands,
                                struct error *error)
{
    const struct level *level = cycle->levels;
    if (!cycle_is_float(cycle->m))
        return STATUS_OK;
    if (cycle->shift > 0)
        return scale_columns(cycle, operands, error);
    return operands->squared ? STATUS_OK
                             : space_dot(level->space, level->n, operands->x, operands->x,
                                         cycle->m->squared, error);
}

enum status cycle_apply(const struct multigrid *m, const struct operands *operands,
                        struct error *error)
{
    int shift = cycle_shift(operands->columns);
    struct cycle cycle = {
        .m = m,
        .levels = shift > 0 ? m->columns[shift - 1] : m->hierarchy.levels,
        .shift = shift,
        .float_scaling = {.r = operands->x,
                          .squared = operands->squared ? operands->squared : m->squared,
                          .scales = m->squared ? m->squared + COLUMNS_AT_ONCE : NULL,
                          .exponent = m->hierarchy.exponent,
                          .shift = shift,
                          .z = operands->y,
                          .dot = operands->dot}};
    enum status status = take_squared(&cycle, operands, error);
    return status ? status : run_cycle(&cycle, error);
}

#include "precondition/multigrid/cycle/legs.h"

#include "base/cuda_part.h"
#include "precondition/multigrid/distributed/distribute.h"
#include "precondition/multigrid/setup/hierarchy.h"
#include "spmv/distributed/rank_operator.h"

/* The points of a plane, rounded up to those of its blocks. */
static int64_t points_of_blocks(const int64_t n[3])
{
    return (n[0] + LEGS_X - 1) / LEGS_X * LEGS_X * ((n[1] + LEGS_Y - 1) / LEGS_Y * LEGS_Y);
}

static bool gains(const struct legs *legs)
{
    const int64_t *n = legs->n, *rows = legs->share.rows;
    int64_t plane = n[0] * n[1];
    return plane * n[2] >= LEGS_ROWS && 2 * plane >= points_of_blocks(n) &&
           rows[1] - rows[0] >= LEGS_PLANES * plane;
}

static struct legs_share share_of_one(const struct level *level, const int64_t n[3])
{
    return (struct legs_share){.rows = {0, level->n},
                               .coarse = {0, level[1].n},
                               .down = {0, n[2]},
                               .up = {0, n[2]},
                               .window = {0, n[2]}};
}

/* Of what all ranks know. */
static bool may_have(const struct level *level, const struct cells *cells, enum legs_choice choice)
{
    bool may =
        level->fused_smoothing && cells->n[0] > 0 && cells->block == 1 && choice != LEGS_NEVER;
    for (int axis = 0; axis < 3; axis++)
        may = may && 2 * cells->n[axis] == cells->before[axis];
    return may;
}

/* The legs, if *suits; of ranks it becomes whether all have them. */
static enum status find(struct level *level, bool in_single, bool *suits, struct error *error)
{
    bool shared = level->crossing != NULL;
    const struct linear_operator *local = shared ? rank_operator_real(level->spmv) : level->spmv;
    struct legs_table table = {0};
    enum status status = STATUS_OK;
    if (*suits)
        status = CUDA_PART(legs_look_cuda)(level, local, shared ? level->crossing->below : 0,
                                           in_single, &table, suits, error);
    if (!status && shared)
        status = distribute_legs(level, in_single, &table, suits, error);
    if (!status && *suits)
        status = CUDA_PART(legs_create_cuda)(level, in_single, &table, suits, error);
    return status || !shared ? status : distribute_agree(level, suits, error);
}

enum status legs_create(struct level *level, bool in_single, enum legs_choice choice,
                        struct error *error)
{
    const struct cells *cells = level->crossing ? &level->crossing->cells : &level->joining.cells;
    struct legs *legs = &level->legs;
    *legs = (struct legs){0};
    if (!may_have(level, cells, choice))
        return STATUS_OK;
    for (int axis = 0; axis < 3; axis++)
        legs->n[axis] = cells->before[axis];
    legs->share = level->crossing ? distribute_plan_legs(level) : share_of_one(level, legs->n);
    bool suits = choice == LEGS_ALWAYS || gains(legs);
    enum status status = find(level, in_single, &suits, error);
    if (status || !suits)
        legs_free(legs);
    return status;
}

void legs_free(struct legs *legs)
{
    if (legs->space) {
        space_release(legs->space, legs->table);
        space_release(legs->space, legs->marks);
        space_release(legs->space, legs->own_codes);
    }
    *legs = (struct legs){0};
}

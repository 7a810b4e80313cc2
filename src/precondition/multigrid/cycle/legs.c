#include "precondition/multigrid/cycle/legs.h"

#include "base/cuda_part.h"
#include "precondition/multigrid/setup/hierarchy.h"

/* The points of a plane, rounded up to those of its blocks. */
static int64_t points_of_blocks(const int64_t n[3])
{
    return (n[0] + LEGS_X - 1) / LEGS_X * LEGS_X * ((n[1] + LEGS_Y - 1) / LEGS_Y * LEGS_Y);
}

static bool gains(const struct level *level)
{
    const int64_t *n = level->joining.cells.before;
    return level->n >= LEGS_ROWS && 2 * n[0] * n[1] >= points_of_blocks(n);
}

enum status legs_create(struct level *level, bool in_single, enum legs_choice choice,
                        struct error *error)
{
    const struct cells *cells = &level->joining.cells;
    bool suits = level->fused_smoothing && !level->crossing && cells->n[0] > 0 &&
                 cells->block == 1 && choice != LEGS_NEVER &&
                 (choice == LEGS_ALWAYS || gains(level));
    level->legs = (struct legs){0};
    for (int axis = 0; axis < 3; axis++)
        suits = suits && 2 * cells->n[axis] == cells->before[axis];
    if (!suits)
        return STATUS_OK;
    enum status status = CUDA_PART(legs_create_cuda)(level, in_single, &suits, error);
    if (status || !suits)
        legs_free(&level->legs);
    return status;
}

void legs_free(struct legs *legs)
{
    if (legs->space) {
        space_release(legs->space, legs->table);
        space_release(legs->space, legs->marks);
    }
    *legs = (struct legs){0};
}

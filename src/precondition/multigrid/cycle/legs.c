#include "precondition/multigrid/cycle/legs.h"

#include "base/cuda_part.h"
#include "precondition/multigrid/setup/hierarchy.h"

enum status legs_create(struct level *level, bool in_single, int64_t rows, struct error *error)
{
    const struct cells *cells = &level->joining.cells;
    bool suits = level->fused_smoothing && !level->crossing && cells->n[0] > 0 &&
                 cells->block == 1 && rows > 0 && level->n >= rows;
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

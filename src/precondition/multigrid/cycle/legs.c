#include "precondition/multigrid/cycle/legs.h"

#include "base/cuda_part.h"
#include "precondition/multigrid/setup/hierarchy.h"

static bool pay(const int64_t n[3])
{
    int64_t x = (n[0] + LEGS_X - 1) / LEGS_X, y = (n[1] + LEGS_Y - 1) / LEGS_Y;
    return n[0] * n[1] * n[2] >= LEGS_ROWS && 2 * n[0] * n[1] >= x * LEGS_X * y * LEGS_Y;
}

enum status legs_create(struct level *level, bool in_single, int64_t rows, struct error *error)
{
    const struct cells *cells = &level->joining.cells;
    bool suits = level->fused_smoothing && !level->crossing && cells->n[0] > 0 &&
                 cells->block == 1 && (rows > 0 ? level->n >= rows : pay(cells->before));
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

#include "spmv/symmetric/diagonals/cuda_bricks.cuh"

#include "base/memory.h"
#include "space/sum/sum_order.h"

#include <string.h>

static const char *const what = "tiles of blocks";

/* Appends an array of whole numbers to all others. */
static const int32_t *append(int32_t *all, int64_t *used, const int32_t *device, const void *array,
                             int64_t count)
{
    int64_t at = *used;
    memcpy(all + at, array, (size_t)count * sizeof *all);
    *used += count;
    return device + at;
}

/* In one copy. */
static enum status put(struct space_cuda *space, const struct bricks *bricks, int64_t tiles,
                       struct cuda_bricks *made, struct error *error)
{
    enum { RUN = sizeof *bricks->runs / 4, PIECE = sizeof *bricks->pieces / 4 };
    int64_t places = (int64_t)bricks->blocks * bricks->slots, used = 0;
    int64_t runs = bricks->run_first[bricks->blocks] * (int64_t)RUN;
    int64_t pieces = places * bricks->width * PIECE;
    int64_t count = places + tiles + 2 * bricks->blocks + 1 + runs + pieces;
    int32_t *all = (int32_t *)memory_array(count, sizeof *all, what, error);
    enum status status =
        all ? cuda_array(space, count, sizeof *all, what, &made->memory, error) : STATUS_MEMORY;
    if (!status) {
        const int32_t *device = (const int32_t *)made->memory;
        made->tile = append(all, &used, device, bricks->tile, places);
        made->exported = append(all, &used, device, bricks->exported, tiles);
        made->halo = append(all, &used, device, bricks->halo, bricks->blocks);
        made->run_first = append(all, &used, device, bricks->run_first, bricks->blocks + 1);
        made->runs = (const struct bricks_run *)append(all, &used, device, bricks->runs, runs);
        made->pieces =
            (const struct bricks_piece *)append(all, &used, device, bricks->pieces, pieces);
        status = cuda_copy_up(space, count * (int64_t)sizeof *all, all, made->memory, what, error);
    }
    memory_free(all);
    return status;
}

enum status cuda_bricks_create(struct space_cuda *space, int64_t n, const int32_t *distances,
                               int64_t count, int blocks, struct cuda_bricks *made,
                               struct error *error)
{
    struct bricks bricks = {};
    enum status status = bricks_create(n, distances, count, blocks, &bricks, error);
    *made = {.blocks = bricks.blocks,
             .slots = bricks.slots,
             .width = bricks.width,
             .halo_most = bricks.halo_most + bricks.halo_most % 2};
    if (!status)
        status = put(space, &bricks, sum_tiles(n), made, error);
    bricks_free(&bricks);
    return status;
}

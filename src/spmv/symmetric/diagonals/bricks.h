/* The tiles of a vector (include/cgsolve/order.h), dealt out to blocks of threads that keep them
 * for many iterations (solver/resident.h), for a matrix by diagonals. A block has tiles that lie
 * close together on the grid, so that it needs few rows of other blocks: its halo. The tiles are
 * bisected, each time across the longer side of the box that they fill (Berger and Bokhari 1987);
 * a plane of that grid has as many rows as the farthest diagonal is away, and a line of it as many
 * as the second farthest.
 *
 * A block keeps a vector of its own: its tiles, in slots of SUM_TILE places; a slot of places that
 * stand for rows outside of the matrix; and its halo. */
#ifndef SOLVER_CG_BRICKS_H
#define SOLVER_CG_BRICKS_H

#include "base/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Consecutive rows of a halo: those from `row` on have the places from `place` on. */
struct bricks_run {
    int32_t row, place;
};

/* Where a tile finds its rows' neighbours at one distance: that of the tile's element e in place
 * (e < split ? low : high) + e. */
struct bricks_piece {
    int32_t split, low, high;
};

struct bricks {
    int blocks, slots, width; /* width: distances of a row's neighbours, itself included */
    int halo_most;            /* rows of the longest halo */
    int32_t *tile;            /* [blocks][slots]; -1: the slot is empty */
    int32_t *owner;           /* [tiles]: the block of each tile */
    int32_t *exported;        /* [tiles]: bit u: of rows 32 u ... of the tile some are in a halo */
    int32_t *halo;            /* [blocks]: rows */
    int32_t *run_first;       /* [blocks + 1]: block b has runs run_first[b] ... */
    struct bricks_run *runs;  /* the places of a block's ascend */
    struct bricks_piece *pieces; /* [blocks][slots][width], distances ascending */
};

/* Of n rows; the last tile has its rows past n, too. distances[count]: of the upper diagonals,
 * ascending from 0. blocks <= sum_tiles(n). The caller calls bricks_free, also on failure. Errors:
 * STATUS_MEMORY. */
enum status bricks_create(int64_t n, const int32_t *distances, int64_t count, int blocks,
                          struct bricks *made, struct error *error);
void bricks_free(struct bricks *bricks); /* accepts a zeroed one */

#ifdef __cplusplus
}
#endif
#endif

/* What cuda_merge and its twin in the tests share besides spmv/baseline/merge_path.h: how the items
 * of a tile are shared out, and which of them are rows' ends.
 *
 * A tile is CUDA_MERGE_THREADS times `items` neighbouring items of the merge path, and a thread has
 * `items` neighbouring ones of those, its own first. A byte an item says whether it is the end of a
 * row. A number of items is a multiple of 4 less 1: odd, so that threads that read their products
 * one by one from shared memory are in different banks, and with one more byte, which is 0, whole
 * words. */
#ifndef SPMV_BASELINE_CUDA_MERGE_H
#define SPMV_BASELINE_CUDA_MERGE_H

#include "base/host_device.h"

#include <stdint.h>

enum {
    CUDA_MERGE_LANES = 32,
    CUDA_MERGE_THREADS = 128,
    CUDA_MERGE_WARPS = CUDA_MERGE_THREADS / CUDA_MERGE_LANES,
    CUDA_MERGE_WAYS = 2 * CUDA_MERGE_LANES, /* of a search, by a warp */
};

/* The choices of the parameter items_per_thread, for X(items). */
#define CUDA_MERGE_ITEMS(X) X(7) X(11) X(15) X(23)

/* Tiles of n rows and nnz entries. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t cuda_merge_tiles(int64_t n, int64_t nnz, int items)
{
    int64_t tile = (int64_t)CUDA_MERGE_THREADS * items;
    return (n + nnz + tile - 1) / tile;
}

/* Rows before a diagonal at which `ended` rows end before it, where the path goes on with empty
 * rows after the last one, so that the last tile is a full one too. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t cuda_merge_row(int64_t ended, int64_t nnz,
                                                             int64_t diagonal)
{
    return ended > diagonal - nnz ? ended : diagonal - nnz;
}

/* Where the byte of an item of the tile is. */
CGSOLVE_HOST_AND_DEVICE static inline int cuda_merge_byte(int item, int items)
{
    return item + item / items;
}

/* The warp that has an item of the tile. */
CGSOLVE_HOST_AND_DEVICE static inline int cuda_merge_warp(int item, int items)
{
    return item / (CUDA_MERGE_LANES * items);
}

/* The ends among a thread's items: its words added, and then their bytes. */
CGSOLVE_HOST_AND_DEVICE static inline int cuda_merge_count(const uint32_t *words, int items)
{
    uint32_t sum = 0;
    for (int w = 0; w < (items + 1) / 4; w++)
        sum += words[w];
    return (int)((sum * 0x01010101u) >> 24);
}

/* Whether a thread's item is an end. */
CGSOLVE_HOST_AND_DEVICE static inline int cuda_merge_is_end(const uint32_t *words, int item)
{
    return (int)(words[item / 4] >> (8 * (item % 4)) & 1);
}

#endif

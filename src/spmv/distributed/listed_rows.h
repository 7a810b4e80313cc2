/* A list of rows, in the memory of a rank's device or CPU, which the rank reads: the ghost rows
 * (spmv/distributed/ghost_rows.h) that it makes, what brings their elements, and the list by local
 * rows. With passes over its elements (space/elements.h),
 *
 *     marking  marks_i = 1 for each i = base + list_k, list_k >= 0
 *     placing  placed_k = the local row of base + list_k, or -1 where list_k is negative
 *
 * and a look (space/find.h) for the greatest base + list_k with list_k >= 0, and for the least,
 * whose sign it changes. */
#ifndef SPMV_DISTRIBUTED_LISTED_ROWS_H
#define SPMV_DISTRIBUTED_LISTED_ROWS_H

#include "space/elements.h"
#include "space/find.h"
#include "space/ranks/ranks.h"
#include "spmv/distributed/ghost_rows.h"
#include "spmv/distributed/rank_halo.h"

struct marking {
    const int32_t *list;
    int64_t base; /* of all rows, which the list counts from */
    uint8_t *marks;
};

struct placing {
    const int32_t *list;
    int64_t base;
    struct rank_places places; /* its arrays are in the space too */
    int32_t *placed;
};

PASS_AT(marking, marking)
{
    if (work->list[i] < 0)
        return;
    int64_t row = work->base + work->list[i];
#ifdef __CUDA_ARCH__
    work->marks[row] = 1; /* as others that meet here write */
#else
    __atomic_store_n(&work->marks[row], 1, __ATOMIC_RELAXED);
#endif
}

PASS_AT(placing, placing)
{
    int32_t row = work->list[i];
    work->placed[i] = row < 0 ? -1 : rank_place(&work->places, work->base + row);
}

FIND_AT(extent, marking)
{
    if (work->list[i] < 0)
        return;
    double row = (double)(work->base + work->list[i]);
    found_most(found, 0, row);
    found_most(found, 1, -row);
}

FIND_DECLARE(find_extent);
PASS_DECLARE(pass_marking);
PASS_DECLARE(pass_placing);

#ifdef __cplusplus
extern "C" {
#endif

/* Rows, counted from row `base` of all; negative ones are none. */
struct listed_rows {
    const int32_t *rows; /* [count] in the real space */
    int64_t count, base;
};

/* The rows of the partition that the list has, NULL: all of them; with what brings their elements.
 * All ranks call it. *places and *made come zeroed; on failure as well the caller calls
 * rank_places_free, ghost_rows_free, and destroys *halo if it is not NULL. Errors: STATUS_MEMORY,
 * STATUS_DEVICE, STATUS_RANK. */
enum status listed_rows_reach(struct ranks *ranks, const struct partition *partition,
                              const struct listed_rows *list, struct rank_places *places,
                              struct ghost_rows *made, struct rank_halo **halo,
                              struct error *error);

/* *placed = the local rows of the list, in the space. The caller calls space_release. Errors:
 * STATUS_MEMORY, STATUS_DEVICE. */
enum status listed_rows_place(struct space *space, const struct rank_places *places,
                              const struct listed_rows *list, int32_t **placed,
                              struct error *error);

/* *device = the places with their arrays in the space. On failure as well the caller calls
 * rank_places_release. Errors: likewise. */
enum status rank_places_bring(struct space *space, const struct rank_places *places,
                              struct rank_places *device, struct error *error);
void rank_places_release(struct space *space, struct rank_places *device);

#ifdef __cplusplus
}
#endif

#endif

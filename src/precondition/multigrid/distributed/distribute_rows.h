/* Lists of aggregates for a rank (distribute.h), as passes over their elements (space/elements.h):
 *
 *     sampling    first_k = the first row of aggregate begin + k step
 *     gathering   gathered_r = list_i of local row r, which is row i; -1 where it is empty
 *     marking     marks_i = 1 for each i = list_k >= 0
 *     placing     placed_k = the local row of list_k, or -1 where that is negative
 *     shifting    shifted_k = list_k - by */
#ifndef PRECONDITION_MULTIGRID_DISTRIBUTED_DISTRIBUTE_ROWS_H
#define PRECONDITION_MULTIGRID_DISTRIBUTED_DISTRIBUTE_ROWS_H

#include "space/elements.h"
#include "spmv/distributed/ghost_rows.h"

struct sampling {
    const int32_t *offsets, *members; /* of struct aggregates */
    int64_t begin, step;
    int32_t *first;
};

struct gathering {
    const int32_t *list;       /* of all rows */
    struct rank_places places; /* its arrays are in the space too */
    int64_t own;               /* local rows from places.below on */
    int32_t *gathered;
};

struct marking {
    const int32_t *list;
    uint8_t *marks;
};

struct placing {
    const int32_t *list;
    struct rank_places places; /* its arrays are in the space too */
    int32_t *placed;
};

struct shifting {
    const int32_t *list;
    int32_t by, *shifted;
};

PASS_AT(sampling, sampling)
{
    work->first[i] = work->members[work->offsets[work->begin + i * work->step]];
}

PASS_AT(gathering, gathering)
{
    const struct rank_places *places = &work->places;
    int64_t own = i - places->below;
    if (own >= 0 && own < work->own) {
        work->gathered[i] = work->list[places->first + own];
        return;
    }
    int64_t k = rank_places_find(places, true, i);
    bool found = k < places->count && places->place[k] == i;
    work->gathered[i] = found ? work->list[places->others[k]] : -1;
}

PASS_AT(marking, marking)
{
    int32_t row = work->list[i];
    if (row < 0)
        return;
#ifdef __CUDA_ARCH__
    work->marks[row] = 1; /* as others that meet here write */
#else
    __atomic_store_n(&work->marks[row], 1, __ATOMIC_RELAXED);
#endif
}

PASS_AT(placing, placing)
{
    int32_t row = work->list[i];
    work->placed[i] = row < 0 ? -1 : rank_place(&work->places, row);
}

PASS_AT(shifting, shifting)
{
    work->shifted[i] = work->list[i] - work->by;
}

PASS_DECLARE(pass_sampling);
PASS_DECLARE(pass_gathering);
PASS_DECLARE(pass_marking);
PASS_DECLARE(pass_placing);
PASS_DECLARE(pass_shifting);
#endif

/* Lists of aggregates for a rank (distribute.h), as passes over their elements (space/elements.h):
 *
 *     sampling    first_k = the first row of aggregate begin + k step
 *     gathering   gathered_r = list_i of local row r, which is row i; -1 where it is empty
 *     marking     marks_i = 1 for each i = list_k >= 0
 *     placing     placed_k = the local row of list_k, or -1 where that is negative
 *     shifting    shifted_k = list_k - by */
#ifndef PRECONDITION_MULTIGRID_DISTRIBUTED_DISTRIBUTE_ROWS_H
#define PRECONDITION_MULTIGRID_DISTRIBUTED_DISTRIBUTE_ROWS_H

#include "base/host_device.h"
#include "space/pass.h"
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

CGSOLVE_HOST_AND_DEVICE static inline void sampling_at(const struct sampling *work, int64_t k)
{
    work->first[k] = work->members[work->offsets[work->begin + k * work->step]];
}

CGSOLVE_HOST_AND_DEVICE static inline void gathering_at(const struct gathering *work, int64_t r)
{
    const struct rank_places *places = &work->places;
    int64_t own = r - places->below;
    if (own >= 0 && own < work->own) {
        work->gathered[r] = work->list[places->first + own];
        return;
    }
    int64_t k = rank_places_find(places, true, r);
    bool found = k < places->count && places->place[k] == r;
    work->gathered[r] = found ? work->list[places->others[k]] : -1;
}

CGSOLVE_HOST_AND_DEVICE static inline void marking_at(const struct marking *work, int64_t k)
{
    int32_t i = work->list[k];
    if (i < 0)
        return;
#ifdef __CUDA_ARCH__
    work->marks[i] = 1; /* as others that meet here write */
#else
    __atomic_store_n(&work->marks[i], 1, __ATOMIC_RELAXED);
#endif
}

CGSOLVE_HOST_AND_DEVICE static inline void placing_at(const struct placing *work, int64_t k)
{
    int32_t i = work->list[k];
    work->placed[k] = i < 0 ? -1 : rank_place(&work->places, i);
}

CGSOLVE_HOST_AND_DEVICE static inline void shifting_at(const struct shifting *work, int64_t k)
{
    work->shifted[k] = work->list[k] - work->by;
}

#ifdef __cplusplus
extern "C" {
#endif

extern const struct pass pass_sampling, pass_gathering, pass_marking, pass_placing, pass_shifting;
pass_launcher sampling_cuda, gathering_cuda, marking_cuda, placing_cuda, shifting_cuda;

#ifdef __cplusplus
}
#endif
#endif

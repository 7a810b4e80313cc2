/* A row of a rank's matrix (spmv/rank_operator.h), for host and device. */
#ifndef SPMV_RANK_ROW_H
#define SPMV_RANK_ROW_H

#include "cgsolve/csr.h"
#include "cgsolve/host_device.h"
#include "matrix/place.h"
#include "spmv/rank_reach.h"

/* What it is made of; all arrays are in one memory. */
struct rank_cut {
    struct csr A, local;
    struct rank_places places;
    int64_t own; /* rows, from local row places.below on */
};

/* The entries of a row below the own ones whose columns are own. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t
rank_row_crosses(const struct csr *A, int64_t first, int64_t last, int64_t i, int64_t *end)
{
    *end = csr_place_from(A, i, last);
    return csr_place_from(A, i, first);
}

CGSOLVE_HOST_AND_DEVICE static inline bool rank_row_is_own(const struct rank_cut *cut, int64_t r)
{
    return r >= cut->places.below && r < cut->places.below + cut->own;
}

/* The entries of A that local row r has, from the first one up to *end: all of an own row, and of
 * another rank's those that cross; none of a row above, whose crossing entries are in own rows, and
 * of an empty one. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t rank_row_entries(const struct rank_cut *cut,
                                                               int64_t r, int64_t *end)
{
    const struct rank_places *places = &cut->places;
    *end = 0;
    if (rank_row_is_own(cut, r)) {
        int64_t i = places->first + r - places->below;
        *end = cut->A.offsets[i + 1];
        return cut->A.offsets[i];
    }
    int64_t k = r < places->below ? rank_places_from(places->place, places->count, r) : -1;
    if (k < 0 || k == places->count || places->place[k] != r)
        return 0;
    return rank_row_crosses(&cut->A, places->first, places->last, places->others[k], end);
}

/* Entries of local row r: one of another rank has a 0 on the diagonal. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t rank_row_length(const struct rank_cut *cut, int64_t r)
{
    int64_t end, begin = rank_row_entries(cut, r, &end);
    return end - begin + !rank_row_is_own(cut, r);
}

/* Its columns and values, from its offset on. */
CGSOLVE_HOST_AND_DEVICE static inline void rank_row_fill(const struct rank_cut *cut, int64_t r)
{
    int64_t end, begin = rank_row_entries(cut, r, &end), at = cut->local.offsets[r];
    if (!rank_row_is_own(cut, r)) {
        cut->local.columns[at] = (int32_t)r;
        cut->local.values[at++] = 0;
    }
    for (int64_t e = begin; e < end; e++, at++) {
        cut->local.columns[at] = rank_place(&cut->places, cut->A.columns[e]);
        cut->local.values[at] = cut->A.values[e];
    }
}

#endif

/* A row of a rank's matrix (spmv/distributed/rank_operator.h), for host and device. */
#ifndef SPMV_DISTRIBUTED_RANK_ROW_H
#define SPMV_DISTRIBUTED_RANK_ROW_H

#include "base/host_device.h"
#include "matrix/csr.h"
#include "spmv/distributed/ghost_rows.h"

/* Rows of the whole matrix from row `base` on, which their columns are counted from too. */
struct rank_strip {
    struct csr A;
    int64_t base;
};

/* Where a rank takes its rows, first <= i < last, from: a matrix that has them, and all rows below
 * that have an entry with them, which both strips are then; or a maker, which makes them, and
 * before that these two strips, to find what crosses:
 *
 *     below.base ... first ... end.base ... last
 *     |-- below --|            |-- end --|
 *
 * Rows of lower numbers than those of `below` have no entry with an own row, and own rows of lower
 * numbers than those of `end` none with a row above the own ones. */
struct rank_source {
    const struct csr *maker; /* NULL: a matrix */
    struct rank_strip below, end;
    int64_t first, last;
};

/* What a rank's matrix is made of; all arrays are in one memory. */
struct rank_cut {
    struct rank_source from;
    struct csr local;
    struct rank_places places;
    int64_t own;                /* rows, from local row places.below on */
    const int64_t *own_offsets; /* [own + 1], from 0 on; NULL: without a maker */
};

/* The entries of row i, below the own ones, whose columns are own. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t rank_row_crosses(const struct rank_source *from,
                                                               int64_t i, int64_t *end)
{
    const struct rank_strip *below = &from->below;
    *end = csr_find_entry_from(&below->A, i - below->base, from->last - below->base);
    return csr_find_entry_from(&below->A, i - below->base, from->first - below->base);
}

/* The entries of an own row i with rows above the own ones. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t rank_row_leaves(const struct rank_source *from,
                                                              int64_t i, int64_t *end)
{
    *end = from->end.A.offsets[i - from->end.base + 1];
    return csr_find_entry_from(&from->end.A, i - from->end.base, from->last - from->end.base);
}

CGSOLVE_HOST_AND_DEVICE static inline bool rank_row_is_own(const struct rank_cut *cut, int64_t r)
{
    return r >= cut->places.below && r < cut->places.below + cut->own;
}

/* The entries of the whole matrix that local row r has, from the first one up to *end: all of an
 * own row, and of another rank's those that cross; none of a row above, whose crossing entries are
 * in own rows, and of an empty one. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t rank_row_entries(const struct rank_cut *cut,
                                                               int64_t r, int64_t *end)
{
    const struct rank_places *places = &cut->places;
    *end = 0;
    if (rank_row_is_own(cut, r)) {
        int64_t i = r - places->below;
        const int64_t *offsets =
            cut->own_offsets ? cut->own_offsets
                             : cut->from.below.A.offsets + (places->first - cut->from.below.base);
        *end = offsets[i + 1];
        return offsets[i];
    }
    int64_t k = r < places->below ? rank_places_find(places, true, r) : -1;
    if (k < 0 || k == places->count || places->place[k] != r)
        return 0;
    return rank_row_crosses(&cut->from, places->others[k], end);
}

/* Entries of local row r: one of another rank has a 0 on the diagonal. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t rank_row_length(const struct rank_cut *cut, int64_t r)
{
    int64_t end, begin = rank_row_entries(cut, r, &end);
    return end - begin + !rank_row_is_own(cut, r);
}

/* Its columns and values, from its offset on. An own row that the maker has made has them, but its
 * columns above the own rows are still counted as in the whole matrix. */
CGSOLVE_HOST_AND_DEVICE static inline void rank_row_fill(const struct rank_cut *cut, int64_t r)
{
    const struct rank_places *places = &cut->places;
    bool own = rank_row_is_own(cut, r);
    int64_t end, at = cut->local.offsets[r], above = places->below + cut->own;
    if (own && cut->from.maker) {
        if (r - places->below + places->first < cut->from.end.base) /* it has none of these */
            return;
        for (at = csr_find_entry_from(&cut->local, r, above); at < cut->local.offsets[r + 1]; at++)
            cut->local.columns[at] =
                rank_place(places, cut->local.columns[at] + places->first - places->below);
        return;
    }
    if (!own) {
        cut->local.columns[at] = (int32_t)r;
        cut->local.values[at++] = 0;
    }
    const struct rank_strip *from = &cut->from.below;
    for (int64_t e = rank_row_entries(cut, r, &end); e < end; e++, at++) {
        cut->local.columns[at] = rank_place(places, from->base + from->A.columns[e]);
        cut->local.values[at] = from->A.values[e];
    }
}

#endif

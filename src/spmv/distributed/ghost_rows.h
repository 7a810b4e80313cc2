/* The ghost rows of a rank: rows of other ranks whose x it reads. A local vector is
 *
 *     ghost rows of lower ranks | own rows | ghost rows of higher ranks,
 *
 * and a halo exchange fetches the ghost rows before each product (rank_halo.h). */
#ifndef SPMV_DISTRIBUTED_GHOST_ROWS_H
#define SPMV_DISTRIBUTED_GHOST_ROWS_H

#include "base/host_device.h"
#include "base/status.h"
#include "space/ranks/partition.h"

#include <stdbool.h>
#include <stdint.h>

struct ghost_rows {
    int64_t below, own, above; /* local rows, empty ones counted */
    /* By rank, [ranks + 1] each: where the rows that it wants begin in `wanted`, own rows counted
     * from 0; and where those that it gives begin in `given`, local rows. Ascending. */
    int64_t *wanted_begin, *given_begin;
    int32_t *wanted, *given;
    /* [ranks], where both lists are NULL: each rank wants consecutive own rows, from this one on,
     * and gives consecutive ghost rows. Else NULL. */
    int64_t *wanted_first;
};

/* The own row of wanted[k], which rank r wants. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t ghost_rows_wanted(const struct ghost_rows *rows,
                                                                int r, int64_t k)
{
    return rows->wanted ? rows->wanted[k] : rows->wanted_first[r] + k - rows->wanted_begin[r];
}

/* The local row of given[k]. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t ghost_rows_given(const struct ghost_rows *rows,
                                                               int64_t k)
{
    return rows->given ? rows->given[k] : k < rows->below ? k : rows->own + k;
}

/* The local rows by the rows of all ranks. */
struct rank_places {
    int64_t first, last; /* the own ones, from local row `below` on */
    int64_t below, count;
    int64_t *others; /* [count]: rows of other ranks, ascending */
    int32_t *place;  /* [count]: their local rows */
};

/* Which of the others has that local row, with place = true, or that row; of one that is not there,
 * the first one behind it. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t rank_places_find(const struct rank_places *places,
                                                               bool place, int64_t row)
{
    int64_t begin = 0, end = places->count;
    while (begin < end) {
        int64_t middle = begin + (end - begin) / 2;
        if ((place ? places->place[middle] : places->others[middle]) < row)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* The local row; only of one that is there. */
CGSOLVE_HOST_AND_DEVICE static inline int32_t rank_place(const struct rank_places *places,
                                                         int64_t row)
{
    return row >= places->first && row < places->last
               ? (int32_t)(places->below + row - places->first)
               : places->place[rank_places_find(places, false, row)];
}

/* first, last, and as the others those whose mark is not 0, of marks[end - begin] of the rows
 * begin <= i < end, the own ones among them, whose marks are not read; *places comes zeroed, and
 * `below` and place[] are the caller's to fill in. On failure as well the caller calls
 * rank_places_free. Errors: STATUS_MEMORY. */
enum status rank_places_create(const struct partition *partition, int64_t begin, int64_t end,
                               const uint8_t *marks, struct rank_places *places,
                               struct error *error);
void rank_places_free(struct rank_places *places); /* accepts a zeroed one */

/* The lists of *made, where the local rows are there. All ranks call it; on failure as well the
 * caller calls ghost_rows_free. Errors: STATUS_MEMORY, STATUS_RANK. */
enum status ghost_rows_list(const struct partition *partition, const struct rank_places *places,
                            struct ghost_rows *made, struct error *error);

/* The places and lists of local rows side by side, none of them empty: those that
 * rank_places_create finds, and the own ones. Both come zeroed; otherwise as above. */
enum status ghost_rows_create(const struct partition *partition, int64_t begin, int64_t end,
                              const uint8_t *marks, struct rank_places *places,
                              struct ghost_rows *made, struct error *error);

/* All rows first <= i < last of the partition's, the own ones among them, as local rows side by
 * side. All ranks call it, each with its own window; otherwise as above. */
enum status ghost_rows_window(const struct partition *partition, int64_t first, int64_t last,
                              struct ghost_rows *made, struct error *error);

void ghost_rows_free(struct ghost_rows *reach); /* accepts a zeroed one */

#endif

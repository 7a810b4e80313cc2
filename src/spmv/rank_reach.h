/* Rows of other ranks that this one reads: x of them stands around x of its own ones,
 *
 *     rows of other ranks below | own rows | rows of other ranks above,
 *
 * and travels there before it is read (spmv/rank_halo.h). */
#ifndef SPMV_RANK_REACH_H
#define SPMV_RANK_REACH_H

#include "cgsolve/status.h"
#include "space/partition.h"

#include <stdint.h>

struct rank_reach {
    int64_t below, own, above; /* local rows, empty ones counted */
    /* By rank, [ranks + 1] each: where the rows that it wants begin in `wanted`, own rows counted
     * from 0; and where those that it gives begin in `given`, local rows. Ascending. */
    int64_t *wanted_begin, *given_begin;
    int32_t *wanted, *given;
};

/* The lists, where below, own, above and given are there: given[k] is the local row of others[k],
 * which are `count` rows of other ranks, ascending. All ranks call it. Errors: STATUS_MEMORY,
 * STATUS_RANK. */
enum status rank_reach_list(const struct partition *partition, const int32_t *others, int64_t count,
                            struct rank_reach *made, struct error *error);

/* The same of local rows side by side, none of them empty. *made comes zeroed; on failure as well
 * the caller calls rank_reach_free. */
enum status rank_reach_create(const struct partition *partition, const int32_t *others,
                              int64_t count, struct rank_reach *made, struct error *error);

void rank_reach_free(struct rank_reach *reach); /* accepts a zeroed one */

#endif

/* The distribution of a problem's rows over ranks (base/exchange.h): each has consecutive rows, in
 * complete tiles of space/sum/sum_order.h. So a rank's vectors are consecutive parts of the global
 * vectors, and its tiles are global tiles. */
#ifndef SPACE_RANKS_PARTITION_H
#define SPACE_RANKS_PARTITION_H

#include "base/exchange.h"
#include "space/pass.h"
#include "space/sum/compensated.h"
#include "space/sum/cpu_exact.h"

#include <stdint.h>

struct partition {
    struct exchange *exchange; /* borrowed */
    int64_t n;                 /* rows of all ranks */
    int64_t *begin;            /* [count + 1]: rank r has the rows begin[r] <= i < begin[r + 1] */
    /* Scratch for joining a sum, grown as needed. */
    void *scratch;
    int64_t scratch_bytes;
};

/* As even as complete tiles allow; with fewer tiles than ranks some have no rows. Errors:
 * STATUS_MEMORY. */
enum status partition_create(struct exchange *exchange, int64_t n, struct partition *made,
                             struct error *error);
void partition_free(struct partition *partition); /* accepts a zeroed one */

/* The first row of this rank, and its number of rows. */
static inline int64_t partition_first(const struct partition *of)
{
    return of->begin[of->exchange->rank];
}
static inline int64_t partition_rows(const struct partition *of)
{
    return of->begin[of->exchange->rank + 1] - of->begin[of->exchange->rank];
}

/* The results of `count` sums from the terms of this rank's tiles, sum k from terms[k tiles] on,
 * with the bits of sum_levels over the tiles of all ranks. A rank adds groups of SUM_TILE own
 * terms, and sends the results with the remaining terms at both ends: at most 958 + rows / 480^2
 * numbers. Then all ranks end the sum. Errors: STATUS_MEMORY, STATUS_RANK. */
enum status partition_sum(struct partition *of, const double *terms, int64_t count,
                          const struct pass_sum *sums, struct error *error);
/* The same of sum_levels_compensated, one sum. */
enum status partition_sum_compensated(struct partition *of, const struct compensated *terms,
                                      struct compensated *result, struct error *error);
/* All-gather of equal sizes, in the order of the ranks; *all is valid until the next call. */
enum status partition_gather(struct partition *of, const void *own, size_t size, void **all,
                             struct error *error);
/* *sum += the exact sums of the other ranks, in any order. */
enum status partition_sum_exact(struct partition *of, struct exact_sum *sum, struct error *error);
/* *sum = the terms of all ranks, added in their order; with NULL the own term. */
enum status partition_add(struct partition *of, double own, double *sum, struct error *error);

#endif

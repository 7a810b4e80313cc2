/* The rows of a matrix that a rank has (spmv/rank_operator.h). */
#ifndef SPMV_RANK_ROWS_H
#define SPMV_RANK_ROWS_H

#include "cgsolve/csr.h"
#include "cgsolve/space.h"
#include "spmv/rank_reach.h"
#include "spmv/rank_row.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RANK_GROUP = 60 }; /* whole blocks of 1 to 6 rows */

/* Rows of a matrix for this rank. */
struct rank_rows {
    struct csr local;
    struct rank_reach reach;
    struct rank_places places;
};

static inline int64_t rank_rows_count(const struct rank_rows *rows)
{
    return rows->reach.below + rows->reach.own + rows->reach.above;
}

/* Of a matrix that is symmetric or skew-symmetric. Where its rows are in the memory of the space
 * (spmv/csr_there.h), the local matrix is there too. All ranks call it; on failure as well the
 * caller calls rank_rows_free. Errors: STATUS_MEMORY, STATUS_RANK, STATUS_DEVICE. */
enum status rank_rows_create(struct space *space, const struct rank_source *from,
                             const struct partition *partition, struct rank_rows *made,
                             struct error *error);
void rank_rows_free(struct space *space, struct rank_rows *rows); /* accepts a zeroed one */

/* The rows that places may be found among, from row from->below.base on. */
static inline int64_t rank_source_width(const struct rank_source *from)
{
    return from->end.base + from->end.A.width - from->below.base;
}

/* The first own row that may have an entry with a row above the own ones. */
static inline int64_t rank_source_end(const struct rank_source *from)
{
    return from->end.base > from->first ? from->end.base : from->first;
}

/* The halves of it for rows there. marks[rank_source_width], on the host: which rows of other ranks
 * have an entry with an own one. *local by the rest of *cut, whose places are on the host.
 * Errors: STATUS_MEMORY, STATUS_DEVICE. Only in a build with CUDA. */
enum status rank_rows_mark_there(struct space *space, const struct rank_source *from,
                                 uint8_t *marks, struct error *error);
enum status rank_rows_fill_there(struct space *space, const struct rank_cut *cut, int64_t rows,
                                 struct csr *local, struct error *error);

#ifdef __cplusplus
}
#endif
#endif

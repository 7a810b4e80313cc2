/* The local matrix of a rank: its own rows and the columns of its ghost rows
 * (spmv/distributed/rank_operator.h). */
#ifndef SPMV_DISTRIBUTED_LOCAL_MATRIX_H
#define SPMV_DISTRIBUTED_LOCAL_MATRIX_H

#include "matrix/csr.h"
#include "space/space.h"
#include "spmv/distributed/ghost_rows.h"
#include "spmv/distributed/rank_row.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RANK_GROUP = 60 }; /* whole blocks of 1 to 6 rows */

/* Rows of a matrix for this rank. */
struct local_matrix {
    struct csr local;
    struct ghost_rows reach;
    struct rank_places places;
};

static inline int64_t local_matrix_count(const struct local_matrix *rows)
{
    return rows->reach.below + rows->reach.own + rows->reach.above;
}

/* Of a matrix that is symmetric or skew-symmetric. Where its rows are in the memory of the space
 * (spmv/device_csr.h), the local matrix is there too. All ranks call it; on failure as well the
 * caller calls local_matrix_free. Errors: STATUS_MEMORY, STATUS_RANK, STATUS_DEVICE. */
enum status local_matrix_create(struct space *space, const struct rank_source *from,
                                const struct partition *partition, struct local_matrix *made,
                                struct error *error);
void local_matrix_free(struct local_matrix *rows); /* accepts a zeroed one */

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

/* Its halves for rows in a device's memory, in the CUDA part (base/cuda_part.h).
 * marks[rank_source_width], on the host: which rows of other ranks have an entry with an own one;
 * those of own rows are not set. *local by the rest of *cut, whose places are on the host. Errors:
 * STATUS_MEMORY, STATUS_DEVICE. */
enum status local_matrix_mark_cuda(struct space *space, const struct rank_source *from,
                                   uint8_t *marks, struct error *error);
enum status local_matrix_fill_cuda(struct space *space, const struct rank_cut *cut, int64_t rows,
                                   struct csr *local, struct error *error);

#ifdef __cplusplus
}
#endif
#endif

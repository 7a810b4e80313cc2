/* What the tiles of cuda_sym_staged.h hold and copy, found on the host: the orders of the rows and
 * of the values, the sectors, and the words. For .cu files. */
#ifndef SPMV_UPPER_CUDA_SYM_STAGING_H
#define SPMV_UPPER_CUDA_SYM_STAGING_H

#include "spmv/upper/cuda_sym_staged.h"
#include "spmv/upper/sym_mirror.h"

struct staging {
    const struct csr *A;
    int64_t value_bytes; /* 8, or 4 for single values */
    struct sym_mirror mirror;
    uint16_t *row;     /* [tiles SUM_TILE]: of each tile, its rows in their order; beyond n too */
    uint32_t *moved;   /* [nnz]: the place of an entry of A among its tile's values */
    uint32_t *sectors; /* [3 nnz]: of each tile those that it copies, of x and then of values */
    int64_t tiles;     /* of A */
    struct staged_tile *tile; /* [tiles] */
    int64_t values_length, lists_length;
    int64_t shared_bytes; /* of the tile that takes the most */
    int64_t copied;       /* words in shared memory, of all tiles */
    int64_t filled;       /* numbers in the lists that are no entries, of all tiles */
};

/* Of A, whose values are to take so many bytes each. *fits is false when the values of a tile, or
 * all of them, are too many for their numbers; no more is known then. On failure as well the caller
 * calls staging_free. Errors: STATUS_MEMORY. */
enum status staging_create(const struct csr *A, int64_t value_bytes, struct staging *staging,
                           bool *fits, struct error *error);
void staging_free(struct staging *staging); /* accepts a zeroed one */

/* Write the lists of a tile to lists[staging->tile[tile].lists]. */
void staging_fill(const struct staging *staging, int64_t tile, uint32_t *lists);

#endif

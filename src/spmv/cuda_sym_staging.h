/* What the tiles of cuda_sym_staged.h hold and copy, found on the host: the order of the values, the
 * sectors, and the words of the entries. For .cu files. */
#ifndef SPMV_CUDA_SYM_STAGING_H
#define SPMV_CUDA_SYM_STAGING_H

#include "spmv/cuda_sym_staged.h"
#include "spmv/sym_mirror.h"

struct staging {
    const struct csr *A;
    struct sym_mirror mirror;
    uint32_t *moved;   /* [nnz]: the place of an entry of A among its tile's values */
    uint32_t *sectors; /* [3 nnz]: of each tile, those copied by the list; see staging_sectors */
    int64_t tiles;     /* of A */
    struct staged_tile *tile; /* [tiles]; all but the lists */
    int64_t values_length;
    int64_t most, copied; /* numbers in shared memory: of the tile with the most, and of all */
};

/* Up to whole sectors. */
static inline uint32_t staging_whole(int64_t count)
{
    return (uint32_t)((count + STAGED_SECTOR - 1) / STAGED_SECTOR * STAGED_SECTOR);
}

/* *fits is false when the values of a tile, or all of them, are too many for their numbers; no more is
 * known then. On failure as well the caller calls staging_free. Errors: STATUS_MEMORY. */
enum status staging_create(const struct csr *A, struct staging *staging, bool *fits,
                           struct error *error);
void staging_free(struct staging *staging); /* accepts a zeroed one */

/* The sectors that a tile copies by the list: tile[tile].sectors of them. */
const uint32_t *staging_sectors(const struct staging *staging, int64_t tile);

/* How long a list of row i is, and its number k, row i being of that tile. */
int64_t staging_length(const struct staging *staging, int list, int64_t i);
uint32_t staging_word(const struct staging *staging, int64_t tile, int list, int64_t i, int64_t k);

#endif

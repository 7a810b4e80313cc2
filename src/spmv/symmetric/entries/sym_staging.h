/* What the tiles of cuda_sym_staged.h hold and copy: the orders of the rows and of the values, the
 * sectors, and the words. Found on the host here, and on a device by build_staging.h with the
 * same functions for a row, an entry and a tile (sym_staging_tile.h). */
#ifndef SPMV_SYMMETRIC_ENTRIES_SYM_STAGING_H
#define SPMV_SYMMETRIC_ENTRIES_SYM_STAGING_H

#include "matrix/csr.h"
#include "space/sum/sum_order.h"
#include "spmv/symmetric/transpose_index.h"

#include <assert.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    STAGED_SLICE = 32, /* rows: a warp's */
    STAGED_SLICES = (int)SUM_TILE / STAGED_SLICE,
    STAGED_WORD = 8,          /* bytes */
    STAGED_SECTOR = 4,        /* words */
    STAGED_SHARED = 113 << 10 /* bytes a block may take: two fit into the 228 KB of an sm_90 */
};
enum { STAGED_PIECE = 16 }; /* tiles that a thread of the host takes at a time */

/* An entry in the lists, 32 bits: the place of x in shared memory, in words, whether the value
 * changes its sign, and from STAGED_VALUE_BIT on the place of the value, in bytes. */
enum { STAGED_X_BITS = 14, STAGED_SIGN_BIT = 14, STAGED_VALUE_BIT = 15 };
static_assert(STAGED_SHARED / STAGED_WORD <= 1 << STAGED_X_BITS, "places of x");
static_assert(STAGED_SHARED <= 1 << (32 - STAGED_VALUE_BIT), "places of values");

/* A tile without x_n-1, or n is even. */
enum { STAGED_NO_LAST = 0xffff };

/* A row in the order of a tile: which one of the tile it is, and how many entries it has. */
enum { STAGED_ROW_BITS = 16 };

/* A tile of rows. Its words begin at lists[tile.lists]: those of the entries, then one for each of
 * SUM_TILE rows, then the sectors. All numbers within them count from there. */
struct staged_tile {
    int64_t lists, values;       /* the first ones; values in whole sectors, in words */
    uint32_t own;                /* words of the tile's values */
    uint32_t x_sectors, sectors; /* that are copied by the list: of x, and of both */
    uint32_t last; /* where in shared memory x_n-1 is when n is odd: it comes in no pair */
    uint32_t slice[STAGED_SLICES + 1]; /* where its words begin; where those of all slices end */
};

/* On a device all arrays are in its memory, those of A as well. */
struct staging {
    struct csr A;
    int64_t value_bytes; /* 8, or 4 for single values */
    struct transpose_index mirror;
    uint16_t *row;     /* [tiles SUM_TILE]: of each tile, its rows in their order; beyond n too */
    uint32_t *moved;   /* [nnz]: the place of an entry of A among its tile's values */
    uint32_t *sectors; /* of each tile those that it copies, of x and then of values */
    int64_t *first;    /* [tiles]: where in sectors those of a tile begin */
    int64_t tiles;     /* of A */
    struct staged_tile *tile; /* [tiles] */
    int64_t values_length, lists_length;
    int64_t shared_bytes;  /* of the tile that takes the most */
    int64_t columns_bytes; /* and where X has several columns */
    int64_t copied;        /* words in shared memory, of all tiles */
    int64_t filled;        /* numbers in the lists that are no entries, of all tiles */
};

/* Of A, which is borrowed, and whose values are to take so many bytes each. *fits is false when the
 * values of a tile, or all of them, are too many for their numbers; no more is known then. On
 * failure as well the caller calls staging_free. Errors: STATUS_MEMORY. */
enum status staging_create(const struct csr *A, int64_t value_bytes, struct staging *staging,
                           bool *fits, struct error *error);
void staging_free(struct staging *staging); /* accepts a zeroed one */

/* The last four numbers of *staging: from the words in shared memory of the tile that takes the
 * most, and where X has several columns its bytes, the words of all tiles, and the numbers in the
 * lists of all tiles. */
static inline void staging_sum_up(struct staging *staging, int64_t most, int64_t columns_most,
                                  int64_t copied, int64_t numbers)
{
    most = most > 2 * SUM_TILE ? most : 2 * SUM_TILE;
    staging->shared_bytes = most * STAGED_WORD;
    staging->columns_bytes = columns_most;
    staging->copied = copied;
    staging->filled = numbers - (2 * staging->A.nnz - staging->A.n);
}

/* Whether that is better than the walk of cuda_sym_entries.h, where a block may have `limit` bytes
 * of shared memory. A multiplication gathers an x and a value for each entry of the full matrix. */
static inline bool staging_is_worth(const struct staging *staging, int64_t limit)
{
    int64_t entries = 2 * staging->A.nnz - staging->A.n;
    return staging->shared_bytes <= limit && staging->copied <= 2 * entries &&
           staging->filled <= entries;
}

/* Write the lists of a tile to lists[staging->tile[tile].lists]. */
void staging_fill(const struct staging *staging, int64_t tile, uint32_t *lists);

#ifdef __cplusplus
}
#endif
#endif

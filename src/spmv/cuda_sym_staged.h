/* An upper triangle on a GPU by its entries, staged: a block copies what its tile of rows gathers into
 * shared memory, each sector of 32 bytes once, and its threads gather it there (cuda_sym_staged.cuh). By
 * cuda_sym_entries.h a sector comes once for each warp that wants a number of it, and what passes between
 * the L2 cache and the processors is what bounds a product.
 *
 * The values of a tile go by the tile of their column, the tile itself (with the diagonal) first, each
 * such segment from a whole sector on. So what another tile gathers of them is one piece, and a tile's
 * own values to the right of it are read nearly in one piece by a warp, because a segment goes by slices
 * and steps.
 *
 * In shared memory, in doubles:
 *
 *     x         of the tile's own rows, SUM_TILE; then the sectors of it that are gathered elsewhere
 *     values    the tile's first segment; then the sectors of mirrored values from other tiles
 *
 * A row has two lists, both by steps of a warp as in cuda_sym_entries.h:
 *
 *     near      the mirrored entries, the diagonal, and the upper ones with a column in the tile: their
 *               values are in shared memory
 *     far       the upper entries to the right of the tile: their values are read where they lie
 *
 * A number of a list is a word: where x is in shared memory, where the value is, there or among the tile's,
 * and whether it changes its sign. 4 bytes an entry of the full matrix, 4 a sector that is copied, and 2 a
 * row. For .cu files. */
#ifndef SPMV_CUDA_SYM_STAGED_H
#define SPMV_CUDA_SYM_STAGED_H

#include "spmv/cuda_sym_entries.h"

enum staged_list { STAGED_NEAR, STAGED_FAR, STAGED_LISTS };
static_assert((int)STAGED_LISTS == (int)ENTRIES_LISTS, "entries_slice is of two lists");

enum {
    STAGED_SECTOR = 4, /* doubles */
    STAGED_SHARED =
        72 << 10,       /* bytes a block may take: three blocks fit into the 228 KB of an sm_90 */
    STAGED_X_BITS = 15, /* of a word, from the lowest on: where x is */
    STAGED_NEAR_BITS = 16, /* then where the value is; the sign is the last bit */
    STAGED_FAR_BITS = 17,  /* without a sign */
};
static_assert(STAGED_SHARED / 8 <= 1 << STAGED_X_BITS, "positions in shared memory");

/* A tile of rows. Its lists are words from lists[first] on: the sectors of x and of values, ranks, counts of
 * steps, words of the entries. All numbers within them count from there. */
struct alignas(8) staged_tile {
    int64_t lists, values; /* the first ones; whole sectors, of four words and of four doubles */
    uint32_t inside, own;  /* values of the first segment, and of all; whole sectors */
    uint32_t x_sectors, sectors; /* that are copied by the list: of x, and of both */
    uint32_t ranks, words; /* where the ranks begin, and where the lists end: multiples of 4 */
    struct entries_slice slice[ENTRIES_SLICES];
};

/* In the device's memory, but for this itself. Up to ENTRIES_SLICE - 1 words behind the last are read. */
struct cuda_staged {
    int64_t n, nnz;
    int64_t tiles, values_length, lists_length;
    int64_t shared_bytes; /* of the tile that takes the most */
    double *values;       /* [values_length] */
    struct staged_tile *tile;
    uint32_t *lists; /* [lists_length] */
};

/* STAGED_SHARED, or the bytes that a block may have on this device, if less. */
int cuda_staged_limit(void);

/* A symmetric or skew-symmetric A, or *staged zeroed where the walk of cuda_sym_entries.h is better or has
 * to do:
 *
 *     the values can be kept as codes (and `compress`)
 *     a tile takes more than cuda_staged_limit() bytes of shared memory
 *     more numbers would be copied into shared memory than are gathered there, an x and a value for each
 *     entry of the full matrix: then hardly anything is gathered twice
 *     a number needs more bits than it has
 *
 * On the host it takes up to 40 bytes an entry of A, and 8 a row, beside A. The caller calls
 * cuda_staged_free. Errors: STATUS_MEMORY, STATUS_DEVICE; *staged is then zeroed. */
enum status cuda_staged_create(struct space_cuda *space, const struct csr *A, bool compress,
                               struct cuda_staged *staged, struct error *error);
void cuda_staged_free(struct cuda_staged *staged); /* accepts a zeroed one */

/* struct kernel's describe, and bytes in the device's memory. */
void cuda_staged_describe(const struct cuda_staged *staged, char *text, size_t size);
int64_t cuda_staged_bytes(const struct cuda_staged *staged);

#endif

/* An upper triangle on a GPU by its entries, staged: a block of threads copies what its tile of
 * rows gathers into shared memory, each sector of 32 bytes once, and gathers it there. By
 * cuda_sym_entries.h a sector comes once for each warp that wants a number of it, and what passes
 * between the L2 cache and the processors is what bounds a product. And here a warp needs few
 * instructions an entry, which is the next bound.
 *
 * In shared memory, in words of 8 bytes, each a double or two single values:
 *
 *     x        of the tile's own rows, SUM_TILE
 *     x        the sectors of it that are gathered from elsewhere
 *     values   the sectors of other tiles' values whose mirror images lie in this one
 *     values   of the tile, all of them
 *
 * The values of a tile go by the tile of their column, each such segment from a whole sector on:
 * what another tile gathers of them is one piece. Single values are widened when they are
 * multiplied, so a sector brings eight of them, and a tile may have twice as many. Of a vector of
 * singles four numbers are copied for each sector, 16 bytes; they lie at the beginning of what the
 * doubles would take, and the rest of that is left out.
 *
 * A thread makes a row: the mirrored entries, the diagonal, the upper ones, in ascending order of
 * the columns. The rows of a tile go by how many entries they have, longest first, so that the rows
 * of a warp (a slice) are about as long, and an entry is one word that says where in shared memory
 * its x and its value are. A slice's words go by steps, the first of its 32 rows, then the second;
 * a shorter row's remaining ones are 0. So the word of a step is at a constant distance from that
 * of the step before. The sums return to the rows' own order through shared memory, when all
 * numbers in it are used.
 *
 * 4 bytes an entry of the full matrix, 4 a sector that is copied, and 4 a row. For .cu files. */
#ifndef SPMV_SYMMETRIC_ENTRIES_CUDA_SYM_STAGED_H
#define SPMV_SYMMETRIC_ENTRIES_CUDA_SYM_STAGED_H

#include "matrix/csr.h"
#include "spmv/cuda_kernel.h"
#include "spmv/symmetric/entries/sym_staging.h"
#include "spmv/symmetric/sym_order.h"

/* In the device's memory, but for this itself. */
struct cuda_staged {
    int64_t n, nnz;
    int64_t tiles, values_length, lists_length;
    int shared_bytes;    /* of the tile that takes the most */
    int columns_bytes;   /* and where X has several columns: without rows of X */
    int processor_bytes; /* of shared memory, for all blocks of a multiprocessor */
    bool skew;           /* else no value changes its sign */
    bool singles;        /* two values a word */
    bool single_sums;    /* only with singles */
    double *values;      /* [values_length] words */
    struct staged_tile *tile;
    uint32_t *lists; /* [lists_length] */
};

/* A symmetric or skew-symmetric A, or *staged zeroed where the walk of cuda_sym_entries.h is better
 * or has to do:
 *
 *   - the choice wants the values as codes (value_dictionary_choose);
 *   - a tile takes more than STAGED_SHARED bytes of shared memory, or than a block has on this
 *     device;
 *   - more words would be copied into shared memory than numbers are gathered there, an x and a
 *     value for each entry of the full matrix: then hardly anything is gathered twice;
 *   - the words that fill the slices up are more than the entries.
 *
 * On the host it takes up to 40 bytes an entry of A, and 8 a row, beside A. The caller calls
 * cuda_staged_free. Errors: STATUS_MEMORY, STATUS_DEVICE; *staged is then zeroed. */
enum status cuda_staged_create(struct space_cuda *space, const struct csr *A,
                               const struct sym_choice *choice, struct cuda_staged *staged,
                               struct error *error);

/* The same arrays of an A in the device's memory whose values are not kept as codes, made there in
 * the time that some dozens of passes over its entries take. *staged is zeroed too where A has more
 * than INT32_MAX entries, or there is no room: beside A and these arrays cuda_staging_bytes, about
 * 68 bytes an entry of A and 12 a row. */
enum status cuda_staged_create_on_device(struct space_cuda *space, const struct csr *A,
                                         const struct sym_choice *choice,
                                         struct cuda_staged *staged, struct error *error);
/* All of that but A, at the least. */
int64_t cuda_staged_bytes_on_device(const struct csr *A, int64_t value_bytes);

void cuda_staged_free(struct space_cuda *space,
                      struct cuda_staged *staged); /* accepts a zeroed one */

/* Lets blocks of the products by *staged have up to so many bytes of shared memory. Errors:
 * STATUS_DEVICE. */
enum status cuda_staged_allow(const struct cuda_staged *staged, int bytes, struct error *error);

/* A product with one vector, and with several columns. */
enum status cuda_staged_multiply(const struct cuda_staged *staged, struct space_cuda *space,
                                 const struct operands *operands, struct error *error);
enum status cuda_staged_columns(const struct cuda_staged *staged, struct space_cuda *space,
                                const struct operands *operands, struct error *error);
/* As cuda_staged_allow. */
enum status cuda_staged_columns_allow(const struct cuda_staged *staged, int bytes,
                                      struct error *error);

/* The operator's bytes and its description. */
void cuda_staged_tell(const struct cuda_staged *staged, struct linear_operator *made);

#endif

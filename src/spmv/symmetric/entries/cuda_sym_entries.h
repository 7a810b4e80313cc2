/* An upper triangle on a GPU by its entries, for kernels in which one thread makes one row of the
 * full matrix, one after the other in ascending column order (cuda_sym_entries.cuh walks it).
 *
 * A slice is the rows of a warp. What its threads read together lies together: its lists go by
 * steps, number 0 of all rows that have one, then number 1 of all that have two, and so on, without
 * padding. Within a step the rows come in descending order of how many numbers they have, ties in
 * ascending order of the rows, so that a row has the same rank in all steps that it takes part in,
 * and takes part where its rank is less than the step's count of rows. The ranks and these counts
 * are all that says how long the rows are: nothing bounds that.
 *
 *     values   doubles, singles, or codes of 1 or 2 bytes: a slice's range of the arrays of the
 *              upper triangle, first the diagonal in the order of the rows, then the upper entries
 *              by steps
 *     columns  of the upper entries by steps, and of the mirrored ones by theirs: differences from
 *              the entry before, of the first upper one from its row, of the first mirrored one
 *              from the tile's least. 16 bits where those of a whole tile fit, else 32
 *     places   of the mirrored entries' values, as their columns: 32 bits, from the tile's least
 *     ranks    a byte for each of the two lists
 *     steps    the counts, a byte each, and a 0 behind the last
 *
 * 8 + 2 bytes an entry right of the diagonal (4 + 2 where values are single) and 2 + 4 for its
 * mirror image, against 24 (16) in full storage;
 * 2 bytes a row; 408 bytes a tile; and a byte a step, of which the longest row of a slice has as
 * many as entries. For .cu files. */
#ifndef SPMV_SYMMETRIC_ENTRIES_CUDA_SYM_ENTRIES_H
#define SPMV_SYMMETRIC_ENTRIES_CUDA_SYM_ENTRIES_H

#include "base/host_device.h"
#include "matrix/csr.h"
#include "spmv/cuda_kernel.h"
#include "spmv/symmetric/cuda_values.h"
#include "spmv/symmetric/value_dictionary.h"

enum entries_list { ENTRIES_UPPER, ENTRIES_MIRRORED, ENTRIES_LISTS };

enum {
    ENTRIES_SLICE = 32,
    ENTRIES_SLICES = (int)SUM_TILE / ENTRIES_SLICE,
    ENTRIES_COUNTS = 4, /* steps in a word */
};
static_assert((int)SUM_TILE % ENTRIES_SLICE == 0, "a tile is whole slices");

/* Where a slice's two lists begin. */
struct alignas(8) entries_slice {
    uint32_t first[ENTRIES_LISTS]; /* number of the tile's list */
    uint32_t steps[ENTRIES_LISTS]; /* the first four steps' counts, from the lowest byte on */
    uint32_t more[ENTRIES_LISTS];  /* word of the further ones */
};

/* A tile of rows. Its list l has 32 bits a column when bit l of `wide` is set. */
struct alignas(8) entries_tile {
    int64_t columns[ENTRIES_LISTS]; /* in units of 16 bits */
    int64_t values, places;         /* of the first row's diagonal; of the first mirrored entry */
    int64_t least_place;
    int32_t least_column;
    uint32_t wide;
    struct entries_slice slice[ENTRIES_SLICES];
};

/* In the device's memory, but for this itself. A warp reads whole steps, up to ENTRIES_SLICE - 1
 * numbers behind the last: so many are there. */
struct cuda_entries {
    int64_t n, nnz;
    int64_t tiles, columns_length, places_length, steps_length, values_length;
    bool skew;    /* a mirrored entry changes its sign */
    int width;    /* that of struct value_dictionary */
    void *values; /* [values_length] */
    void *table;  /* of the codes: doubles, or singles where the sums are */
    int64_t table_bytes;
    struct entries_tile *tile; /* [tiles] */
    uint8_t *ranks;            /* [n][ENTRIES_LISTS] */
    uint16_t *columns;         /* [columns_length] */
    uint32_t *places;          /* [places_length] */
    uint32_t *steps;           /* [steps_length] */
};

/* A symmetric or skew-symmetric A, with its values as the choice wants them
 * (value_dictionary_choose). On the host it takes up to 30 bytes an entry of A, and 20 a row,
 * beside A. On failure *entries is zeroed. The caller calls cuda_entries_free. Errors:
 * STATUS_MEMORY, also for a tile with 2^32 entries or more, or whose mirrored entries lie that far
 * apart; STATUS_DEVICE. */
enum status cuda_entries_create(struct space_cuda *space, const struct csr *A,
                                const struct sym_choice *choice, struct cuda_entries *entries,
                                struct error *error);
void cuda_entries_free(struct space_cuda *space,
                       struct cuda_entries *entries); /* accepts a zeroed one */

/* The same arrays of an A in the device's memory, of at most INT32_MAX entries, made there with
 * cuda_entries_bytes_on_device beside. values: of A, counted; zeroed: no codes are wanted. *suits:
 * no row is too long for that, else nothing is made. Errors: as above. */
enum status cuda_entries_create_on_device(struct space_cuda *space, const struct csr *A,
                                          const struct sym_choice *choice,
                                          struct cuda_values *values, struct cuda_entries *entries,
                                          bool *suits, struct error *error);
int64_t cuda_entries_bytes_on_device(const struct csr *A);

/* How long the lists of a tile are: of columns in units of 16 bits, of steps in words. */
struct entries_lengths {
    int64_t columns[ENTRIES_LISTS], steps;
};

/* Of a list of columns; it begins at an even place. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t entries_columns(int64_t count, bool wide)
{
    return wide ? 2 * count : (count + 1) / 2 * 2;
}

/* Where the lists of all tiles begin, and the lengths in *entries, which has n, nnz and tiles.
 * Errors: STATUS_MEMORY. */
enum status cuda_entries_place(struct entries_tile *tile, const struct entries_lengths *lengths,
                               struct cuda_entries *entries, struct error *error);

/* The operator's bytes and its description. */
void cuda_entries_tell(const struct cuda_entries *entries, struct linear_operator *made);

/* Bytes in the device's memory for A, at the least. */
int64_t cuda_entries_least_bytes(const struct csr *A);

#endif

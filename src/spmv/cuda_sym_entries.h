/* An upper triangle on a GPU by its entries, for kernels in which one thread makes one row of the full
 * matrix (cuda_sym_entries.cuh walks it): the values, or their codes, as they lie in the upper triangle,
 * and three lists of indices for each tile of rows: the columns of the entries right of the diagonal, and
 * of each mirrored one its column and its place among the values.
 *
 * The indices are differences from the entry before, 16 bits each for a tile of rows where they fit:
 * 8 + 2 bytes an entry right of the diagonal and 2 + 2 for its mirror image, against 24 in full storage.
 * For .cu files. */
#ifndef SPMV_CUDA_SYM_ENTRIES_H
#define SPMV_CUDA_SYM_ENTRIES_H

#include "cgsolve/csr.h"
#include "space/cuda.h"

/* The three lists of indices of a tile. */
enum entries_list { ENTRIES_UPPER, ENTRIES_MIRRORED, ENTRIES_PLACES, ENTRIES_LISTS };

/* A row's first number in a list, and behind the last row's: so many a tile. */
enum { ENTRIES_ROWS = SUM_TILE + 1 };

/* A tile of rows. In each list the numbers are differences from one entry of a row to the next: the first
 * upper one from the row itself, the first of the others from `least`. List l begins at indices +
 * begin[l], and has 32 bits a number when bit l of `wide` is set. */
struct entries_tile {
    int64_t value; /* the place of the first row's diagonal entry */
    int64_t begin[ENTRIES_LISTS], least[ENTRIES_LISTS];
    int32_t wide;
};

/* In the device's memory, but for this itself. */
struct cuda_entries {
    int64_t n, nnz, tiles, length;
    double sign;      /* of a mirrored entry */
    int width, codes; /* bytes of a code, 0: the values themselves; and how many codes there are */
    void *values;
    double *table;
    struct entries_tile *tile; /* [tiles] */
    uint32_t *upper_first,
        *lower_first;  /* [tiles ENTRIES_ROWS]: a row's first number in its lists */
    uint16_t *indices; /* [length] */
};

/* A symmetric or skew-symmetric A, with codes for its values where `compress` and they save memory. On
 * failure *entries is zeroed. The caller calls cuda_entries_free. Errors: STATUS_MEMORY,
 * STATUS_DEVICE. */
enum status cuda_entries_create(struct space_cuda *space, const struct csr *A, bool compress,
                                struct cuda_entries *entries, struct error *error);
void cuda_entries_free(struct cuda_entries *entries); /* accepts a zeroed one */

/* struct kernel's describe. */
void cuda_entries_describe(const struct cuda_entries *entries, char *text, size_t size);

/* Bytes in the device's memory, and how many they are for A at the least. */
int64_t cuda_entries_bytes(const struct cuda_entries *entries);
int64_t cuda_entries_least_bytes(const struct csr *A);

#endif

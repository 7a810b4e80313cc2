/* Matrices with a maker of their rows (csr.h). The owner stores the arrays before others read the
 * matrix, or never: then each reader makes the rows that it wants. So a const matrix does not
 * change, and several threads may use it. */
#ifndef MATRIX_IMPLICIT_ROWS_H
#define MATRIX_IMPLICIT_ROWS_H

#include "matrix/csr.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A with the maker, not stored: free nothing. */
struct csr csr_made(enum csr_kind kind, int64_t n, const struct csr_maker *maker,
                    const void *options);

/* STATUS_CONFIG if A has more than INT32_MAX rows. */
enum status csr_check_rows(int64_t n, struct error *error);

/* Store A's arrays, unless they are stored; for the owner of A, or of a copy. The caller calls
 * csr_free; on failure A is all zero. Errors: STATUS_MEMORY, that of csr_check_rows;
 * STATUS_UNAVAILABLE if the maker makes only some rows. */
enum status csr_store(struct csr *A, struct error *error);

/* STATUS_UNAVAILABLE if A has a maker and its arrays are not stored. Call it before you read
 * them. */
enum status csr_check_stored(const struct csr *A, struct error *error);

/* The rows first <= i < last of an A that has a maker, columns counted from row `first` on. They
 * have A's kind, and more columns than rows if entries are beyond these rows. The caller calls
 * csr_free. Errors: as above. */
enum status csr_make_rows(const struct csr *A, int64_t first, int64_t last, struct csr *rows,
                          struct error *error);

/* The columns of such rows. */
int64_t csr_made_width(const struct csr *A, int64_t first, int64_t last);

/* Its two steps, with values 2^-exponent times the maker's: offsets[0 ... last - first], from 0 on;
 * and columns, counted from `base` on, and values of rows->n rows, where their offsets say. Errors:
 * STATUS_MEMORY. */
enum status csr_make_offsets(const struct csr *A, int64_t first, int64_t last, int64_t *offsets,
                             struct error *error);
void csr_fill_rows(const struct csr *A, int64_t first, int64_t base, const struct csr *rows);

/* csr_entries and csr_hash. If A is not stored, a thread makes some rows at a time. Errors:
 * STATUS_MEMORY. */
enum status csr_count_and_hash(const struct csr *A, int64_t *entries, uint64_t *hash,
                               struct error *error);

/* The parts of both: csr_hash hashes its head and then the hash of each block of rows; zeros on the
 * diagonal are no entries. Computes hashes[count] of the blocks from `first` on, and adds to
 * *zeros. */
int64_t csr_hash_blocks(const struct csr *A);
/* The first block that begins at or after the row; and the first row of a block. */
int64_t csr_hash_block_from(int64_t row);
int64_t csr_hash_block_begin(const struct csr *A, int64_t block);
uint64_t csr_hash_head(const struct csr *A);
enum status csr_count_and_hash_blocks(const struct csr *A, int64_t first, int64_t count,
                                      uint64_t *hashes, int64_t *zeros, struct error *error);

/* A rank's part of a matrix: its own rows, and entries of other rows in its own columns. A has all
 * n rows, where the other rows have only a diagonal entry 0 and the entries in own columns; or A
 * has consecutive rows from row `base` on, with columns counted from `base`. A zeroed struct keeps
 * nothing. */
struct partial_csr {
    struct csr A;
    int64_t base;
    int64_t reach; /* the largest j - i of a kept entry (i, j) */
};

/* The part of an A with only such rows; or NULL. */
static inline const struct partial_csr *partial_csr_in(const struct csr *A)
{
    return A->maker && A->maker->kept ? (const struct partial_csr *)A->maker_options : NULL;
}

/* Moves *A into *kept. *A becomes a matrix with a maker that borrows *kept, and cannot be stored
 * (csr_store). A request for a row that this rank does not hold is the caller's error, and gives a
 * wrong row. A's nnz counts the kept entries, until the ranks have met. The caller calls
 * partial_csr_free. */
void partial_csr_create(struct csr *A, struct partial_csr *kept);
/* The same for a matrix of n rows with borrowed rows from row `base` on: free nothing. The rows may
 * be in the memory of a device, and then no function can make rows; `reach` is then a bound. */
struct csr partial_csr_of(const struct csr *rows, int64_t base, int64_t n,
                          struct partial_csr *kept);
void partial_csr_free(struct partial_csr *kept); /* accepts a zeroed one */

#ifdef __cplusplus
}
#endif
#endif

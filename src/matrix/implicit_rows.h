/* Matrices whose rows a maker makes (csr.h). The owner of one stores its arrays before others read
 * it, or never: then each makes the rows that it wants. So a const one does not change, and several
 * threads may use it. */
#ifndef MATRIX_IMPLICIT_ROWS_H
#define MATRIX_IMPLICIT_ROWS_H

#include "matrix/csr.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A with the maker, not stored: there is nothing to free. */
struct csr csr_made(enum csr_kind kind, int64_t n, const struct csr_maker *maker,
                    const void *options);

/* STATUS_CONFIG where they are more than INT32_MAX. */
enum status csr_check_rows(int64_t n, struct error *error);

/* A's arrays, where they are not there yet: by its owner, or into a copy of it. The caller calls
 * csr_free; on failure A is all zero. Errors: STATUS_MEMORY, that of csr_check_rows;
 * STATUS_UNAVAILABLE where the maker makes some rows alone. */
enum status csr_store(struct csr *A, struct error *error);

/* STATUS_UNAVAILABLE where A has a maker and its arrays are not stored. Call it before reading
 * them. */
enum status csr_check_stored(const struct csr *A, struct error *error);

/* The rows first <= i < last of an A that has a maker, columns counted from row `first` on: of A's
 * kind, and with more columns than rows where there are entries after them. The caller calls
 * csr_free. Errors: as above. */
enum status csr_make_rows(const struct csr *A, int64_t first, int64_t last, struct csr *rows,
                          struct error *error);

/* The columns of such rows. */
int64_t csr_made_width(const struct csr *A, int64_t first, int64_t last);

/* Both halves of it, the values 2^-exponent times the maker's: offsets[0 ... last - first], from 0
 * on; and columns, counted from `base` on, and values of rows->n rows, where their offsets say.
 * Errors: STATUS_MEMORY. */
enum status csr_make_offsets(const struct csr *A, int64_t first, int64_t last, int64_t *offsets,
                             struct error *error);
void csr_fill_rows(const struct csr *A, int64_t first, int64_t base, const struct csr *rows);

/* csr_entries and csr_hash. Of an A that is not stored a thread makes some rows at a time. Errors:
 * STATUS_MEMORY. */
enum status csr_count_and_hash(const struct csr *A, int64_t *entries, uint64_t *hash,
                               struct error *error);

/* The parts of it: csr_hash is a hash of words, its head and then that of each block of rows; and
 * zeros on the diagonal are no entries. hashes[count] of the blocks from `first` on, and *zeros
 * grows. */
int64_t csr_hash_blocks(const struct csr *A);
/* The first block that begins at the row or after it, and where a block begins. */
int64_t csr_hash_block_from(int64_t row);
int64_t csr_hash_block_begin(const struct csr *A, int64_t block);
uint64_t csr_hash_head(const struct csr *A);
enum status csr_count_and_hash_blocks(const struct csr *A, int64_t first, int64_t count,
                                      uint64_t *hashes, int64_t *zeros, struct error *error);

/* A matrix of which a rank holds its own rows, and the entries of other rows in own columns.
 * A has all n rows, but of those that are not kept the diagonal alone, 0, and the entries in own
 * columns; or neighbouring rows from row `base` on, with columns counted from there. A zeroed one
 * keeps nothing. */
struct partial_csr {
    struct csr A;
    int64_t base;
    int64_t reach; /* the largest j - i of an entry (i, j) that is there */
};

/* Of an A that has no other rows; or NULL. */
static inline const struct partial_csr *partial_csr_in(const struct csr *A)
{
    return A->maker && A->maker->kept ? (const struct partial_csr *)A->maker_options : NULL;
}

/* Takes *A over, and leaves in *A the matrix with a maker of its rows, which borrows *kept. *A
 * cannot be stored (csr_store). Asking for a row that this rank does not hold is an error of the
 * caller, and gives a wrong row. A's nnz counts the entries that are kept, until the ranks have
 * met. The caller calls partial_csr_free. */
void partial_csr_create(struct csr *A, struct partial_csr *kept);
/* The same of n rows, of which some are here, from row `base` on, which are borrowed: there is
 * nothing to free. They may be in the memory of a device, where nobody can make them: `reach` is a
 * bound of it then. */
struct csr partial_csr_of(const struct csr *rows, int64_t base, int64_t n,
                          struct partial_csr *kept);
void partial_csr_free(struct partial_csr *kept); /* accepts a zeroed one */

#ifdef __cplusplus
}
#endif
#endif

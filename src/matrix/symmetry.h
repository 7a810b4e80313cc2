/* How symmetric a general matrix is, and the upper triangle of one that is. */
#ifndef MATRIX_SYMMETRY_H
#define MATRIX_SYMMETRY_H

#include "matrix/csr.h"

#include <stdbool.h>

/* Of the stored entries off the diagonal. */
struct csr_symmetry {
    int64_t entries;  /* a_ij, i != j */
    int64_t matched;  /* where a_ji is stored too, whatever its value */
    int64_t equal;    /* and is a_ij */
    int64_t opposite; /* and is -a_ij */
    bool no_diagonal; /* every stored a_ii is 0 */
};

/* For a square A of kind general; all zero for a rectangular A. (A triangle has a known
 * symmetry.) */
struct csr_symmetry csr_symmetry(const struct csr *A);

/* CSR_SYMMETRIC if every entry off the diagonal has an equal mirror image; CSR_SKEW if every entry,
 * at least one, has an opposite mirror image and the diagonal is 0; else CSR_GENERAL. A stored 0 is
 * an entry: its mirror image must be stored too. */
enum csr_kind csr_kind_in_fact(const struct csr *A);

/* upper = the upper triangle of a general A with the symmetry `kind`; missing diagonal entries
 * become 0. The caller owns it. Errors: STATUS_MEMORY. */
enum status csr_fold(const struct csr *A, enum csr_kind kind, struct csr *upper,
                     struct error *error);

/* pattern = the graph of A + A' without cancellation, kind symmetric, all values 0, of a square
 * general A. The caller owns it. Errors: STATUS_MEMORY. */
enum status csr_symmetric_pattern(const struct csr *A, struct csr *pattern, struct error *error);

#endif

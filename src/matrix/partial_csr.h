/* A matrix of which a rank holds its own rows, and the entries of other rows in own columns. */
#ifndef MATRIX_PARTIAL_CSR_H
#define MATRIX_PARTIAL_CSR_H

#include "matrix/csr.h"

/* A has all n rows, but of those that are not kept the diagonal alone, 0, and the entries in own
 * columns. A zeroed one keeps nothing. */
struct partial_csr {
    struct csr A;
    int64_t reach; /* the largest j - i of an entry (i, j) that is there */
};

/* Takes *A over, and leaves in *A the matrix with a maker of its rows, which borrows *kept. *A
 * cannot be stored (matrix/implicit_rows.h). Asking for a row that this rank does not hold is an
 * error of the caller, and gives a wrong row. A's nnz counts the entries that are kept, until the
 * ranks have met. The caller calls partial_csr_free. */
void partial_csr_create(struct csr *A, struct partial_csr *kept);
void partial_csr_free(struct partial_csr *kept); /* accepts a zeroed one */

#endif

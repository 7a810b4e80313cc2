/* A matrix of which a rank keeps its own rows, and what crosses into them. */
#ifndef MATRIX_KEPT_ROWS_H
#define MATRIX_KEPT_ROWS_H

#include "cgsolve/csr.h"

/* A has all n rows, but of those that are not kept the diagonal alone, 0, and the entries in own
 * columns. A zeroed one keeps nothing. */
struct kept_rows {
    struct csr A;
    int64_t reach; /* the largest j - i of an entry (i, j) that is there */
};

/* Takes *A over, and leaves in *A the matrix with a maker of those rows, which borrows *kept. It
 * cannot be stored (matrix/store.h), and makes rows that are not kept wrongly: who wants rows knows
 * which a rank has. Its nnz are those that are kept, until the ranks have met. The caller calls
 * kept_rows_free. */
void kept_rows_create(struct csr *A, struct kept_rows *kept);
void kept_rows_free(struct kept_rows *kept); /* accepts a zeroed one */

#endif

/* The entries left of the diagonal of a symmetric matrix in the memory of any space, row by row in
 * ascending column order. A stable sort of the stored entries by columns gives them: each column
 * has its entries above the diagonal, in ascending row order, and then the diagonal. */
#ifndef SPMV_LOWER_ROWS_H
#define SPMV_LOWER_ROWS_H

#include "matrix/csr.h"
#include "space/elements.h"

/* csr_lower in the memory of A->space, where nnz < 2^32; NULL: on the host. On failure *lower is
 * zeroed; the caller calls device_csr_free. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status lower_rows(const struct csr *A, struct csr *lower, struct error *error);

struct lowering {
    struct csr upper, lower;
    int32_t *rows;                  /* [nnz]: of entry k */
    const uint32_t *order, *begins; /* [nnz], [n + 1]: of the sort by columns */
};

/* Entry number i of the sort goes to row j, its column: j diagonals of earlier columns stand before
 * it. */
PASS_AT(lowering, lowering)
{
    int64_t k = work->order[i], j = work->upper.columns[k];
    if (k == work->upper.offsets[j])
        return;
    work->lower.columns[i - j] = work->rows[k];
    work->lower.values[i - j] = work->upper.values[k];
}

PASS_AT(ending_rows, lowering)
{
    work->lower.offsets[i] = work->begins[i] - i;
}

PASS_DECLARE(pass_lowering);
PASS_DECLARE(pass_ending_rows);

#endif

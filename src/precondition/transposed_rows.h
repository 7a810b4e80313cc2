/* The rows of R' for the rows of a general matrix R, in the memory of any space, in ascending
 * column order. A stable sort of R's entries by columns gives them. Entries in column -1 are left
 * out. */
#ifndef PRECONDITION_TRANSPOSED_ROWS_H
#define PRECONDITION_TRANSPOSED_ROWS_H

#include "matrix/csr.h"
#include "space/elements.h"

/* *transposed = R' in the memory of R->space; NULL: of the host. R is general, with stored rows and
 * fewer than 2^32 entries. On failure *transposed is zeroed; the caller calls device_csr_free.
 * Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status transposed_rows(const struct csr *R, struct csr *transposed, struct error *error);

struct transposing {
    struct csr R, transposed;
    int32_t *rows;                  /* [nnz]: of entry k of R */
    const uint32_t *order, *begins; /* [nnz], [R.width + 2]: of the sort by columns */
};

PASS_AT(transposing, transposing)
{
    uint32_t k = work->order[i];
    work->transposed.columns[i] = work->rows[k];
    work->transposed.values[i] = work->R.values[k];
}

PASS_AT(ending_transposed, transposing)
{
    work->transposed.offsets[i] = work->begins[i];
}

PASS_DECLARE(pass_transposing);
PASS_DECLARE(pass_ending_transposed);

#endif

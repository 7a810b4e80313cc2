#include "spmv/sym_order.h"

#include "base/memory.h"
#include "spmv/sym_diagonals.h"

#include <stdbool.h>

enum status sym_form_choose(const struct csr *A, enum sym_form *form, struct error *error)
{
    int32_t *distances;
    int64_t count;
    enum status status = sym_diagonals_find(A, &distances, &count, error);
    memory_free(distances);
    bool fills = count <= SYM_DIAGONALS_MAX && 4 * count * A->n <= 5 * A->nnz;
    *form = fills ? SYM_FORM_DIAGONALS : SYM_FORM_GENERAL;
    return status;
}

/* The row behind the block that begins with `first`. */
static int64_t block_end(const struct csr *A, int64_t first, int64_t entries)
{
    int64_t end = first + 1;
    while (end < A->n && A->offsets[end] - A->offsets[first] < entries)
        end++;
    return end;
}

enum status sym_blocks(const struct csr *A, int64_t entries, int64_t **first_rows, int64_t *count,
                       struct error *error)
{
    if (entries == 0) {
        entries = A->nnz / SYM_BLOCKS;
        if (entries < SYM_BLOCK_ENTRIES_MIN)
            entries = SYM_BLOCK_ENTRIES_MIN;
        if (entries > SYM_BLOCK_ENTRIES_MAX)
            entries = SYM_BLOCK_ENTRIES_MAX;
    }
    *count = 0;
    for (int64_t first = 0; first < A->n; first = block_end(A, first, entries))
        ++*count;
    *first_rows = memory_array(*count + 1, sizeof **first_rows, "the row blocks", error);
    if (!*first_rows)
        return STATUS_MEMORY;
    (*first_rows)[0] = 0;
    for (int64_t block = 0; block < *count; block++)
        (*first_rows)[block + 1] = block_end(A, (*first_rows)[block], entries);
    return STATUS_OK;
}

/* One block row of a matrix by blocks (sym_blocks.h), for host and device. k is a parameter, so
 * that a device has functions in which it is a constant, and cursors in registers. */
#ifndef SPMV_SYMMETRIC_BLOCKS_SYM_BLOCKS_ROW_H
#define SPMV_SYMMETRIC_BLOCKS_SYM_BLOCKS_ROW_H

#include "base/host_device.h"
#include "matrix/csr.h"
#include "spmv/symmetric/blocks/sym_blocks.h"

/* The k rows of a block row, each with the place up to which it has been read. */
struct sym_blocks_cursor {
    int64_t next[SYM_BLOCK_MAX], end[SYM_BLOCK_MAX];
};

/* At the first entries of the rows, which are those of the diagonal block. */
CGSOLVE_HOST_AND_DEVICE static inline struct sym_blocks_cursor sym_blocks_open(const struct csr *A,
                                                                               int k, int64_t row)
{
    struct sym_blocks_cursor cursor = {{0}, {0}};
    for (int u = 0; u < k; u++) {
        cursor.next[u] = A->offsets[row * k + u];
        cursor.end[u] = A->offsets[row * k + u + 1];
    }
    return cursor;
}

/* The smallest block column that is still to be read, or -1. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t
sym_blocks_next(const struct csr *A, int k, const struct sym_blocks_cursor *cursor)
{
    int32_t smallest = INT32_MAX;
    for (int u = 0; u < k; u++)
        if (cursor->next[u] < cursor->end[u] && A->columns[cursor->next[u]] < smallest)
            smallest = A->columns[cursor->next[u]];
    return smallest == INT32_MAX ? -1 : (int64_t)((uint32_t)smallest / (uint32_t)k);
}

/* Pass over a block. */
CGSOLVE_HOST_AND_DEVICE static inline void
sym_blocks_skip(const struct csr *A, int k, int64_t column, struct sym_blocks_cursor *cursor)
{
    for (int u = 0; u < k; u++) {
        int64_t p = cursor->next[u];
        while (p < cursor->end[u] && A->columns[p] < (column + 1) * k)
            p++;
        cursor->next[u] = p;
    }
}

/* The entry of row u in a column, and pass over it; 0 where it has none. Columns ascend. */
CGSOLVE_HOST_AND_DEVICE static inline double
sym_blocks_take(const struct csr *A, int u, int64_t column, struct sym_blocks_cursor *cursor)
{
    int64_t p = cursor->next[u];
    if (p == cursor->end[u] || A->columns[p] != column)
        return 0;
    cursor->next[u] = p + 1;
    return A->values[p];
}

/* Blocks of a row right of the diagonal one. */
CGSOLVE_HOST_AND_DEVICE static inline int32_t sym_blocks_count(const struct csr *A, int k,
                                                               int64_t row)
{
    int32_t count = 0;
    int64_t column = row;
    struct sym_blocks_cursor cursor = sym_blocks_open(A, k, row);
    sym_blocks_skip(A, k, column, &cursor);
    while ((column = sym_blocks_next(A, k, &cursor)) >= 0) {
        sym_blocks_skip(A, k, column, &cursor);
        count++;
    }
    return count;
}

#endif

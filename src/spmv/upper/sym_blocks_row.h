/* One block row of sym_blocks.h, for host and device. */
#ifndef SPMV_UPPER_SYM_BLOCKS_ROW_H
#define SPMV_UPPER_SYM_BLOCKS_ROW_H

#include "cgsolve/csr.h"
#include "cgsolve/host_device.h"
#include "spmv/upper/sym_blocks.h"

/* The k rows of a block row, each with the place up to which it has been read. */
struct sym_blocks_cursor {
    const struct csr *A;
    int k;
    int64_t next[SYM_BLOCK_MAX], end[SYM_BLOCK_MAX];
};

/* At the first entries right of the diagonal block. */
CGSOLVE_HOST_AND_DEVICE static inline struct sym_blocks_cursor sym_blocks_open(const struct csr *A,
                                                                               int k, int64_t row)
{
    struct sym_blocks_cursor cursor;
    cursor.A = A;
    cursor.k = k;
    for (int u = 0; u < k; u++) {
        int64_t next = A->offsets[row * k + u], end = A->offsets[row * k + u + 1];
        while (next < end && A->columns[next] < (row + 1) * k)
            next++;
        cursor.next[u] = next;
        cursor.end[u] = end;
    }
    return cursor;
}

/* The smallest block column that is still to be read, or -1. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t
sym_blocks_next(const struct sym_blocks_cursor *cursor)
{
    int32_t smallest = INT32_MAX;
    for (int u = 0; u < cursor->k; u++)
        if (cursor->next[u] < cursor->end[u] && cursor->A->columns[cursor->next[u]] < smallest)
            smallest = cursor->A->columns[cursor->next[u]];
    return smallest == INT32_MAX ? -1 : smallest / cursor->k;
}

/* Pass over a block; its values go to block[k k], unless that is NULL. */
CGSOLVE_HOST_AND_DEVICE static inline void sym_blocks_take(struct sym_blocks_cursor *cursor,
                                                           int64_t column, double *block)
{
    int k = cursor->k;
    int64_t first = column * k;
    for (int u = 0; u < k; u++) {
        int64_t p = cursor->next[u];
        for (; p < cursor->end[u] && cursor->A->columns[p] < first + k; p++)
            if (block)
                block[u * k + (cursor->A->columns[p] - first)] = cursor->A->values[p];
        cursor->next[u] = p;
    }
}

/* The blocks right of the diagonal one. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t sym_blocks_count(const struct csr *A, int k,
                                                               int64_t row)
{
    int64_t count = 0, column;
    struct sym_blocks_cursor cursor = sym_blocks_open(A, k, row);
    while ((column = sym_blocks_next(&cursor)) >= 0) {
        sym_blocks_take(&cursor, column, NULL);
        count++;
    }
    return count;
}

#endif

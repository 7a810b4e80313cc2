/* An upper triangle by its columns: what a gather over full rows reads left of the diagonal. */
#ifndef SPMV_SYMMETRIC_TRANSPOSE_INDEX_H
#define SPMV_SYMMETRIC_TRANSPOSE_INDEX_H

#include "base/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct transpose_index {
    int64_t rows;
    int64_t *offsets; /* [rows + 1] */
    int32_t
        *columns;    /* [offsets[rows]] the row i < j of each entry (i, j) in column j, ascending */
    int64_t *places; /* its place in the arrays of the upper triangle */
};

/* Of the entries (or blocks) at columns[offsets[rows]], ascending in each row, columns[p] >= row;
 * those on the diagonal are left out. The caller calls transpose_index_free. Errors: STATUS_MEMORY,
 * with how much is needed; *mirror is then all zero. */
enum status transpose_index_create(int64_t rows, const int64_t *offsets, const int32_t *columns,
                                   struct transpose_index *mirror, struct error *error);
void transpose_index_free(struct transpose_index *mirror); /* accepts a zeroed one */

/* For the columns begin <= j < end: count the entries (i, j) with i < rows that are not on the
 * diagonal, next[j]++, or, when noted_columns is not NULL, note i and the entry's place as well:
 * column j's list goes on at next[j], and ascends. Other columns are not touched, so threads may
 * have some each. */
void transpose_index_take(const int64_t *offsets, const int32_t *columns, int64_t rows,
                          int64_t begin, int64_t end, int64_t *next, int32_t *noted_columns,
                          int64_t *noted_places);

#ifdef __cplusplus
}
#endif
#endif

/* The upper triangle of a matrix by k x k blocks: block row I holds the rows I k, ..., I k + k - 1,
 * and a block is kept whole when any entry of the upper triangle lies in it; where the matrix has
 * none, it holds a zero. Of the block on the diagonal only the upper triangle is kept: its lower
 * half is sign times the transpose of that. */
#ifndef SPMV_SYMMETRIC_BLOCKS_SYM_BLOCKS_H
#define SPMV_SYMMETRIC_BLOCKS_SYM_BLOCKS_H

#include "base/host_device.h"
#include "base/status.h"
#include "matrix/csr.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SYM_BLOCK_MIN = 2,
    SYM_BLOCK_MAX = 6,
};

struct sym_blocks {
    int64_t n;
    double sign; /* of a mirrored entry: -1 for a skew-symmetric matrix */
    int k;
    int64_t rows;      /* n / k block rows */
    int64_t *offsets;  /* [rows + 1] */
    int32_t *columns;  /* [offsets[rows]] block columns J > I of the blocks, ascending in a row */
    double *values;    /* k k each, row by row, in that order */
    double *diagonals; /* k (k + 1) / 2 for each block row: (0, 0), (0, 1), ..., (0, k - 1), (1, 1),
                          ... */
};

/* The k from SYM_BLOCK_MIN to SYM_BLOCK_MAX that divides n and takes the fewest bytes, the smaller
 * one of two equals; *bytes of them. 0 when none divides n. */
int sym_blocks_best(const struct csr *A, int64_t *bytes);

/* That k if it takes fewer bytes than the general form, which needs 8 for a value and 2 for an
 * index; else 0. Multigrid takes it for the unknowns of a node (setup/hierarchy.h): another rule
 * would change its levels and their bits. */
int sym_blocks_find(const struct csr *A);

/* The same rules for counts that ranks and devices have made: counts[k], k = 2, ..., 6, are the
 * blocks right of the diagonal. Those of a k that does not divide n are not read. */
int sym_blocks_best_of(int64_t n, const int64_t *counts, int64_t *bytes);
bool sym_blocks_save(int64_t bytes, int64_t nnz);

/* Whether sym_blocks_find may give a k, by samples of rows. */
bool sym_blocks_likely(const struct csr *A);

/* The caller calls sym_blocks_free. Errors: STATUS_CONFIG (k does not divide n), STATUS_MEMORY,
 * with how much is needed. On failure blocks is all zero. */
enum status sym_blocks_create(const struct csr *A, int k, struct sym_blocks *blocks,
                              struct error *error);

void sym_blocks_free(struct sym_blocks *blocks); /* accepts a zeroed one */

/* Values of the triangle of a diagonal block. */
static inline int sym_blocks_triangle(int k)
{
    return k * (k + 1) / 2;
}

/* Where the value of row r and column c of the block, or of c and r, is in that triangle. */
CGSOLVE_HOST_AND_DEVICE static inline int sym_blocks_place(int k, int r, int c)
{
    int first = r < c ? r : c, second = r < c ? c : r;
    return first * k - first * (first - 1) / 2 + second - first;
}

#ifdef __cplusplus
}
#endif
#endif

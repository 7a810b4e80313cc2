/* The pass of block Jacobi (space/elements.h): z = B r and r . z. B has blocks of `block` rows on
 * its diagonal, the last one shorter, and nothing elsewhere:
 *
 *     z_i = the chain from j = 0 on of  s = values[i] r_f,  s = fma(values[j n + i], r_{f+j}, s)
 *
 * where f is the first row of i's block. */
#ifndef PRECONDITION_BLOCKS_H
#define PRECONDITION_BLOCKS_H

#include "space/elements.h"

#include <math.h>

struct blocks_work {
    int64_t n, block;
    int64_t rows;         /* of r and z: n, or those of a rank, which begin with a block */
    const double *values; /* [block][n]: values[j n + i] is row i's coefficient of the j-th row of
                             its block */
    const double *r;
    double *z, *dot; /* dot = NULL: not wanted */
};

struct blocks_scalars {
    int none;
};

struct blocks_element {
    double r, z;
};

PASS_READ(blocks, blocks_work)
{
    (void)work;
    s->none = 0;
}

PASS_PREPARES_NOTHING(blocks)

/* An index fits 32 bits, and a GPU divides these faster. */
PASS_LOAD(blocks, blocks_work)
{
    uint32_t row = (uint32_t)i, n = (uint32_t)work->n, block = (uint32_t)work->block;
    uint32_t first = row - row % block, left = (uint32_t)work->rows - first;
    uint32_t rows = left < block ? left : block;
    double s = work->values[row] * work->r[first];
    CGSOLVE_UNROLL(16)
    for (uint32_t j = 1; j < rows; j++)
        s = fma(work->values[(int64_t)j * n + row], work->r[first + j], s);
    e->r = work->r[row];
    e->z = s;
}

PASS_MAKE(blocks, blocks_work)
{
    work->z[i] = e->z;
}

PASS_TERM(blocks)
{
    *x = e->r;
    *y = e->z;
}

PASS_SUM(blocks, blocks_work)
{
    sum->x = work->r;
    sum->y = work->z;
    sum->result = work->dot;
    return k == 0 && work->dot;
}

/* --- the same of multivectors (spmv/operator.h), over their n stride elements ------------- */

struct blocks_columns_work {
    int64_t n, block, rows, stride;
    const double *values;
    const double *r;
    double *z;
};

/* Column c of row i. */
CGSOLVE_HOST_AND_DEVICE static inline double blocks_column(const struct blocks_columns_work *work,
                                                           int64_t i, int64_t c)
{
    uint32_t row = (uint32_t)i, n = (uint32_t)work->n, block = (uint32_t)work->block;
    uint32_t first = row - row % block, left = (uint32_t)work->rows - first;
    uint32_t rows = left < block ? left : block;
    const double *r = work->r + (int64_t)first * work->stride + c;
    double s = work->values[row] * r[0];
    CGSOLVE_UNROLL(16)
    for (uint32_t j = 1; j < rows; j++)
        s = fma(work->values[(int64_t)j * n + row], r[j * work->stride], s);
    return s;
}

PASS_AT(blocks_columns, blocks_columns_work)
{
    int64_t row = i / work->stride;
    work->z[i] = blocks_column(work, row, i - row * work->stride);
}

/* Their `reads` are without the values. */
PASS_DECLARE(pass_blocks);
PASS_DECLARE(pass_blocks_columns);
#endif

/* The pass of block Jacobi (space/elements.h): z = B r and r . z. B has blocks of `block` rows on
 * its diagonal, the last one shorter, and nothing elsewhere:
 *
 *     z_i = the chain from j = 0 on of  s = values[i] r_f,  s = fma(values[j n + i], r_{f+j}, s)
 *
 * where f is the first row of i's block. */
#ifndef PRECONDITION_BLOCKS_H
#define PRECONDITION_BLOCKS_H

#include "base/host_device.h"
#include "space/pass.h"

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

CGSOLVE_HOST_AND_DEVICE static inline void blocks_read(const struct blocks_work *work,
                                                       struct blocks_scalars *s)
{
    (void)work;
    s->none = 0;
}

CGSOLVE_HOST_AND_DEVICE static inline bool blocks_prepare(struct blocks_scalars *scalars)
{
    (void)scalars;
    return true;
}

/* An index fits 32 bits, and a GPU divides these faster. */
CGSOLVE_HOST_AND_DEVICE static inline void blocks_load(const struct blocks_work *work, int64_t i,
                                                       struct blocks_element *e)
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

CGSOLVE_HOST_AND_DEVICE static inline void blocks_make(const struct blocks_work *work,
                                                       const struct blocks_scalars *scalars,
                                                       int64_t i, struct blocks_element *element)
{
    (void)scalars;
    work->z[i] = element->z;
}

CGSOLVE_HOST_AND_DEVICE static inline void blocks_term(const struct blocks_element *element, int k,
                                                       double *x, double *y)
{
    (void)k;
    *x = element->r;
    *y = element->z;
}

static inline bool blocks_sum(const void *given, int64_t k, struct pass_sum *sum)
{
    const struct blocks_work *work = (const struct blocks_work *)given;
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
    for (uint32_t j = 1; j < rows; j++)
        s = fma(work->values[(int64_t)j * n + row], r[j * work->stride], s);
    return s;
}

CGSOLVE_HOST_AND_DEVICE static inline void blocks_columns_at(const struct blocks_columns_work *work,
                                                             int64_t k)
{
    int64_t i = k / work->stride;
    work->z[k] = blocks_column(work, i, k - i * work->stride);
}

#ifdef __cplusplus
extern "C" {
#endif

extern const struct pass pass_blocks,
    pass_blocks_columns; /* their `reads` are without the values */
pass_launcher blocks_cuda, blocks_columns_cuda;

#ifdef __cplusplus
}
#endif
#endif

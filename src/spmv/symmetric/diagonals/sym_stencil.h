/* One row of a matrix by diagonals as a stencil (sym_stencils.h), for host and device. */
#ifndef SPMV_SYMMETRIC_DIAGONALS_SYM_STENCIL_H
#define SPMV_SYMMETRIC_DIAGONALS_SYM_STENCIL_H

#include "base/host_device.h"
#include "matrix/csr.h"

/* The entry (i, j), j >= i, of the upper triangle, or 0. */
CGSOLVE_HOST_AND_DEVICE static inline double sym_entry(const struct csr *A, int64_t i, int64_t j)
{
    int64_t k = csr_find_entry(A, i, j);
    return k < 0 ? 0 : A->values[k];
}

/* Element p = 0, ..., 2 m of the stencil of row i of A, whose entries lie at distances[m + 1]. */
CGSOLVE_HOST_AND_DEVICE static inline double
sym_stencil_at(const struct csr *A, const int32_t *distances, int m, int64_t i, int p)
{
    if (p >= m)
        return sym_entry(A, i, i + distances[p - m]);
    int64_t d = distances[m - p];
    double sign = A->kind == CSR_SKEW ? -1 : 1, left = i >= d ? sym_entry(A, i - d, i) : 0;
    return sign * left;
}

#endif

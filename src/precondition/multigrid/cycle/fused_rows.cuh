/* A row's product of fused_rows.h. For .cu files. */
#ifndef PRECONDITION_MULTIGRID_CYCLE_FUSED_ROWS_CUH
#define PRECONDITION_MULTIGRID_CYCLE_FUSED_ROWS_CUH

#include "precondition/multigrid/cycle/fused_rows.h"

/* Where a row is; length = 0: it is none. */
template <typename Real> struct fused_place {
    const uint16_t *columns;
    const Real *values;
    int32_t length;

    __device__ void find(const struct fused_rows &A, int64_t i)
    {
        int64_t first = (int64_t)__ldg(A.slices + i / FUSED_LEVELS_SLICE) * FUSED_LEVELS_SLICE +
                        i % FUSED_LEVELS_SLICE;
        columns = A.columns + first;
        values = (const Real *)A.values + first;
        length = __ldg(A.lengths + i);
    }
};

/* A row whose first entries are in registers. The matrix does not change, so a thread may take a
 * row before the threads that make x have met. */
template <typename Real> struct fused_row {
    enum { AT_ONCE = 16 }; /* entries that are on their way together */
    struct fused_place<Real> at;
    int32_t j[AT_ONCE];
    Real a[AT_ONCE];

    __device__ void take(const struct fused_place<Real> &place)
    {
        at = place;
        take_columns(0);
        take_values(0);
    }
    /* Its product with x, which other threads of the launch may have written before they met. */
    __device__ Real multiply(const Real *x)
    {
        Real sum = 0;
        for (int32_t k = 0; k < at.length; k += AT_ONCE) {
            Real xs[AT_ONCE];
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++)
                xs[u] = k + u < at.length ? x[j[u]] : 0;
            take_columns(k + AT_ONCE);
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++)
                if (k + u < at.length)
                    sum = fma(a[u], xs[u], sum);
            take_values(k + AT_ONCE);
        }
        return sum;
    }
    __device__ void take_columns(int32_t k)
    {
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            j[u] = k + u < at.length ? __ldg(at.columns + (k + u) * FUSED_LEVELS_SLICE) : 0;
    }
    __device__ void take_values(int32_t k)
    {
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            a[u] = k + u < at.length ? __ldg(at.values + (k + u) * FUSED_LEVELS_SLICE) : 0;
    }
};

#endif

/* A row's product of fused_rows.h. For .cu files. */
#ifndef PRECONDITION_MULTIGRID_CYCLE_FUSED_ROWS_CUH
#define PRECONDITION_MULTIGRID_CYCLE_FUSED_ROWS_CUH

#include "precondition/multigrid/cycle/fused_rows.h"

/* So many entries are on their way at once, and the columns of as many behind them; past the end of
 * the row its last one again. x may have been written by other threads of the launch, the matrix
 * not. */
template <typename Real>
__device__ static inline Real fused_levels_multiply(const struct fused_rows &A, const Real *x,
                                                    int64_t i)
{
    constexpr int AT_ONCE = 16;
    int32_t length = __ldg(A.lengths + i);
    int64_t first = (int64_t)__ldg(A.slices + i / FUSED_LEVELS_SLICE) * FUSED_LEVELS_SLICE +
                    i % FUSED_LEVELS_SLICE;
    const uint16_t *columns = A.columns + first;
    const Real *values = (const Real *)A.values + first;
    Real sum = 0;
    int32_t j[AT_ONCE];
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++)
        j[u] = __ldg(columns + min(u, length - 1) * FUSED_LEVELS_SLICE);
    for (int32_t k = 0; k < length; k += AT_ONCE) {
        Real a[AT_ONCE], xs[AT_ONCE];
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) {
            a[u] = __ldg(values + min(k + u, length - 1) * FUSED_LEVELS_SLICE);
            xs[u] = x[j[u]];
            j[u] = __ldg(columns + min(k + AT_ONCE + u, length - 1) * FUSED_LEVELS_SLICE);
        }
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            if (k + u < length)
                sum = fma(a[u], xs[u], sum);
    }
    return sum;
}

#endif

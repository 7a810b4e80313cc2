/* A row's product of fused_rows.h. For .cu files. */
#ifndef PRECONDITION_MULTIGRID_CYCLE_FUSED_ROWS_CUH
#define PRECONDITION_MULTIGRID_CYCLE_FUSED_ROWS_CUH

#include "precondition/multigrid/cycle/fused_rows.h"

/* Where a row is. A load fills it, and nothing is computed from it before the row is taken: so no
 * thread waits for that load. length = 0: there is no row. */
struct fused_place {
    int32_t slice, length;

    __device__ void find(const struct fused_rows &A, int64_t i)
    {
        slice = __ldg(A.slices + i / FUSED_LEVELS_SLICE);
        length = __ldg(A.lengths + i);
    }
};

/* A row whose first entries are in registers. The matrix does not change, so a thread may take a
 * row before the threads that make x have met. Small levels are bound by the instructions of their
 * threads: so few entries are taken together. */
template <typename Real> struct fused_row {
    enum { TOGETHER = 8 };
    const uint16_t *columns; /* of the next entries */
    const Real *values;
    int32_t left, j[TOGETHER]; /* left: entries from the first one in registers on */
    Real a[TOGETHER];

    __device__ void take(const struct fused_rows &A, int64_t i, const struct fused_place &place)
    {
        int64_t first = place.slice * (int64_t)FUSED_LEVELS_SLICE + (int32_t)i % FUSED_LEVELS_SLICE;
        columns = A.columns + first;
        values = (const Real *)A.values + first;
        left = place.length;
        take_columns(left);
        take_values(left);
    }
    /* Its product with x, which other threads of the launch may have written before they met. */
    __device__ Real multiply(const Real *x)
    {
        Real sum = 0;
        while (left > 0) {
            int32_t after = left - TOGETHER;
            Real xs[TOGETHER];
#pragma unroll
            for (int u = 0; u < TOGETHER; u++)
                xs[u] = u < left ? x[j[u]] : 0;
            if (after > 0)
                take_columns(after);
#pragma unroll
            for (int u = 0; u < TOGETHER; u++)
                if (u < left)
                    sum = fma(a[u], xs[u], sum);
            if (after > 0)
                take_values(after);
            left = after;
        }
        return sum;
    }
    __device__ void take_columns(int32_t count)
    {
#pragma unroll
        for (int u = 0; u < TOGETHER; u++)
            j[u] = u < count ? __ldg(columns + u * FUSED_LEVELS_SLICE) : 0;
        columns += TOGETHER * FUSED_LEVELS_SLICE;
    }
    __device__ void take_values(int32_t count)
    {
#pragma unroll
        for (int u = 0; u < TOGETHER; u++)
            a[u] = u < count ? __ldg(values + u * FUSED_LEVELS_SLICE) : 0;
        values += TOGETHER * FUSED_LEVELS_SLICE;
    }
};

#endif

/* What a lane adds of its part of a row (spmv/baseline/rode.h), in two ways for regular parts, with
 * the same additions.
 *
 * By loads to registers: all of 8 entries on their way at once, and then all of their x_j.
 *
 * By the sub-block pipeline of RoDe (Pang et al., PPoPP 2024): entries are copied to shared memory
 * asynchronously (from sm_80 on), 32 of a part at a time, into two buffers in turn, so that the
 * next are on their way while the x_j of these are fetched and added. There the threads that have
 * columns of the dense matrix share the entries, and wait for each other; with one vector an entry
 * is for one lane, which copies its own, waits for its own copies, and for nobody. For .cu
 * files. */
#ifndef SPMV_BASELINE_CUDA_RODE_SUMS_CUH
#define SPMV_BASELINE_CUDA_RODE_SUMS_CUH

#include "spmv/baseline/cuda_shares.cuh"
#include "spmv/baseline/rode.h"

#include <cuda_pipeline.h>

enum { RODE_THREADS = 256 }; /* of a block */

/* sum and the next COUNT entries of a lane of a regular part, from its entry `first` on. */
template <int COUNT, typename Value, typename Sum, typename Vector>
__device__ static Sum rode_add(Sum sum, int first, int lane, const int32_t *columns,
                               const Value *values, const Vector *x)
{
    int32_t j[COUNT];
    Value a[COUNT];
    Sum xs[COUNT];
#pragma unroll
    for (int e = 0; e < COUNT; e += 2)
        cuda_load_once<2>(columns + rode_regular_entry(lane, first + e), j + e);
#pragma unroll
    for (int e = 0; e < COUNT; e += 2)
        cuda_load_once<2>(values + rode_regular_entry(lane, first + e), a + e);
    cuda_loads_first();
#pragma unroll
    for (int e = 0; e < COUNT; e++)
        xs[e] = (Sum)x[j[e]];
    cuda_loads_first();
#pragma unroll
    for (int e = 0; e < COUNT; e++)
        sum = cuda_fma((Sum)a[e], xs[e], sum);
    return sum;
}

template <typename Value, typename Sum, typename Vector>
__device__ static Sum rode_sum_loaded(const struct rode_share &share, const int32_t *columns,
                                      const Value *values, const Vector *x)
{
    Sum sum = 0;
    int e = 0, count = share.length / RODE_LANES_MAX;
#pragma unroll 1
    for (; e + 2 * RODE_STEP <= count; e += 2 * RODE_STEP)
        sum = rode_add<2 * RODE_STEP>(sum, e, share.lane, columns, values, x);
    if (e + RODE_STEP <= count) {
        sum = rode_add<RODE_STEP>(sum, e, share.lane, columns, values, x);
        e += RODE_STEP;
    }
    if (e < count)
        sum = rode_add<RODE_STEP / 2>(sum, e, share.lane, columns, values, x);
    return sum;
}

enum { RODE_PAIRS = RODE_STEP / 2, RODE_BUFFERS = 2 }; /* of a lane, in a buffer */

/* What a block of threads has copied: neighbouring threads' pairs are neighbours. */
template <typename Value> struct rode_staged {
    struct alignas(2 * sizeof(int32_t)) {
        int32_t column[2];
    } columns[RODE_BUFFERS][RODE_PAIRS][RODE_THREADS];
    struct alignas(2 * sizeof(Value)) {
        Value value[2];
    } values[RODE_BUFFERS][RODE_PAIRS][RODE_THREADS];
};

/* Send for a lane's entries `first` to first + RODE_STEP - 1, or to count - 1: an even number.
 * Behind the last one it is a batch of none, so that each call makes one. */
template <typename Value>
__device__ static void rode_send(struct rode_staged<Value> *staged, int buffer, int first,
                                 int count, int lane, const int32_t *columns, const Value *values)
{
#pragma unroll
    for (int u = 0; u < RODE_PAIRS; u++) {
        if (first + 2 * u < count) {
            int entry = rode_regular_entry(lane, first + 2 * u);
            __pipeline_memcpy_async(&staged->columns[buffer][u][threadIdx.x], columns + entry,
                                    2 * sizeof(int32_t));
            __pipeline_memcpy_async(&staged->values[buffer][u][threadIdx.x], values + entry,
                                    2 * sizeof(Value));
        }
    }
    __pipeline_commit();
}

/* rode_sum_loaded by the pipeline. A buffer is read into registers, and then filled again. */
template <typename Value, typename Sum, typename Vector>
__device__ static Sum rode_sum_staged(const struct rode_share &share, const int32_t *columns,
                                      const Value *values, const Vector *x)
{
    __shared__ struct rode_staged<Value> staged;
    Sum sum = 0;
    int count = share.length / RODE_LANES_MAX, buffer = 0;
    for (int b = 0; b < RODE_BUFFERS; b++)
        rode_send(&staged, b, b * RODE_STEP, count, share.lane, columns, values);
#pragma unroll 1
    for (int first = 0; first < count; first += RODE_STEP) {
        int32_t j[RODE_STEP];
        Value a[RODE_STEP];
        Sum xs[RODE_STEP];
        bool whole = first + RODE_STEP <= count; /* the same for all of the warp */
        __pipeline_wait_prior(RODE_BUFFERS - 1);
#pragma unroll
        for (int e = 0; e < RODE_STEP; e++) {
            int u = whole ? e / 2 : 0; /* the first half again in the place of one that is not */
            j[e] = staged.columns[buffer][u][threadIdx.x].column[e % 2];
            a[e] = staged.values[buffer][u][threadIdx.x].value[e % 2];
        }
        cuda_loads_first();
        rode_send(&staged, buffer, first + RODE_BUFFERS * RODE_STEP, count, share.lane, columns,
                  values);
#pragma unroll
        for (int e = 0; e < RODE_STEP; e++)
            xs[e] = (Sum)x[j[e]];
        cuda_loads_first();
#pragma unroll
        for (int e = 0; e < RODE_STEP; e++) {
            Sum next = cuda_fma((Sum)a[e], xs[e], sum);
            sum = whole || e < RODE_STEP / 2 ? next : sum;
        }
        buffer = (buffer + 1) % RODE_BUFFERS;
    }
    return sum;
}

/* The sum of a lane of a regular part, in the order of rode_regular_entry. */
template <bool PIPELINED, typename Value, typename Sum, typename Vector>
__device__ static Sum rode_sum_regular(const struct rode_share &share, const int32_t *columns,
                                       const Value *values, const Vector *x)
{
    if constexpr (PIPELINED)
        return rode_sum_staged<Value, Sum>(share, columns, values, x);
    else
        return rode_sum_loaded<Value, Sum>(share, columns, values, x);
}

/* A lane of a residual part that is not empty. Behind the last entry the last one is loaded again,
 * so that no branch comes between the loads. */
template <typename Value, typename Sum, typename Vector>
__device__ static Sum rode_sum_residual(const struct rode_share &share, const int32_t *columns,
                                        const Value *values, const Vector *x)
{
    Sum sum = 0;
#pragma unroll 1
    for (int first = 0; first * share.lanes < share.length; first += RODE_STEP) {
        int32_t j[RODE_STEP];
        Value a[RODE_STEP];
        Sum xs[RODE_STEP];
#pragma unroll
        for (int e = 0; e < RODE_STEP; e++) {
            int place =
                min(rode_residual_entry(share.lanes, share.lane, first + e), share.length - 1);
            j[e] = columns[place];
            a[e] = values[place];
        }
        cuda_loads_first();
#pragma unroll
        for (int e = 0; e < RODE_STEP; e++)
            xs[e] = (Sum)x[j[e]];
        cuda_loads_first();
#pragma unroll
        for (int e = 0; e < RODE_STEP; e++) {
            Sum next = cuda_fma((Sum)a[e], xs[e], sum);
            bool is_there = rode_residual_entry(share.lanes, share.lane, first + e) < share.length;
            sum = is_there ? next : sum;
        }
    }
    return sum;
}

#endif

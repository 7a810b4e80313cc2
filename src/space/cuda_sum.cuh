/* The sums of cgsolve/sum_order.h on a GPU: one warp makes one tile, lane by lane, and the warp
 * that brings the last tile of a group goes on to the next level. So a sum takes one launch, and
 * its order does not depend on which warp that is. */
#ifndef SPACE_CUDA_SUM_CUH
#define SPACE_CUDA_SUM_CUH

#include "cgsolve/sum_order.h"
#include "space/compensated.h"
#include "space/cuda.h"

enum { CUDA_WARP = 32 };

static_assert((int)SUM_LANES == (int)CUDA_WARP, "one lane a thread");

/* What is added: plain doubles, or doubles with their errors. */
struct plain_sum {
    double sum;
    __device__ static plain_sum zero()
    {
        return {0};
    }
    __device__ void add_product(double x, double y)
    {
        sum = fma(x, y, sum);
    }
    __device__ void add(plain_sum other)
    {
        sum = sum + other.sum;
    }
    __device__ plain_sum from_lane_above(int distance) const
    {
        return {__shfl_down_sync(~0u, sum, distance)};
    }
    __device__ static plain_sum load(const double *terms, int64_t k)
    {
        return {__ldcg(terms + 2 * k)};
    }
    __device__ void store(double *terms, int64_t k) const
    {
        __stcg(terms + 2 * k, sum);
    }
    __device__ double value() const
    {
        return sum;
    }
};

struct compensated_sum {
    struct compensated pair;
    __device__ static compensated_sum zero()
    {
        return {{0, 0}};
    }
    __device__ void add_product(double x, double y)
    {
        pair = compensated_add_product(pair, x, y);
    }
    __device__ void add(compensated_sum other)
    {
        pair = compensated_add(pair, other.pair.sum, other.pair.error);
    }
    __device__ compensated_sum from_lane_above(int distance) const
    {
        return {{__shfl_down_sync(~0u, pair.sum, distance),
                 __shfl_down_sync(~0u, pair.error, distance)}};
    }
    __device__ static compensated_sum load(const double *terms, int64_t k)
    {
        return {{__ldcg(terms + 2 * k), __ldcg(terms + 2 * k + 1)}};
    }
    __device__ void store(double *terms, int64_t k) const
    {
        __stcg(terms + 2 * k, pair.sum);
        __stcg(terms + 2 * k + 1, pair.error);
    }
    __device__ double value() const
    {
        return pair.sum + pair.error;
    }
};

/* The tree over the lanes; lane 0 has the result. */
template <typename Sum> __device__ Sum cuda_lanes_tree(Sum lane)
{
    for (int half = SUM_LANES / 2; half >= 1; half /= 2)
        lane.add(lane.from_lane_above(half));
    return lane;
}

/* A warp makes a tile of the terms of a level; lane 0 has its sum. */
template <typename Sum>
__device__ Sum cuda_sum_group(const struct cuda_sum &sum, int level, int64_t group)
{
    int64_t first = group * SUM_TILE;
    int size = (int)min((int64_t)SUM_TILE, sum.count[level] - first);
    Sum lane = Sum::zero();
#pragma unroll 5
    for (int k = threadIdx.x % CUDA_WARP; k < size; k += SUM_LANES)
        lane.add(Sum::load(sum.terms[level], first + k));
    return cuda_lanes_tree(lane);
}

/* A warp hands in the sum of tile `index` of the terms below `level`, in lane 0. True in the warp, if
 * any, that has come last of all; then lane 0 of *tile holds the sum of everything. */
template <typename Sum>
__device__ bool cuda_sum_finish(const struct cuda_sum &sum, int level, int64_t index, Sum *tile)
{
    int lane = threadIdx.x % CUDA_WARP;
    for (;; level++) {
        int64_t count = sum.count[level];
        if (count == 1)
            return true;
        int64_t group = index / SUM_TILE;
        int size = (int)min((int64_t)SUM_TILE, count - group * SUM_TILE);
        unsigned int before = 0;
        if (lane == 0) {
            tile->store(sum.terms[level], index);
            __threadfence();
            before = atomicAdd(&sum.arrived[level][group], 1u);
        }
        before = __shfl_sync(~0u, before, 0);
        if (before + 1 != (unsigned int)size)
            return false;
        __threadfence();
        __syncwarp(); /* lane 0 has seen the others' counts: their terms, for all lanes */
        if (lane == 0)
            sum.arrived[level][group] = 0;
        *tile = cuda_sum_group<Sum>(sum, level, group);
        index = group;
    }
}

#endif

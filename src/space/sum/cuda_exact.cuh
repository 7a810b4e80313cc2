/* Exact sums (space/sum/exact_sum.h, space/sum/exact_window.h) among the threads of a GPU. Threads
 * share only integers, which are added by integer atomics. So neither their order nor the device
 * affects the result. */
#ifndef SPACE_SUM_CUDA_EXACT_CUH
#define SPACE_SUM_CUDA_EXACT_CUH

#include "space/sum/exact_window.h"
#include "space/sum/sum_order.h"

/* A rank's part of a sum (space/ranks/cuda_allreduce.cuh): its limbs, and its non-finite
 * products. */
enum { CUDA_EXACT_WORDS = EXACT_LIMBS + 1 };

/* exact_add to a window in shared or global memory, concurrent with other threads. */
__device__ static inline void cuda_exact_add(int64_t *limbs, int lowest,
                                             const struct exact_term &term)
{
    int64_t digits[EXACT_TERM_LIMBS];
    int first = exact_digits(&term, lowest, digits);
    for (int k = 0; k < EXACT_TERM_LIMBS; k++)
        if (digits[k])
            atomicAdd((unsigned long long *)&limbs[first + k], (unsigned long long)digits[k]);
}

/* Adds the units taken by the levels of a window of doubles in the lanes of a warp, by
 * cuda_exact_add, one level a lane; overwrites taken[]. The sum of the lanes must be below 2^63. */
template <int LEVELS>
__device__ static inline void cuda_exact_add_taken(int64_t *limbs, int lowest, int unit,
                                                   int64_t taken[LEVELS])
{
    int lane = threadIdx.x % SUM_LANES;
    int64_t mine = 0;
#pragma unroll
    for (int k = 0; k < LEVELS; k++) {
        long long sum = taken[k];
        for (int half = SUM_LANES / 2; half >= 1; half /= 2)
            sum += __shfl_xor_sync(~0u, sum, half);
        mine = lane == k ? sum : mine;
    }
    if (lane < LEVELS)
        cuda_exact_add(limbs, lowest, exact_integer(mine, unit - EXACT_LEVEL * lane));
}

/* One thread's levels of a window of doubles. */
template <int LEVELS> struct cuda_exact_levels {
    double begin[LEVELS], level[LEVELS];
    uint64_t left; /* not 0: a product has a rest, and the taken units are invalid */
    __device__ explicit cuda_exact_levels(int unit)
    {
        left = 0;
#pragma unroll
        for (int k = 0; k < LEVELS; k++)
            level[k] = begin[k] = exact_window_begin(unit - EXACT_LEVEL * k);
    }
    /* At most EXACT_WINDOW_TERMS times. */
    __device__ void take_product(double x, double y)
    {
        double head = x * y, tail = fma(x, y, -head);
        left |= exact_window_vanished(x, y, head);
        head = exact_window_take(&level[0], head);
#pragma unroll
        for (int k = 1; k < LEVELS; k++) {
            head = exact_window_take(&level[k], head);
            tail = exact_window_take(&level[k], tail);
        }
        left |= (exact_bits(head) | exact_bits(tail)) << 1;
    }
    __device__ void add_to(int64_t taken[LEVELS]) const
    {
#pragma unroll
        for (int k = 0; k < LEVELS; k++)
            taken[k] += exact_window_taken(level[k], begin[k]);
    }
};

#endif

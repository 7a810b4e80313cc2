/* The sums of space/sum/sum_order.h on a GPU, in the launch that makes the terms. One warp makes
 * one tile, lane by lane, and puts its sum into its own slot. The first block of the grid makes no
 * tiles: it takes the terms from the slots as they arrive, and adds them in their order. A slot is
 * empty before its term arrives and after it is taken: one word is both the value and its arrival.
 * So no memory fence and no counter is needed, and the order is fixed.
 *
 * The waiting first block cannot block the others: it takes one place, and a device has places for
 * many blocks (two suffice). But a cooperative launch of another stream does: it waits for all
 * processors, and no other block starts meanwhile. So there are none in this library. */
#ifndef SPACE_SUM_CUDA_SUM_CUH
#define SPACE_SUM_CUDA_SUM_CUH

#include "space/cuda/cuda.h"
#include "space/sum/compensated.h"
#include "space/sum/sum_order.h"

enum { CUDA_WARP = 32 };

static_assert((int)SUM_LANES == (int)CUDA_WARP, "one lane a thread");

/* The content of an empty slot: a NaN that can only come from a NaN of the user's. */
constexpr unsigned long long CUDA_SUM_EMPTY = ~0ull;

/* Single words, visible to all blocks, in no mutual order. */
__device__ static inline unsigned long long cuda_slot_look(const double *slot)
{
    unsigned long long word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(slot) : "memory");
    return word;
}

__device__ static inline void cuda_slot_write(double *slot, unsigned long long word)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(slot), "l"(word) : "memory");
}

/* The value's word; another NaN in place of the NaN of an empty slot. */
__device__ static inline unsigned long long cuda_slot_word(double value)
{
    unsigned long long word = (unsigned long long)__double_as_longlong(value);
    return word == CUDA_SUM_EMPTY ? word >> 1 : word;
}

__device__ static inline void cuda_slot_put(double *slot, double value)
{
    cuda_slot_write(slot, cuda_slot_word(value));
}

/* The terms: plain doubles, or doubles with their errors, converted from and to words. */
struct plain_sum {
    enum { WORDS = 1 };
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
    __device__ plain_sum from_lane(int lane) const
    {
        return {__shfl_sync(~0u, sum, lane)};
    }
    __device__ plain_sum from_lane_above(int distance) const
    {
        return {__shfl_down_sync(~0u, sum, distance)};
    }
    __device__ static plain_sum of_words(const double *words)
    {
        return {words[0]};
    }
    __device__ void to_words(double *words) const
    {
        words[0] = sum;
    }
    __device__ double value() const
    {
        return sum;
    }
};

struct compensated_sum {
    enum { WORDS = 2 };
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
    __device__ compensated_sum from_lane(int lane) const
    {
        return {{__shfl_sync(~0u, pair.sum, lane), __shfl_sync(~0u, pair.error, lane)}};
    }
    __device__ compensated_sum from_lane_above(int distance) const
    {
        return {{__shfl_down_sync(~0u, pair.sum, distance),
                 __shfl_down_sync(~0u, pair.error, distance)}};
    }
    __device__ static compensated_sum of_words(const double *words)
    {
        return {{words[0], words[1]}};
    }
    __device__ void to_words(double *words) const
    {
        words[0] = pair.sum;
        words[1] = pair.error;
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

/* Puts the sum of a tile into its slot. */
template <typename Sum>
__device__ void cuda_sum_put(struct cuda_sum sum, int64_t tile, const Sum &term)
{
    double words[Sum::WORDS];
    term.to_words(words);
#pragma unroll
    for (int w = 0; w < Sum::WORDS; w++)
        cuda_slot_put(sum.slots + tile * Sum::WORDS + w, words[w]);
}

/* A warp takes a group of up to SUM_TILE terms; lane 0 has its sum. A lane polls all its slots at
 * once, so that after the arrival of the last term it waits for the memory only once. */
template <typename Sum>
__device__ Sum cuda_sum_take_group(double *slots, int64_t tiles, int64_t group)
{
    enum { STEPS = SUM_TILE / SUM_LANES, WORDS = Sum::WORDS };
    int first = threadIdx.x % CUDA_WARP * WORDS;
    int size = (int)min((int64_t)SUM_TILE, tiles - group * SUM_TILE) * WORDS - first;
    slots += group * (SUM_TILE * WORDS) + first;
    unsigned long long seen[STEPS][WORDS];
#pragma unroll
    for (int u = 0; u < STEPS; u++)
#pragma unroll
        for (int w = 0; w < WORDS; w++)
            seen[u][w] = u * SUM_LANES * WORDS < size ? CUDA_SUM_EMPTY : 0;
    for (bool waiting = true; waiting;) {
#pragma unroll
        for (int u = 0; u < STEPS; u++)
#pragma unroll
            for (int w = 0; w < WORDS; w++)
                if (seen[u][w] == CUDA_SUM_EMPTY)
                    seen[u][w] = cuda_slot_look(slots + u * SUM_LANES * WORDS + w);
        waiting = false;
#pragma unroll
        for (int u = 0; u < STEPS; u++)
#pragma unroll
            for (int w = 0; w < WORDS; w++)
                waiting = waiting || seen[u][w] == CUDA_SUM_EMPTY;
    }
    Sum lane = Sum::zero();
#pragma unroll
    for (int u = 0; u < STEPS; u++) {
        double words[WORDS];
#pragma unroll
        for (int w = 0; w < WORDS; w++) {
            words[w] = __longlong_as_double((long long)seen[u][w]); /* +0 for absent terms */
            if (u * SUM_LANES * WORDS < size)
                cuda_slot_write(slots + u * SUM_LANES * WORDS + w, CUDA_SUM_EMPTY);
        }
        lane.add(Sum::of_words(words));
    }
    __syncwarp();
    return cuda_lanes_tree(lane);
}

/* All threads of the first block, with shared memory for SUM_TILE terms of two words, take all
 * terms; their sum is the first thread's. It always adds the levels of space/sum/sum_order.h up to
 * the third: with fewer terms it adds +0, which changes only -0.
 *
 * It is a call, so that the other blocks do not need its registers, without references to the
 * kernel's parameters, which would be slow to read. */
template <typename Sum>
__device__ __noinline__ Sum cuda_sum_take_all(double *slots, int64_t tiles, double *shared)
{
    int warp = threadIdx.x / CUDA_WARP, lane = threadIdx.x % CUDA_WARP;
    int64_t groups = sum_tiles(tiles);
    Sum top = Sum::zero();
    for (int64_t first = 0, lane_of = 0; first < groups; first += SUM_TILE, lane_of++) {
        int count = (int)min((int64_t)SUM_TILE, groups - first);
        for (int g = warp; g < count; g += blockDim.x / CUDA_WARP) {
            Sum group = cuda_sum_take_group<Sum>(slots, tiles, first + g);
            if (lane == 0)
                group.to_words(shared + g * Sum::WORDS);
        }
        __syncthreads();
        if (warp == 0) {
            Sum part = Sum::zero();
            for (int g = lane; g < count; g += SUM_LANES)
                part.add(Sum::of_words(shared + g * Sum::WORDS));
            part = cuda_lanes_tree(part).from_lane(0);
            if (lane == lane_of % SUM_LANES)
                top.add(part);
        }
        __syncthreads();
    }
    return cuda_lanes_tree(top);
}

#endif

/* How blocks of solver/resident/resident.cuh wait for each other, and the sums over all tiles. */
#ifndef SOLVER_RESIDENT_RESIDENT_SUMS_CUH
#define SOLVER_RESIDENT_RESIDENT_SUMS_CUH

#include "solver/resident/resident_block.cuh"

#ifdef __CUDACC__

/* --- waiting ---------------------------------------------------------------------------------- */

/* Counts a look; whether the launch has been given up, or is now. */
__device__ static inline bool resident_gives_up(const struct resident_launch &of,
                                                unsigned int &looks)
{
    if (++looks % RESIDENT_PATIENCE != 0)
        return false;
    if (words_look(of.words.verdict) != 2 * of.number)
        return true;
    if (looks < of.looks)
        return false;
    if (atomicCAS(of.words.verdict, 2 * of.number, 2 * of.number + 1) == 2 * of.number)
        *(volatile int64_t *)&of.told->lost = 1;
    return true;
}

/* Before barrier 1: the block leaves its loop after it. */
__device__ static inline void resident_lose(struct resident_shared *shared)
{
    *(volatile int *)&shared->lost = 1;
    *(volatile int *)&shared->stop = 1;
}

__device__ static inline double resident_tree(double lane)
{
#pragma unroll
    for (int half = SUM_LANES / 2; half >= 1; half /= 2)
        lane = lane + __shfl_xor_sync(~0u, lane, half);
    return lane;
}

__device__ static inline cuda_word *resident_sums(const struct resident_launch &of,
                                                  enum resident_sum which, int copy, int buffer)
{
    return of.words.sums +
           (int64_t)((which * of.words.copies + copy) * WORDS_BUFFERS + buffer) * of.tiles;
}

/* A tile's sum, by a warp. */
__device__ static inline void resident_put_sum(const struct resident_launch &of,
                                               enum resident_sum which, int buffer, int tile,
                                               cuda_word word)
{
    int lane = threadIdx.x % SUM_LANES;
    if (lane < of.words.copies)
        words_put(resident_sums(of, which, lane, buffer) + tile, word);
}

/* A warp that takes sums takes EACH groups of tiles at most, `poller` and poller + pollers, side by
 * side. Whether they have come. */
template <int EACH>
__device__ static inline bool resident_take(const struct resident_launch &of,
                                            enum resident_sum which, int buffer, int poller,
                                            double *sums)
{
    int lane = threadIdx.x % SUM_LANES;
    const cuda_word *from =
        resident_sums(of, which, (int)(blockIdx.x % (unsigned int)of.words.copies), buffer) + lane;
    cuda_word words[EACH][RESIDENT_STEPS];
    unsigned int looks = 0;
    bool lost = false;
#pragma unroll
    for (int e = 0; e < EACH; e++)
#pragma unroll
        for (int u = 0; u < RESIDENT_STEPS; u++) {
            int slot = (poller + e * of.pollers) * SUM_TILE + u * SUM_LANES;
            words[e][u] = slot + lane < of.tiles ? words_look(from + slot) : 0;
        }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int slot = (poller + e * of.pollers) * SUM_TILE;
        while (!lost && words_any_empty(words[e])) {
#pragma unroll
            for (int u = 0; u < RESIDENT_STEPS; u++)
                words_look_again(words[e][u], from + slot + u * SUM_LANES);
            lost = resident_gives_up(of, looks);
        }
        __syncwarp();
        double sum = 0;
#pragma unroll
        for (int u = 0; u < RESIDENT_STEPS; u++)
            sum = sum + words_value(words[e][u]);
        sum = resident_tree(sum);
        if (lane == 0 && slot < of.tiles)
            sums[slot / SUM_TILE] = sum;
    }
    return !lost;
}

/* The sum of `groups` sums, in the order of include/cgsolve/order.h. Absent ones are 0 there, and
 * add nothing to a sum that is not -0. */
template <int MOST> __device__ static inline double resident_top(const double *sums, int groups)
{
    if constexpr (MOST > 1)
        if (groups <= MOST / 2)
            return resident_top<MOST / 2>(sums, groups);
    double lane[MOST];
#pragma unroll
    for (int g = 0; g < MOST; g++)
        lane[g] = 0.0 + sums[g];
#pragma unroll
    for (int half = MOST / 2; half >= 1; half /= 2)
#pragma unroll
        for (int g = 0; g < half; g++)
            lane[g] = lane[g] + lane[g + half];
    return lane[0];
}

/* The sum `which` of a block that has taken it. */
__device__ static inline double resident_sum(const struct resident_launch &of,
                                             const struct resident_shared *shared,
                                             enum resident_sum which)
{
    return resident_top<RESIDENT_GROUPS>(shared->sums[which], of.groups);
}

#endif
#endif

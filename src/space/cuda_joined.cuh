/* Sums over ranks that have a GPU each (space/ranks.h). A launch puts the sums of its tiles into
 * the slots of its device (space/cuda_sum.cuh). The next launch, of one block, takes them out, and
 * writes into slots of all ranks, in memory that their devices reach (space/cuda_window.h):
 *
 *     the sum of a group of SUM_TILE tiles, where all of them are this rank's;
 *     the sums of the tiles, where several ranks have some of a group.
 *
 * Then it waits for those of all ranks, and ends the sum, in the order of cgsolve/sum_order.h: so
 * all ranks have the bits of one.
 *
 * The slots of one sum are used again by the next but one. A rank sends to that when it has ended
 * the one between, for which all have sent, so when all have taken the one before. That holds
 * because every rank has a tile at least. */
#ifndef SPACE_CUDA_JOINED_CUH
#define SPACE_CUDA_JOINED_CUH

#include "space/cuda_sum.cuh"

constexpr int CUDA_JOINED_THREADS = 512;

/* Also seen by other devices. */
__device__ static inline void cuda_slot_write_away(double *slot, double value)
{
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(slot), "l"(cuda_slot_word(value))
                 : "memory");
}

/* Waits for what comes from another device; the slot is empty then. */
__device__ static inline double cuda_slot_take_away(double *slot)
{
    unsigned long long word;
    do
        asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(word) : "l"(slot) : "memory");
    while (word == CUDA_SUM_EMPTY);
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(slot), "l"(CUDA_SUM_EMPTY) : "memory");
    return __longlong_as_double((long long)word);
}

/* One sum of a launch, for all threads of a block. */
template <typename Sum> struct cuda_joined_sum {
    enum { WORDS = Sum::WORDS };
    const struct cuda_joined &joined;
    double *own;    /* the slots of this rank's tiles */
    int64_t begins; /* where this sum begins in the slots of a rank */

    /* Term t there: groups by their numbers, and behind them the tiles of the shared ones. */
    __device__ double *slot(int rank, int64_t t) const
    {
        return joined.slots[rank] + begins + t * WORDS;
    }

    __device__ bool shares(int64_t group) const
    {
        bool shared = false;
        for (int s = 0; s < joined.shared_count; s++)
            shared = shared || joined.shared[s] == group;
        return shared;
    }

    __device__ Sum take(int64_t t) const
    {
        double words[WORDS];
#pragma unroll
        for (int w = 0; w < WORDS; w++)
            words[w] = cuda_slot_take_away(slot(joined.rank, t) + w);
        return Sum::of_words(words);
    }

    /* The groups that are all this rank's, a warp each. */
    __device__ void send_groups() const
    {
        int warp = threadIdx.x / CUDA_WARP, warps = blockDim.x / CUDA_WARP;
        for (int64_t g = joined.first_group + warp; g < joined.last_group; g += warps) {
            int64_t begin = g * SUM_TILE;
            int64_t count = min((int64_t)SUM_TILE, joined.tiles - begin);
            double words[WORDS];
            cuda_sum_take_group<Sum>(own + (begin - joined.first) * WORDS, count, 0)
                .from_lane(0)
                .to_words(words);
            for (int r = threadIdx.x % CUDA_WARP; r < joined.ranks; r += CUDA_WARP)
#pragma unroll
                for (int w = 0; w < WORDS; w++)
                    cuda_slot_write_away(slot(r, g) + w, words[w]);
        }
    }

    /* This rank's tiles of a shared group. */
    __device__ void send_tiles(int s) const
    {
        int64_t begin = joined.shared[s] * SUM_TILE, first = max(begin, joined.first);
        int64_t last = min(begin + SUM_TILE, joined.first + joined.own);
        for (int64_t k = first * WORDS + threadIdx.x; k < last * WORDS; k += blockDim.x) {
            double *from = own + k - joined.first * WORDS;
            double word = __longlong_as_double((long long)cuda_slot_look(from));
            cuda_slot_write(from, CUDA_SUM_EMPTY);
            for (int r = 0; r < joined.ranks; r++)
                cuda_slot_write_away(slot(r, joined.groups + s * SUM_TILE) + k - begin * WORDS,
                                     word);
        }
    }

    /* A shared group, by a warp; lane 0 has its sum. */
    __device__ Sum take_tiles(int s) const
    {
        int64_t left = joined.tiles - joined.shared[s] * SUM_TILE;
        Sum lane = Sum::zero();
        for (int k = threadIdx.x % CUDA_WARP; k < SUM_TILE && k < left; k += SUM_LANES)
            lane.add(take(joined.groups + s * SUM_TILE + k));
        __syncwarp();
        return cuda_lanes_tree(lane);
    }

    /* As cuda_sum_take_all, of what all ranks send. */
    __device__ Sum take_all(double *shared) const
    {
        int warp = threadIdx.x / CUDA_WARP, lane = threadIdx.x % CUDA_WARP;
        Sum top = Sum::zero();
        for (int64_t first = 0, lane_of = 0; first < joined.groups; first += SUM_TILE, lane_of++) {
            int count = (int)min((int64_t)SUM_TILE, joined.groups - first);
            for (int g = threadIdx.x; g < count; g += blockDim.x)
                if (!shares(first + g))
                    take(first + g).to_words(shared + g * WORDS);
            for (int s = warp; s < joined.shared_count; s += blockDim.x / CUDA_WARP) {
                int64_t g = joined.shared[s] - first;
                if (g < 0 || g >= count)
                    continue;
                Sum group = take_tiles(s);
                if (lane == 0)
                    group.to_words(shared + g * WORDS);
            }
            __syncthreads();
            if (warp == 0) {
                Sum part = Sum::zero();
                for (int g = lane; g < count; g += SUM_LANES)
                    part.add(Sum::of_words(shared + g * WORDS));
                part = cuda_lanes_tree(part).from_lane(0);
                if (lane == lane_of % SUM_LANES)
                    top.add(part);
            }
            __syncthreads();
        }
        return cuda_lanes_tree(top);
    }
};

/* By all threads of a block, with shared memory for SUM_TILE terms of two words: sum `number` of
 * the launch before; the first thread has it. */
template <typename Sum>
__device__ static Sum cuda_joined_take(const struct cuda_sum &sum, int number, double *shared)
{
    const struct cuda_joined &joined = *sum.joined;
    double *slots = sum.slots + 2 * number * sum.tiles;
    int64_t turn = (int64_t)(joined.turns[number] % 2);
    cuda_joined_sum<Sum> of = {joined, slots + sum.before * Sum::WORDS,
                               (turn * CUDA_JOINED_SUMS + number) * cuda_joined_doubles(&joined)};
    for (int64_t k = threadIdx.x; k < sum.tiles * Sum::WORDS; k += blockDim.x)
        if (k < sum.before * Sum::WORDS || k >= (sum.before + joined.own) * Sum::WORDS)
            cuda_slot_write(slots + k, CUDA_SUM_EMPTY); /* of rows that another rank sums */
    for (int s = 0; s < joined.shared_count; s++)
        of.send_tiles(s);
    of.send_groups();
    Sum total = of.take_all(shared);
    if (threadIdx.x == 0)
        joined.turns[number]++; /* all threads have read it */
    return total;
}

#endif

/* Sums over ranks that have a GPU each (space/ranks/ranks.h). A launch puts the sums of its tiles
 * into the slots of its device (space/sum/cuda_sum.cuh). The next launch takes them, and writes
 * into slots of all ranks, in peer memory (space/ranks/peer_memory.h):
 *
 *     the sum of a group of SUM_TILE tiles, if all are this rank's; the sums of the tiles, if
 *     several ranks share a group.
 *
 * Its first block waits for the slots of all ranks, and ends the sum, in the order of
 * space/sum/sum_order.h: so all ranks have the bits of one rank.
 *
 * Without peer memory, the slots are the rank's own, NCCL gathers them after that launch
 * (space/ranks/nccl.h), and another launch ends the sum.
 *
 * Sums alternate between two sets of slots: sum s + 2 reuses those of sum s. A rank sends for s + 2
 * after it has ended s + 1, for which all ranks have sent, and so all have taken s. This needs at
 * least one tile in every rank. */
#ifndef SPACE_RANKS_CUDA_ALLREDUCE_CUH
#define SPACE_RANKS_CUDA_ALLREDUCE_CUH

#include "space/ranks/cuda_allreduce.h"
#include "space/ranks/nccl.h"
#include "space/sum/cuda_sum.cuh"

constexpr int CUDA_ALLREDUCE_THREADS = 512, CUDA_ALLREDUCE_BLOCKS = 32; /* that send, at the most */

/* Blocks of a launch that joins sums: one more than the sending blocks. */
static inline unsigned int cuda_allreduce_blocks(const struct cuda_allreduce *of)
{
    int64_t warps = CUDA_ALLREDUCE_THREADS / CUDA_WARP, groups = of->last_group - of->first_group;
    int64_t blocks = groups > 0 ? (groups + warps - 1) / warps : 0;
    return (unsigned int)(1 + (blocks < CUDA_ALLREDUCE_BLOCKS ? blocks : CUDA_ALLREDUCE_BLOCKS));
}

/* The part of a launch. */
enum cuda_allreduce_part { JOINED_ALL, JOINED_SENDS, JOINED_TAKES };

/* launch(joined, part, blocks), once or twice, for `doubles` doubles of a rank from slot `begins`
 * on. */
template <typename Launch>
static enum status cuda_allreduce_launch(struct space_cuda *space, const struct cuda_allreduce *of,
                                         int64_t begins, int64_t doubles, const char *what,
                                         Launch launch, struct error *error)
{
    struct cuda_allreduce joined = *of;
    if (!joined.gathered) {
        launch(joined, JOINED_ALL, cuda_allreduce_blocks(of));
        return cuda_check_launch(what, error);
    }
    joined.stride = doubles;
    launch(joined, JOINED_SENDS, cuda_allreduce_blocks(of));
    enum status status = cuda_check_launch(what, error);
    if (!status)
        status = nccl_link_gather(space, space->link, joined.slots[joined.rank] + begins, doubles,
                                  space->joining->gathered, error);
    if (status)
        return status;
    launch(joined, JOINED_TAKES, 1u);
    return cuda_check_launch(what, error);
}

/* In shared memory. */
struct cuda_allreduce_terms {
    double groups[2 * SUM_TILE], tiles[2 * SUM_TILE]; /* of two words at the most */
};

/* Also seen by other devices. */
__device__ static inline void cuda_slot_write_away(double *slot, double value)
{
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(slot), "l"(cuda_slot_word(value))
                 : "memory");
}

/* Waits for words of another device, and empties their slots. */
template <int WORDS>
__device__ static inline void cuda_slots_take_away(double *slots, double *words)
{
    unsigned long long seen[WORDS];
    bool waiting;
    do {
        waiting = false;
#pragma unroll
        for (int w = 0; w < WORDS; w++)
            asm volatile("ld.relaxed.sys.global.u64 %0, [%1];"
                         : "=l"(seen[w])
                         : "l"(slots + w)
                         : "memory");
#pragma unroll
        for (int w = 0; w < WORDS; w++)
            waiting = waiting || seen[w] == CUDA_SUM_EMPTY;
    } while (waiting);
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
        asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(slots + w), "l"(CUDA_SUM_EMPTY)
                     : "memory");
        words[w] = __longlong_as_double((long long)seen[w]);
    }
}

/* One sum of a launch, for all threads of a block. */
template <typename Sum> struct cuda_allreduce_sum {
    enum { WORDS = Sum::WORDS };
    const struct cuda_allreduce &joined;
    double *own;    /* the slots of this rank's tiles */
    int64_t begins; /* the first slot of this sum in the slots of a rank */

    /* The slot of term t: groups by their numbers, then the tiles of shared groups. */
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

    /* Waits for term t; in gathered slots, one rank has it. */
    __device__ void take(int64_t t, double *words) const
    {
        if (!joined.gathered) {
            cuda_slots_take_away<WORDS>(slot(joined.rank, t), words);
            return;
        }
        for (int r = 0; r < joined.ranks; r++) {
            const double *at = joined.gathered + r * joined.stride + begins + t * WORDS;
            if ((unsigned long long)__double_as_longlong(at[0]) == CUDA_SUM_EMPTY)
                continue;
#pragma unroll
            for (int w = 0; w < WORDS; w++)
                words[w] = at[w];
        }
    }

    /* Empties this rank's slots after the gather. */
    __device__ void clear() const
    {
        for (int64_t k = threadIdx.x; k < cuda_allreduce_doubles(&joined); k += blockDim.x)
            cuda_slot_write(joined.slots[joined.rank] + begins + k, CUDA_SUM_EMPTY);
    }

    /* The groups owned by this rank, one warp each, by all blocks but the first. */
    __device__ void send_groups() const
    {
        int warps = blockDim.x / CUDA_WARP, lane = threadIdx.x % CUDA_WARP;
        int64_t step = (int64_t)warps * (gridDim.x - 1);
        int64_t warp = (int64_t)warps * (blockIdx.x - 1) + threadIdx.x / CUDA_WARP;
        for (int64_t g = joined.first_group + warp; g < joined.last_group; g += step) {
            int64_t begin = g * SUM_TILE;
            int64_t count = min((int64_t)SUM_TILE, joined.tiles - begin);
            double words[WORDS];
            cuda_sum_take_group<Sum>(own + (begin - joined.first) * WORDS, count, 0)
                .from_lane(0)
                .to_words(words);
            for (int r = lane; r < joined.ranks; r += CUDA_WARP)
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

    /* The sum of `count` terms in their order, by a warp; lane 0 has it. */
    __device__ static Sum add(const double *terms, int count)
    {
        Sum part = Sum::zero();
        for (int k = threadIdx.x % CUDA_WARP; k < count; k += SUM_LANES)
            part.add(Sum::of_words(terms + k * WORDS));
        return cuda_lanes_tree(part);
    }

    /* Shared group s, of which term `to` is the sum. */
    __device__ void take_tiles(int s, double *to, double *tiles) const
    {
        int64_t left = joined.tiles - joined.shared[s] * SUM_TILE;
        int count = (int)min((int64_t)SUM_TILE, left);
        for (int k = threadIdx.x; k < count; k += blockDim.x)
            take(joined.groups + s * SUM_TILE + k, tiles + k * WORDS);
        __syncthreads();
        if (threadIdx.x < CUDA_WARP) {
            Sum group = add(tiles, count);
            if (threadIdx.x == 0)
                group.to_words(to);
        }
        __syncthreads();
    }

    /* cuda_sum_take_all for the terms of all ranks. */
    __device__ Sum take_all(struct cuda_allreduce_terms &terms) const
    {
        Sum top = Sum::zero();
        for (int64_t first = 0, lane_of = 0; first < joined.groups; first += SUM_TILE, lane_of++) {
            int count = (int)min((int64_t)SUM_TILE, joined.groups - first);
            for (int g = threadIdx.x; g < count; g += blockDim.x)
                if (!shares(first + g))
                    take(first + g, terms.groups + g * WORDS);
            for (int s = 0; s < joined.shared_count; s++) {
                int64_t g = joined.shared[s] - first;
                if (g >= 0 && g < count)
                    take_tiles(s, terms.groups + g * WORDS, terms.tiles);
            }
            __syncthreads();
            if (threadIdx.x < CUDA_WARP) {
                Sum part = add(terms.groups, count).from_lane(0);
                if (threadIdx.x == lane_of % SUM_LANES)
                    top.add(part);
            }
            __syncthreads();
        }
        return cuda_lanes_tree(top);
    }
};

template <typename Sum>
__device__ static cuda_allreduce_sum<Sum>
cuda_allreduce_of(const struct cuda_sum &sum, const struct cuda_allreduce &joined, int number)
{
    int64_t turn = joined.gathered ? 0 : (int64_t)(joined.turns[number] % 2);
    return {joined, sum.slots + 2 * number * sum.tiles + sum.before * Sum::WORDS,
            (turn * CUDA_ALLREDUCE_SUMS + number) * cuda_allreduce_doubles(&joined)};
}

/* By all threads of all blocks: sends this rank's part of sum `number` of the previous launch to
 * all ranks. */
template <typename Sum>
__device__ static void cuda_allreduce_send(const struct cuda_sum &sum,
                                           const struct cuda_allreduce &joined, int number)
{
    cuda_allreduce_sum<Sum> of = cuda_allreduce_of<Sum>(sum, joined, number);
    if (blockIdx.x > 0) {
        of.send_groups();
        return;
    }
    for (int s = 0; s < joined.shared_count; s++)
        of.send_tiles(s);
    double *all = sum.slots + 2 * number * sum.tiles; /* also of rows that another rank sums */
    for (int64_t k = threadIdx.x; k < sum.before * Sum::WORDS; k += blockDim.x)
        cuda_slot_write(all + k, CUDA_SUM_EMPTY);
    for (int64_t k = (sum.before + joined.own) * Sum::WORDS + threadIdx.x;
         k < sum.tiles * Sum::WORDS; k += blockDim.x)
        cuda_slot_write(all + k, CUDA_SUM_EMPTY);
}

/* After that, by all threads of the first block; the first thread has the sum. */
template <typename Sum>
__device__ static Sum cuda_allreduce_take(const struct cuda_sum &sum,
                                          const struct cuda_allreduce &joined, int number,
                                          struct cuda_allreduce_terms &terms)
{
    cuda_allreduce_sum<Sum> of = cuda_allreduce_of<Sum>(sum, joined, number);
    Sum total = of.take_all(terms);
    if (joined.gathered)
        of.clear();
    else if (threadIdx.x == 0)
        joined.turns[number]++; /* all senders have read it, or their terms would not have
                                   arrived */
    return total;
}

#endif

/* Exact sums of a pass on a GPU: a part of cuda_pass.cuh. A warp takes a tile of
 * space/sum/sum_order.h at a time, the factors of its products in registers, and each lane puts its
 * 15 products into a window of doubles whose unit suits the tile's largest. The levels take
 * integers, which stay in registers over tiles as long as the unit is the same; then the warp adds
 * them to the block's limbs in shared memory, and at its end the block adds its limbs to the global
 * limbs. The last block rounds. A tile whose products do not fit the window is read again, into a
 * window of twice as many levels; if they do not fit that either, each product is added to the
 * limbs.
 *
 * All joined sums are integers, so the bits are those of the CPU's sum, for any number and order of
 * blocks, and any ranks. Over several ranks the last block leaves the limbs in place, and another
 * launch sends them to all ranks, adds the limbs of all, and rounds.
 *
 * Cost: a product takes 23 operations in double precision and about 20 on integers, besides some
 * 200 a tile and lane for the unit, and for the 16 bytes that it moves there is time for about 55
 * of either on an H200 (64 of each a clock in a multiprocessor). So memory should bound a sum whose
 * tiles fit the window; if all need the larger window it takes about twice as long. Products added
 * one by one take 5 contended atomics each: a hundred times slower. */
#ifndef SPACE_CUDA_CUDA_PASS_EXACT_CUH
#define SPACE_CUDA_CUDA_PASS_EXACT_CUH

#include "space/sum/cuda_exact.cuh"

static_assert((int)CUDA_ALL_STEPS <= (int)EXACT_WINDOW_TERMS, "a level has room");
static_assert((int)EXACT_MOST_LEVELS <= (int)SUM_LANES, "one level a lane");
static_assert((int)EXACT_LIMBS <= (int)CUDA_THREADS, "one limb a thread");

/* Shared by the blocks; all zero between two sums. */
struct cuda_exact_total {
    int64_t limbs[EXACT_LIMBS]; /* a window from EXACT_LOWEST */
    unsigned int special;
    unsigned int arrived;
};

struct cuda_exact_block {
    int64_t limbs[EXACT_LIMBS];
    unsigned int special;
    bool last;      /* this block is the last one */
    int first, end; /* when it is: the limbs that are not zero are in first ... end - 1 */
};

/* The integers of a warp's tiles of one unit. */
struct cuda_exact_warp {
    int unit, tiles;
    int64_t taken[EXACT_LEVELS];
};

enum { CUDA_EXACT_HELD = 64 }; /* tiles: 2^6 of them, 2^5 lanes, below 2^51 each: below 2^62 */

__device__ static inline void cuda_exact_flush(struct cuda_exact_warp *warp,
                                               struct cuda_exact_block *block)
{
    if (warp->tiles > 0)
        cuda_exact_add_taken<EXACT_LEVELS>(block->limbs, EXACT_LOWEST, warp->unit, warp->taken);
    warp->tiles = 0;
    for (int k = 0; k < EXACT_LEVELS; k++)
        warp->taken[k] = 0;
}

/* A bound of the largest head of the warp, from the upper halves of the bits without sign, rounded
 * up to the top of 8 binades, so that the unit seldom changes. */
__device__ static inline uint64_t cuda_exact_largest(unsigned int high)
{
    for (int half = SUM_LANES / 2; half >= 1; half /= 2)
        high = max(high, __shfl_xor_sync(~0u, high, half));
    return (uint64_t)(high | 7u << 20) << 32;
}

/* The slow ways, for a tile in memory. */
__device__ static __noinline__ void cuda_exact_wide(const double *x, const double *y, int count,
                                                    uint64_t largest,
                                                    struct cuda_exact_block *block)
{
    int lane = threadIdx.x % SUM_LANES, unit = exact_window_unit(largest, EXACT_MOST_LEVELS);
    if (unit != EXACT_NO_UNIT) {
        cuda_exact_levels<EXACT_MOST_LEVELS> levels(unit);
        int64_t taken[EXACT_MOST_LEVELS] = {0};
        for (int k = lane; k < count; k += SUM_LANES)
            levels.take_product(x[k], y[k]);
        if (!__any_sync(~0u, levels.left != 0)) {
            levels.add_to(taken);
            cuda_exact_add_taken<EXACT_MOST_LEVELS>(block->limbs, EXACT_LOWEST, unit, taken);
            return;
        }
    }
    unsigned int special = 0;
    for (int k = lane; k < count; k += SUM_LANES) {
        struct exact_term term;
        unsigned int what = exact_multiply(x[k], y[k], &term);
        special |= what;
        if (!what)
            cuda_exact_add(block->limbs, EXACT_LOWEST, term);
    }
    if (special)
        atomicOr(&block->special, special);
}

/* Makes a tile; x and y are the factors of a lane's products for the first sum, 0 past the end. */
template <typename Pass>
__device__ static void cuda_exact_make(const typename Pass::work &work, int64_t begin, int count,
                                       double x[CUDA_ALL_STEPS], double y[CUDA_ALL_STEPS])
{
    int lane = threadIdx.x % SUM_LANES;
    typename Pass::scalars scalars;
    Pass::read(work, scalars);
    bool moves = Pass::prepare(scalars);
#pragma unroll
    for (int first = 0; first < CUDA_ALL_STEPS; first += Pass::AT_ONCE) {
        typename Pass::element at[Pass::AT_ONCE];
#pragma unroll
        for (int u = 0; u < Pass::AT_ONCE && first + u < CUDA_ALL_STEPS; u++) {
            int k = lane + (first + u) * SUM_LANES;
            at[u] = {};
            if (k < count)
                Pass::load(work, begin + k, at[u]);
        }
#pragma unroll
        for (int u = 0; u < Pass::AT_ONCE && first + u < CUDA_ALL_STEPS; u++) {
            int k = lane + (first + u) * SUM_LANES;
            if (moves && k < count)
                Pass::make(work, scalars, begin + k, at[u]);
            Pass::term(at[u], 0, x[first + u], y[first + u]);
        }
    }
}

/* The same with its first sum, of the vectors `of`. */
template <typename Pass>
__device__ static void cuda_exact_tile(const typename Pass::work &work, const struct pass_sum &of,
                                       int64_t n, int64_t tile, struct cuda_exact_warp *warp,
                                       struct cuda_exact_block *block)
{
    int64_t begin = tile * SUM_TILE;
    int count = (int)min((int64_t)SUM_TILE, n - begin);
    double x[CUDA_ALL_STEPS], y[CUDA_ALL_STEPS];
    cuda_exact_make<Pass>(work, begin, count, x, y);
    unsigned int high = 0;
#pragma unroll
    for (int s = 0; s < CUDA_ALL_STEPS; s++)
        high = max(high, (unsigned int)__double2hiint(x[s] * y[s]) & 0x7fffffffu);
    uint64_t largest = cuda_exact_largest(high);
    int unit = exact_window_unit(largest, EXACT_LEVELS);
    if (unit != EXACT_NO_UNIT) {
        cuda_exact_levels<EXACT_LEVELS> levels(unit);
#pragma unroll
        for (int s = 0; s < CUDA_ALL_STEPS; s++)
            levels.take_product(x[s], y[s]);
        if (!__any_sync(~0u, levels.left != 0)) {
            if (unit != warp->unit || warp->tiles == CUDA_EXACT_HELD)
                cuda_exact_flush(warp, block);
            warp->unit = unit;
            warp->tiles++;
            levels.add_to(warp->taken);
            return;
        }
    }
    cuda_exact_wide(of.x + begin, of.y + begin, count, largest, block);
}

/* Adds the block's limbs to the global limbs, with carries moved up by one limb: below 2^33 each,
 * so that a block counts for two additions. True in the last block. */
__device__ static inline bool cuda_exact_hand_in(struct cuda_exact_block *block,
                                                 struct cuda_exact_total *total)
{
    int j = threadIdx.x;
    __syncthreads();
    if (j < EXACT_LIMBS) {
        int64_t carry = j > 0 ? block->limbs[j - 1] >> EXACT_DIGIT : 0;
        int64_t digit = j < EXACT_LIMBS - 1 ? block->limbs[j] & UINT32_MAX : block->limbs[j];
        if (digit + carry)
            atomicAdd((unsigned long long *)&total->limbs[j], (unsigned long long)(digit + carry));
    }
    if (j == 0 && block->special)
        atomicOr(&total->special, block->special);
    __threadfence();
    __syncthreads();
    if (j == 0)
        block->last = atomicAdd(&total->arrived, 1u) + 1 == gridDim.x;
    __syncthreads();
    return block->last;
}

/* By the last block: *result, and zeros for the next sum. Reads only the limbs between the first
 * and the last nonzero limb. */
__device__ static inline void cuda_exact_round(struct cuda_exact_block *block,
                                               struct cuda_exact_total *total, double *result)
{
    int j = threadIdx.x;
    __threadfence();
    if (j == 0) {
        block->first = EXACT_LIMBS;
        block->end = 0;
    }
    __syncthreads();
    if (j < EXACT_LIMBS) {
        block->limbs[j] = __ldcg((const long long *)&total->limbs[j]);
        total->limbs[j] = 0;
        if (block->limbs[j]) {
            atomicMin(&block->first, j);
            atomicMax(&block->end, j + 1);
        }
    }
    __syncthreads();
    if (j > 0)
        return;
    int first = block->first, count = block->end - first;
    *result = exact_result(block->limbs + first, max(count, 0), EXACT_LOWEST + EXACT_DIGIT * first,
                           __ldcg(&total->special));
    total->special = 0;
    total->arrived = 0;
}

template <typename Pass>
__global__ static void __launch_bounds__(CUDA_THREADS, 2)
    cuda_exact_kernel(typename Pass::work work, struct pass_sum of, int64_t n, const int64_t *ended,
                      struct cuda_exact_total *total, bool of_ranks)
{
    __shared__ struct cuda_exact_block block;
    if (cuda_is_over(ended))
        return;
    if (threadIdx.x < EXACT_LIMBS)
        block.limbs[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        block.special = 0;
    __syncthreads();
    struct cuda_exact_warp warp = {};
    int64_t tiles = sum_tiles(n);
    int64_t first = blockIdx.x * (int64_t)CUDA_TILES_A_BLOCK + threadIdx.x / SUM_LANES;
    for (int64_t tile = first; tile < tiles; tile += gridDim.x * (int64_t)CUDA_TILES_A_BLOCK)
        cuda_exact_tile<Pass>(work, of, n, tile, &warp, &block);
    cuda_exact_flush(&warp, &block);
    if (cuda_exact_hand_in(&block, total) && !of_ranks)
        cuda_exact_round(&block, total, of.result);
}

/* Two blocks a multiprocessor, for they keep sums over many tiles. */
static inline enum status cuda_exact_prepare(struct space_cuda *cuda, struct error *error)
{
    int processors = 0;
    enum status status = STATUS_OK;
    if (cuda->exact_blocks == 0)
        status = cuda_check(
            cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, cuda->device),
            "the device's multiprocessors", error);
    cuda->exact_blocks += 2 * (unsigned int)processors;
    return status ? status
                  : cuda_grow(cuda, &cuda->exact, sizeof(struct cuda_exact_total), 0,
                              "the exact sum", error);
}

/* The first sum is fused with the elements, other sums follow. */
template <typename Pass>
static enum status cuda_exact(struct space *space, const struct pass *pass, int64_t n,
                              const typename Pass::work &work, struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    struct pass_sum of;
    enum status status = cuda_exact_prepare(cuda, error);
    if (status)
        return status;
    unsigned int wanted = cuda_blocks_of(sum_tiles(n), CUDA_TILES_A_BLOCK);
    unsigned int blocks = wanted < cuda->exact_blocks ? wanted : cuda->exact_blocks;
    Pass::sum(&work, 0, &of);
    cuda_exact_kernel<Pass><<<blocks, CUDA_THREADS, 0, cuda->stream>>>(
        work, of, n, pass->always ? nullptr : space->ended,
        (struct cuda_exact_total *)cuda->exact.memory, space->partition);
    status = cuda_check_launch(pass->name, error);
    if (!status && space->partition)
        status = cuda_exact_join(cuda, pass->always ? nullptr : space->ended, of.result, error);
    for (int k = 1; k < Pass::SUMS && !status; k++) {
        Pass::sum(&work, k, &of);
        status = dot_cuda(space, &pass_dot, n, &of, error);
    }
    return status;
}

#endif

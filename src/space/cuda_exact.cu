/* Exact dot products on a GPU. A warp takes a tile of cgsolve/sum_order.h at a time, all its
 * elements on their way to registers at once, and each lane puts its 15 products into a window of
 * doubles whose unit suits the tile's largest one. What the levels took are integers, kept in
 * registers over tiles as long as the unit stays; then the warp adds them to the block's limbs in
 * shared memory, and at its end the block adds those to the limbs of all in global memory. The
 * block that comes last rounds. A tile whose products do not fit the window is read again, into one
 * of twice as many levels, and where they do not fit that one either, each is added to the limbs as
 * it is.
 *
 * Every sum that meets another is an integer: the bits are those of the CPU's sum, whatever the
 * blocks, their number and their order.
 *
 * Cost: a product takes 23 operations in double precision and about 20 on integers, besides some
 * 200 a tile and lane for the unit, and for the 16 bytes that it moves there is time for about 55
 * of either on an H200 (64 of each a clock in a multiprocessor). So a sum should be bound by memory
 * where tiles fit the window, and take about twice as long where all need the larger one. Products
 * added each by itself take 5 atomics that meet others on the same limbs: a hundred times
 * slower. */
#include "space/cuda_exact.cuh"
#include "space/cuda_work.cuh"

enum { THREADS = 256, WARPS = THREADS / SUM_LANES, STEPS = SUM_TILE / SUM_LANES };

static_assert((int)STEPS <= (int)EXACT_WINDOW_TERMS, "a level has room");
static_assert((int)EXACT_MOST_LEVELS <= (int)SUM_LANES, "one level a lane");
static_assert((int)EXACT_LIMBS <= (int)THREADS, "one limb a thread");

/* Where the blocks meet: all zero between two sums. */
struct cuda_exact {
    int64_t limbs[EXACT_LIMBS]; /* a window from EXACT_LOWEST */
    unsigned int special;
    unsigned int arrived;
};

struct block_sum {
    int64_t limbs[EXACT_LIMBS];
    unsigned int special;
    bool last;      /* to come, of the blocks */
    int first, end; /* when it is: the limbs that are not zero are in first ... end - 1 */
};

/* The integers of a warp's tiles of one unit. */
struct warp_sum {
    int unit, tiles;
    int64_t taken[EXACT_LEVELS];
};

enum { TILES_HELD = 64 }; /* 2^6 of them, 2^5 lanes, below 2^51 each: below 2^62 */

__device__ static void flush(struct warp_sum *warp, struct block_sum *block)
{
    if (warp->tiles > 0)
        cuda_exact_add_taken<EXACT_LEVELS>(block->limbs, EXACT_LOWEST, warp->unit, warp->taken);
    warp->tiles = 0;
    for (int k = 0; k < EXACT_LEVELS; k++)
        warp->taken[k] = 0;
}

/* A bound for the largest head of the warp, from the upper halves of their bits without the sign.
 * Rounded up to the top of 8 binades, so that the unit seldom changes. */
__device__ static uint64_t largest_of_warp(unsigned int high)
{
    for (int half = SUM_LANES / 2; half >= 1; half /= 2)
        high = max(high, __shfl_xor_sync(~0u, high, half));
    return (uint64_t)(high | 7u << 20) << 32;
}

/* The slow ways, for a tile that is in memory. */
__device__ static __noinline__ void add_wide(const double *x, const double *y, int count,
                                             uint64_t largest, struct block_sum *block)
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

/* The factors of a lane's products, after the update; 0 past the end. */
template <bool UPDATE>
__device__ static void load(const struct tile_work &work, int64_t begin, int count, double *x,
                            double *y)
{
    int lane = threadIdx.x % SUM_LANES;
    bool steps = UPDATE && cg_may_divide(*work.a.denominator);
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        int k = lane + s * SUM_LANES;
        x[s] = k >= count ? 0 : UPDATE ? (steps ? work.q[begin + k] : 0) : work.x[begin + k];
        y[s] = k >= count ? 0 : work.y[begin + k];
    }
    if (!UPDATE)
        return;
    double a = steps ? *work.a.numerator / *work.a.denominator : 0;
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        int k = lane + s * SUM_LANES;
        if (steps && k < count)
            work.updated[begin + k] = y[s] = fma(-a, x[s], y[s]);
        x[s] = y[s];
    }
}

template <bool UPDATE>
__device__ static void add_tile(const struct tile_work &work, int64_t tile, struct warp_sum *warp,
                                struct block_sum *block)
{
    int64_t begin = tile * SUM_TILE;
    int count = (int)min((int64_t)SUM_TILE, work.n - begin);
    double x[STEPS], y[STEPS];
    load<UPDATE>(work, begin, count, x, y);
    unsigned int high = 0;
#pragma unroll
    for (int s = 0; s < STEPS; s++)
        high = max(high, (unsigned int)__double2hiint(x[s] * y[s]) & 0x7fffffffu);
    uint64_t largest = largest_of_warp(high);
    int unit = exact_window_unit(largest, EXACT_LEVELS);
    if (unit != EXACT_NO_UNIT) {
        cuda_exact_levels<EXACT_LEVELS> levels(unit);
#pragma unroll
        for (int s = 0; s < STEPS; s++)
            levels.take_product(x[s], y[s]);
        if (!__any_sync(~0u, levels.left != 0)) {
            if (unit != warp->unit || warp->tiles == TILES_HELD)
                flush(warp, block);
            warp->unit = unit;
            warp->tiles++;
            levels.add_to(warp->taken);
            return;
        }
    }
    add_wide(work.x + begin, work.y + begin, count, largest, block);
}

/* The block's limbs go to those of all, their carries moved up by one limb: below 2^33 each, so
 * that a block counts for two additions. True in the block that comes last. */
__device__ static bool hand_in(struct block_sum *block, struct cuda_exact *total)
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

/* By the last block: *result, and zeros for the next sum. Only the limbs between the first and the
 * last that are not zero are looked at one by one. */
__device__ static void round_all(struct block_sum *block, struct cuda_exact *total, double *result)
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

template <bool UPDATE>
__global__ static void __launch_bounds__(THREADS, 2)
    exact_kernel(struct tile_work work, int64_t tiles, struct cuda_exact *total, double *result)
{
    __shared__ struct block_sum block;
    if (is_over(work.ended))
        return;
    if (threadIdx.x < EXACT_LIMBS)
        block.limbs[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        block.special = 0;
    __syncthreads();
    struct warp_sum warp = {};
    int64_t first = blockIdx.x * (int64_t)WARPS + threadIdx.x / SUM_LANES;
    for (int64_t tile = first; tile < tiles; tile += gridDim.x * (int64_t)WARPS)
        add_tile<UPDATE>(work, tile, &warp, &block);
    flush(&warp, &block);
    if (hand_in(&block, total))
        round_all(&block, total, result);
}

static enum status prepare(struct space_cuda *cuda, struct error *error)
{
    if (cuda->exact)
        return STATUS_OK;
    int device = 0, processors = 0;
    void *memory = NULL;
    enum status status = cuda_check(cudaGetDevice(&device), "the device", error);
    if (!status)
        status =
            cuda_check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
                       "the device's multiprocessors", error);
    if (!status)
        status = cuda_array(1, sizeof(struct cuda_exact), "the exact sum", &memory, error);
    if (!status)
        status = cuda_check(cudaMemsetAsync(memory, 0, sizeof(struct cuda_exact), cuda->stream),
                            "zeroing", error);
    if (status) {
        cudaFree(memory);
        return status;
    }
    cuda->exact = (struct cuda_exact *)memory;
    cuda->exact_blocks = 2 * (unsigned int)processors;
    return STATUS_OK;
}

enum status cuda_exact_run(struct space_cuda *cuda, const struct tile_work *work, double *result,
                           struct error *error)
{
    enum status status = prepare(cuda, error);
    if (status)
        return status;
    int64_t tiles = sum_tiles(work->n), wanted = (tiles + WARPS - 1) / WARPS;
    unsigned int blocks = wanted < cuda->exact_blocks ? (unsigned int)wanted : cuda->exact_blocks;
    if (work->q)
        exact_kernel<true><<<blocks, THREADS, 0, cuda->stream>>>(*work, tiles, cuda->exact, result);
    else
        exact_kernel<false>
            <<<blocks, THREADS, 0, cuda->stream>>>(*work, tiles, cuda->exact, result);
    return cuda_check_launch("an exact sum", error);
}

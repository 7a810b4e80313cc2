/* Y = A X of cuda_merge for a multivector, with the sums of spmv/baseline/cuda_merge_tile.cuh for
 * each column: column j has the bits of a product with that column alone.
 *
 * A tile's entries and ends go to shared memory once, and 2, 4 or 8 columns are made of them at a
 * time. What one thread does for one vector is then done by a team of 1, 2 or 4, of which each has
 * two columns: it reads the rows of X of its items side by side, 16 bytes a thread, and adds their
 * products where it multiplies them. Only what its first row needs of the threads before it goes
 * through shared memory: the sum of that row, and what is open after the last end.
 *
 * Moves A once, X and Y once while X's reuse stays in the cache, and for each column the slots of
 * rows that tiles cut, 16 bytes a tile. From the second-level cache come 8 bytes an entry and
 * column: so a thread has up to 8 rows of X on their way at once. For .cu
 * files. */
#ifndef SPMV_BASELINE_CUDA_MERGE_COLUMNS_CUH
#define SPMV_BASELINE_CUDA_MERGE_COLUMNS_CUH

#include "spmv/baseline/cuda_merge_tile.cuh"
#include "spmv/operator.h"

/* Offsets of either width. */
struct merge_offsets {
    const void *offsets;
    bool wide;
    __device__ int64_t operator[](int64_t i) const
    {
        return wide ? ((const int64_t *)offsets)[i] : ((const int32_t *)offsets)[i];
    }
    __device__ merge_offsets operator+(int64_t rows) const
    {
        return {wide ? (const void *)((const int64_t *)offsets + rows)
                     : (const void *)((const int32_t *)offsets + rows),
                wide};
    }
};

/* Columns at a time, as many as the shared memory of a block has room for. */
template <int ITEMS> constexpr int merge_columns_max = ITEMS < 16 ? 8 : 4;

template <int ITEMS, int COLUMNS, typename Sum, typename Value> struct merge_columns_shared {
    Value values[CUDA_MERGE_THREADS * ITEMS];
    int32_t columns[CUDA_MERGE_THREADS * ITEMS];
    uint32_t ends[CUDA_MERGE_THREADS * ((ITEMS + 1) / 4)];
    int64_t borders[2], edges[2]; /* as in struct merge_shared */
    int rows[CUDA_MERGE_WARPS];
    int before[CUDA_MERGE_THREADS + 1];     /* rows of the tile that end before a thread's items */
    Sum first[CUDA_MERGE_THREADS][COLUMNS]; /* of a thread's first row; see merge_swizzle */
    Sum open[CUDA_MERGE_THREADS][COLUMNS];  /* after a thread's last end */
    Sum warp_open[2][CUDA_MERGE_WARPS][COLUMNS]; /* after a warp's, in turns */
    Sum head[COLUMNS_AT_ONCE]; /* of the row that the tile has from another, of all columns */
    Sum tail[COLUMNS_AT_ONCE]; /* of the one that goes on after it */
};

/* Where a column of a lane is, so that the lanes of half a warp find one column in different banks,
 * 16 of 8 bytes. */
template <int COLUMNS> __device__ static int merge_swizzle(int lane, int column)
{
    return (column + lane * COLUMNS / 16) % COLUMNS;
}

/* The items of a thread of the tile, by a team: X and Y from its two columns on, in steps of
 * `pairs`, Y from the tile's first row on. */
template <int ITEMS, int COLUMNS, typename Sum, typename Value>
__device__ static void merge_walk(merge_columns_shared<ITEMS, COLUMNS, Sum, Value> &shared,
                                  int thread, int own, int there, int pairs, const double2 *X,
                                  double2 *Y)
{
    enum { WORDS = (ITEMS + 1) / 4, BATCHES = (ITEMS + 7) / 8 };
    constexpr int BATCH = (ITEMS + BATCHES - 1) / BATCHES;
    uint32_t words[WORDS];
#pragma unroll
    for (int w = 0; w < WORDS; w++)
        words[w] = shared.ends[thread * WORDS + w];
    int row = shared.before[thread], place = thread * ITEMS - row;
    int at[2] = {merge_swizzle<COLUMNS>(thread % CUDA_WARP, own),
                 merge_swizzle<COLUMNS>(thread % CUDA_WARP, own + 1)};
    cuda_pair<Sum> sum = {0, 0};
    bool is_first = true;
#pragma unroll
    for (int begin = 0; begin < ITEMS; begin += BATCH) {
        double2 xs[BATCH];
        Value a[BATCH];
#pragma unroll
        for (int u = 0; u < BATCH; u++) {
            if (begin + u < ITEMS && !cuda_merge_is_end(words, begin + u)) {
                xs[u] = X[shared.columns[place] * (int64_t)pairs];
                a[u] = shared.values[place++];
            }
        }
        cuda_loads_first();
#pragma unroll
        for (int u = 0; u < BATCH; u++) {
            if (begin + u >= ITEMS)
                continue;
            if (!cuda_merge_is_end(words, begin + u)) {
                sum.add_product((Sum)a[u], xs[u]);
                continue;
            }
            if (is_first) {
                shared.first[thread][at[0]] = sum.first;
                shared.first[thread][at[1]] = sum.second;
            } else if (row < there) {
                Y[row * (int64_t)pairs] = sum.as_double();
            }
            is_first = false;
            sum = {0, 0};
            row++;
        }
    }
    shared.open[thread][at[0]] = sum.first;
    shared.open[thread][at[1]] = sum.second;
}

/* What the lanes before hold of a thread's first row is added to it, of all columns; *open is what
 * the warp holds. */
template <int COLUMNS, typename Shared, typename Open>
__device__ static void merge_join_lanes(Shared &shared, bool has_end, int begin, Open &open)
{
    int thread = threadIdx.x, lane = thread % CUDA_WARP;
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        int at = merge_swizzle<COLUMNS>(lane, c);
        auto sum = merge_scan(shared.open[thread][at], begin, lane);
        auto before = __shfl_up_sync(~0u, sum, 1);
        if (lane > 0 && has_end)
            shared.first[thread][at] = before + shared.first[thread][at];
        if (lane == CUDA_WARP - 1)
            open[c] = sum;
    }
}

template <int ITEMS, int COLUMNS, typename Sum, typename Value>
__global__ static void __launch_bounds__(CUDA_MERGE_THREADS)
    merge_multiply_columns(merge_product<Value, double, merge_offsets> product, int stride)
{
    enum {
        TILE = CUDA_MERGE_THREADS * ITEMS,
        WORDS = (ITEMS + 1) / 4,
        TEAM = COLUMNS / 2,       /* threads of one */
        TEAMS = CUDA_WARP / TEAM, /* of a warp */
    };
    if (cuda_is_over(product.ended))
        return;
    __shared__ merge_columns_shared<ITEMS, COLUMNS, Sum, Value> shared;
    int thread = threadIdx.x, warp = thread / CUDA_WARP, lane = thread % CUDA_WARP;
    int64_t number = blockIdx.x;
    merge_tile tile = merge_find<ITEMS>(product, shared, number);
    int32_t j[ITEMS];
    Value a[ITEMS];
    merge_load(product, tile, j, a);
    merge_mark<ITEMS>(product, shared, tile);
#pragma unroll
    for (int u = 0; u < ITEMS; u++) {
        if (thread + u * CUDA_MERGE_THREADS < tile.entries) {
            shared.columns[thread + u * CUDA_MERGE_THREADS] = j[u];
            shared.values[thread + u * CUDA_MERGE_THREADS] = a[u];
        }
    }
    __syncthreads();
    uint32_t words[WORDS];
    merge_rank rank = merge_rank_of(shared, words);
    shared.before[thread] = rank.before;
    if (thread == CUDA_MERGE_THREADS - 1)
        shared.before[thread + 1] = tile.rows;
    __syncthreads();
    int begin = merge_begin(__ballot_sync(~0u, rank.count > 0), lane);
    int64_t first_tile = number;
    if (rank.warp_first == 0 && rank.warp_rows > 0)
        first_tile = (shared.edges[0] + tile.row) / TILE;
    bool goes_on = warp == CUDA_MERGE_WARPS - 1 && merge_goes_on<ITEMS>(product, shared, tile);

    int first = warp * CUDA_WARP + lane / TEAM, own = lane % TEAM * 2, pairs = stride / 2;
    for (int column = 0, turn = 0; column < stride; column += COLUMNS, turn = 1 - turn) {
        const double2 *X = (const double2 *)(product.x + column + own);
        double2 *Y = (double2 *)(product.y + tile.row * stride + column + own);
#pragma unroll 1
        for (int t = 0; t < CUDA_WARP; t += TEAMS)
            merge_walk(shared, first + t, own, tile.there, pairs, X, Y);
        __syncwarp();
        merge_join_lanes<COLUMNS>(shared, rank.count > 0, begin, shared.warp_open[turn][warp]);
        __syncthreads();

        /* The first rows of the threads: the warp's first one may have begun in another warp, and
         * the tile's in another tile. */
#pragma unroll 1
        for (int t = first; t < (warp + 1) * CUDA_WARP; t += TEAMS) {
            int row = shared.before[t];
            if (row == shared.before[t + 1])
                continue;
            cuda_pair<Sum> sum = {shared.first[t][merge_swizzle<COLUMNS>(t % CUDA_WARP, own)],
                                  shared.first[t][merge_swizzle<COLUMNS>(t % CUDA_WARP, own + 1)]};
            if (row == rank.warp_first && warp > 0) {
                auto open = shared.warp_open[turn];
                sum = {merge_open_before(shared.rows, warp, [&](int w) { return open[w][own]; }) +
                           sum.first,
                       merge_open_before(shared.rows, warp, [&](int w) {
                           return open[w][own + 1];
                       }) + sum.second};
            }
            if (row == 0 && first_tile < number) {
                shared.head[column + own] = sum.first;
                shared.head[column + own + 1] = sum.second;
            } else if (row < tile.there) {
                Y[row * (int64_t)pairs] = sum.as_double();
            }
        }
        if (goes_on && lane < COLUMNS)
            shared.tail[column + lane] =
                merge_open_before(shared.rows, CUDA_MERGE_WARPS,
                                  [&](int w) { return shared.warp_open[turn][w][lane]; });
    }
    __syncwarp();
    int mine = lane < stride ? lane : 0;
    if (first_tile < number)
        merge_bring<true, Sum>(product.slots, stride, number, first_tile, number,
                               (double)shared.head[mine], product.y + tile.row * stride);
    if (goes_on)
        merge_bring<true, Sum>(product.slots, stride, number,
                               tile.rows > 0 ? number : (shared.edges[0] + tile.row) / TILE,
                               (shared.edges[1] + tile.row + tile.rows) / TILE,
                               (double)shared.tail[mine],
                               product.y + (tile.row + tile.rows) * stride);
}

#endif

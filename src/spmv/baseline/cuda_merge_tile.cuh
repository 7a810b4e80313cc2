/* The launch of cuda_merge.cu: a block of threads takes a tile of the merge path. */
#ifndef SPMV_BASELINE_CUDA_MERGE_TILE_CUH
#define SPMV_BASELINE_CUDA_MERGE_TILE_CUH

#include "space/cuda/cuda.h"
#include "spmv/baseline/cuda_merge.h"
#include "spmv/baseline/cuda_merge_slots.cuh"
#include "spmv/baseline/cuda_shares.cuh"
#include "spmv/baseline/merge_path.h"

/* Offsets: a pointer to them, or what has their type in itself. */
template <typename Value, typename Vector, typename Offsets> struct merge_product {
    int64_t n, nnz;
    double rows_an_item; /* n / (n + nnz), or near it: where a search begins */
    Offsets offsets;
    const int32_t *columns;
    const Value *values;
    const int32_t *borders; /* [tiles + 1]: rows that end before a tile; NULL: search them */
    merge_slots slots;
    const Vector *x;
    Vector *y;
    const int64_t *ended;
};

template <typename Sum, int ITEMS> struct merge_shared {
    Sum items[CUDA_MERGE_THREADS * ITEMS]; /* the products, and after them the sums of the rows */
    alignas(16)
        uint32_t ends[CUDA_MERGE_THREADS * ((ITEMS + 1) / 4)]; /* see spmv/baseline/cuda_merge.h */
    int64_t borders[2];         /* rows that end before the tile, and with it */
    int64_t edges[2];           /* offsets: of its first row, and after the row that goes on */
    int rows[CUDA_MERGE_WARPS]; /* that end in a warp */
    Sum open[CUDA_MERGE_WARPS]; /* what a warp holds after its last end */
};

/* Of the rows that CUDA_MERGE_WAYS ways look at, how many end before the diagonal: the lanes of a
 * warp look at some each, with all loads on their way at once. */
template <typename Offsets, typename Row>
__device__ static int merge_look(Offsets offsets, merge_window window, int64_t diagonal, Row row_of)
{
    enum { LOOKS = CUDA_MERGE_WAYS / CUDA_WARP };
    int64_t row[LOOKS], next[LOOKS];
#pragma unroll
    for (int u = 0; u < LOOKS; u++) {
        row[u] = row_of((int)(threadIdx.x % CUDA_WARP) + u * CUDA_WARP);
        bool inside = row[u] >= window.low && row[u] < window.high;
        next[u] = inside ? (int64_t)offsets[row[u] + 1] : 0;
    }
    int passed = 0;
#pragma unroll
    for (int u = 0; u < LOOKS; u++)
        passed += __popc(__ballot_sync(
            ~0u, row[u] < window.low ||
                     (row[u] < window.high && merge_ends_before(row[u], next[u], diagonal))));
    return passed;
}

/* Rows that end before the diagonal, by a warp. */
template <typename Offsets>
__device__ static int64_t merge_search(Offsets offsets, int64_t n, int64_t nnz, double rows_an_item,
                                       int64_t diagonal)
{
    merge_window window = merge_all(n, nnz, diagonal);
    int64_t guess = (int64_t)((double)diagonal * rows_an_item);
    window = merge_narrow_around(window, guess, CUDA_MERGE_WAYS,
                                 merge_look(offsets, window, diagonal, [&](int way) {
                                     return merge_probe_around(guess, CUDA_MERGE_WAYS, way);
                                 }));
    while (window.low < window.high)
        window = merge_narrow(window, CUDA_MERGE_WAYS,
                              merge_look(offsets, window, diagonal, [&](int way) {
                                  return merge_probe(window, CUDA_MERGE_WAYS, way);
                              }));
    return window.low;
}

/* What the warps before this one, which is not the first, hold of the row that is open where it
 * begins: open(w) of those, of which rows[w] rows end in each. */
template <typename Open>
__device__ static auto merge_open_before(const int *rows, int warp, Open open)
{
    int first = warp - 1;
    while (first > 0 && rows[first] == 0)
        first--;
    auto sum = open(first);
    for (int w = first + 1; w < warp; w++)
        sum = sum + open(w);
    return sum;
}

/* Where the row begins, among the lanes, that is open after a lane: at the last lane up to this
 * one that has an end, or at 0. */
__device__ static inline int merge_begin(unsigned ended, int lane)
{
    unsigned before = ended & (~0u >> (CUDA_WARP - 1 - lane));
    return before ? CUDA_WARP - 1 - __clz((int)before) : 0;
}

/* What a lane and those before it hold of the row that is open after it, from what each holds. */
template <typename Sum> __device__ static Sum merge_scan(Sum sum, int begin, int lane)
{
#pragma unroll
    for (int distance = 1; distance < CUDA_WARP; distance *= 2) {
        Sum other = __shfl_up_sync(~0u, sum, distance);
        if (lane - distance >= begin)
            sum = other + sum;
    }
    return sum;
}

/* ---- a tile ---------------------------------------------------------------------------------- */

struct merge_tile {
    int64_t row, entry; /* its first ones */
    int rows, entries;
    int there; /* of the rows: the others are after the last one */
};

/* Who has which items. All threads; nothing is marked yet when they return. */
template <int ITEMS, typename Product, typename Shared>
__device__ static merge_tile merge_find(const Product &product, Shared &shared, int64_t tile)
{
    enum { TILE = CUDA_MERGE_THREADS * ITEMS, WORDS = (ITEMS + 1) / 4 };
    int thread = threadIdx.x, warp = thread / CUDA_WARP, lane = thread % CUDA_WARP;
    if (warp < 2) {
        int64_t border = product.borders ? product.borders[tile + warp]
                                         : merge_search(product.offsets, product.n, product.nnz,
                                                        product.rows_an_item, (tile + warp) * TILE);
        if (lane == 0)
            shared.borders[warp] = cuda_merge_row(border, product.nnz, (tile + warp) * TILE);
    }
#pragma unroll
    for (int w = 0; w < WORDS; w++)
        shared.ends[w * CUDA_MERGE_THREADS + thread] = 0;
    __syncthreads();
    merge_tile found;
    found.row = shared.borders[0];
    found.entry = tile * TILE - found.row;
    found.rows = (int)(shared.borders[1] - found.row);
    found.entries = TILE - found.rows;
    found.there = (int)min((int64_t)found.rows, product.n - found.row);
    return found;
}

/* All entries of the tile, asked for at once: thread t has t, t + 128, ...; after the last one,
 * that one again. */
template <int ITEMS, typename Product, typename Value>
__device__ static void merge_load(const Product &product, const merge_tile &tile,
                                  int32_t (&j)[ITEMS], Value (&a)[ITEMS])
{
    const int32_t *columns = product.columns + tile.entry;
    const Value *values = product.values + tile.entry;
#pragma unroll
    for (int u = 0; u < ITEMS; u++) {
        int place = min((int)threadIdx.x + u * CUDA_MERGE_THREADS, max(tile.entries - 1, 0));
        j[u] = columns[place];
        a[u] = values[place];
    }
    cuda_loads_first();
}

/* The bytes of the ends, and the edges. */
template <int ITEMS, typename Product, typename Shared>
__device__ static void merge_mark(const Product &product, Shared &shared, const merge_tile &tile)
{
    int thread = threadIdx.x;
    auto offsets = product.offsets + tile.row;
    uint8_t *ends = (uint8_t *)shared.ends;
    for (int r = thread; r < tile.rows; r += CUDA_MERGE_THREADS) {
        int end = r < tile.there ? (int)(offsets[r + 1] - tile.entry) : tile.entries;
        ends[cuda_merge_byte(r + end, ITEMS)] = 1;
    }
    if (thread < 2)
        shared.edges[thread] =
            (int64_t)offsets[thread == 0 ? 0 : tile.there + (tile.row + tile.there < product.n)];
}

/* A thread's ends: how many, how many in the tile before them, and those of its warp. */
struct merge_rank {
    int count, before, warp_first, warp_rows;
};

template <int WORDS, typename Shared>
__device__ static merge_rank merge_rank_of(Shared &shared, uint32_t (&words)[WORDS])
{
    int thread = threadIdx.x, warp = thread / CUDA_WARP, lane = thread % CUDA_WARP;
#pragma unroll
    for (int w = 0; w < WORDS; w++)
        words[w] = shared.ends[thread * WORDS + w];
    merge_rank rank;
    rank.count = cuda_merge_count(words, 4 * WORDS - 1);
    rank.before = rank.count;
#pragma unroll
    for (int distance = 1; distance < CUDA_WARP; distance *= 2) {
        int other = __shfl_up_sync(~0u, rank.before, distance);
        rank.before += lane >= distance ? other : 0;
    }
    if (lane == CUDA_WARP - 1)
        shared.rows[warp] = rank.before;
    rank.before -= rank.count;
    __syncthreads();
    rank.warp_first = 0;
#pragma unroll
    for (int w = 0; w < CUDA_MERGE_WARPS - 1; w++)
        rank.warp_first += w < warp ? shared.rows[w] : 0;
    rank.warp_rows = shared.rows[warp];
    rank.before += rank.warp_first;
    return rank;
}

/* Whether a row goes on after the tile; where the last item is an end, it has not begun. */
template <int ITEMS, typename Product, typename Shared>
__device__ static bool merge_goes_on(const Product &product, const Shared &shared,
                                     const merge_tile &tile)
{
    const uint8_t *ends = (const uint8_t *)shared.ends;
    return tile.row + tile.rows < product.n &&
           ends[cuda_merge_byte(CUDA_MERGE_THREADS * ITEMS - 1, ITEMS)] == 0;
}

template <int ITEMS, typename Sum, typename Value, typename Vector, typename Offsets>
__global__ static void __launch_bounds__(CUDA_MERGE_THREADS)
    merge_multiply(merge_product<Value, Vector, Offsets> product)
{
    enum { TILE = CUDA_MERGE_THREADS * ITEMS, WORDS = (ITEMS + 1) / 4 };
    if (cuda_is_over(product.ended))
        return;
    __shared__ merge_shared<Sum, ITEMS> shared;
    int thread = threadIdx.x, warp = thread / CUDA_WARP, lane = thread % CUDA_WARP;
    int64_t number = blockIdx.x;
    merge_tile tile = merge_find<ITEMS>(product, shared, number);

    /* Everything that the tile reads; then x; the ends are marked while that comes. */
    int32_t j[ITEMS];
    Value a[ITEMS];
    Vector xs[ITEMS];
    merge_load(product, tile, j, a);
    merge_mark<ITEMS>(product, shared, tile);
#pragma unroll
    for (int u = 0; u < ITEMS; u++)
        xs[u] = product.x[j[u]];
    cuda_loads_first();
    Sum *items = shared.items;
    Sum terms[ITEMS];
#pragma unroll
    for (int u = 0; u < ITEMS; u++) {
        terms[u] = (Sum)a[u] * (Sum)xs[u];
        if (thread + u * CUDA_MERGE_THREADS < tile.entries)
            items[thread + u * CUDA_MERGE_THREADS] = terms[u];
    }
    __syncthreads();
    uint32_t words[WORDS];
    merge_rank rank = merge_rank_of(shared, words);

    /* A thread's own part of the path. */
    const Sum *products = items + (thread * ITEMS - rank.before);
#pragma unroll
    for (int u = 0; u < ITEMS; u++) {
        terms[u] = 0;
        if (!cuda_merge_is_end(words, u))
            terms[u] = *products++;
    }
    Sum sum = 0, *sums = items + (tile.entries + rank.before), *next = sums;
#pragma unroll
    for (int u = 0; u < ITEMS; u++) {
        sum = sum + terms[u];
        if (cuda_merge_is_end(words, u)) {
            *next++ = sum;
            sum = 0;
        }
    }

    /* What the lanes before hold of a lane's first row; each gives what is open after its last
     * end. */
    sum = merge_scan(sum, merge_begin(__ballot_sync(~0u, rank.count > 0), lane), lane);
    Sum open = __shfl_up_sync(~0u, sum, 1);
    if (lane > 0 && rank.count > 0)
        sums[0] = open + sums[0];
    if (lane == CUDA_WARP - 1)
        shared.open[warp] = sum;
    __syncthreads();
    auto open_of = [&](int w) { return shared.open[w]; };

    /* The rows that end in this warp; the tile's first one may have begun in another tile. */
    Sum head = 0;
    int64_t first_tile = number;
    if (rank.warp_first == 0 && rank.warp_rows > 0)
        first_tile = (shared.edges[0] + tile.row) / TILE;
    for (int i = lane; i < rank.warp_rows; i += CUDA_WARP) {
        Sum value = items[tile.entries + rank.warp_first + i];
        if (i == 0 && warp > 0)
            value = merge_open_before(shared.rows, warp, open_of) + value;
        if (i == 0 && first_tile < number)
            head = value;
        else if (rank.warp_first + i < tile.there)
            product.y[tile.row + rank.warp_first + i] = (Vector)value;
    }
    if (first_tile < number)
        merge_bring<false, Sum>(product.slots, 1, number, first_tile, number, (double)head,
                                product.y + tile.row);
    if (warp == CUDA_MERGE_WARPS - 1 && merge_goes_on<ITEMS>(product, shared, tile))
        merge_bring<false, Sum>(product.slots, 1, number,
                                tile.rows > 0 ? number : (shared.edges[0] + tile.row) / TILE,
                                (shared.edges[1] + tile.row + tile.rows) / TILE,
                                (double)merge_open_before(shared.rows, CUDA_MERGE_WARPS, open_of),
                                product.y + tile.row + tile.rows);
}

#endif

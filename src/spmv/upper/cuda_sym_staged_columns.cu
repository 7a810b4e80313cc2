/* Y = A X by staged tiles (cuda_sym_staged.h) and several columns of X: the same chains, for each
 * column.
 *
 * Only values are copied into shared memory. A row of X has whole sectors from 4 columns on, so it
 * is gathered by itself, through the first-level cache, which has what is left of that memory: of
 * 8 columns it is 64 bytes, and those that a tile gathers would take the place of two other tiles.
 * Shared memory holds a table of sector numbers instead, the tile's own sectors first. A word gives
 * the place that x_j would have there for one vector; the table turns its sector into that of X.
 *
 * From memory come the matrix, X and Y once. X passes the L2 cache once for each entry of the full
 * matrix that finds its row no longer in the first-level cache: most likely that is the bound. */
#include "spmv/upper/cuda_sym_staged.h"

#include "spmv/upper/cuda_sym_columns.cuh"
#include "spmv/upper/sym_staging_tile.h"

#include <cuda_pipeline.h>

enum {
    SECTORS_AT_ONCE = 4, /* that a thread asks for together */
    ENTRIES_AT_ONCE = 4  /* whose X is on its way together */
};

/* By all threads: the numbers of the sectors of x into the table, and the values behind it. */
template <int THREADS>
__device__ inline void stage_values(const struct cuda_staged &A, const struct staged_tile &t,
                                    uint32_t tile, double *shared)
{
    enum { OWN = SUM_TILE / STAGED_SECTOR, PAIR = 2, PAIRS = STAGED_SECTOR / PAIR };
    uint32_t *table = (uint32_t *)shared;
    double *to = shared + staging_table_bytes(&t) / STAGED_WORD;
    const uint32_t *sectors = A.lists + t.lists + t.slice[STAGED_SLICES] + SUM_TILE;
    for (uint32_t k = threadIdx.x; k < OWN + t.x_sectors; k += THREADS)
        table[k] = k < OWN ? tile * OWN + k : sectors[k - OWN];
    sectors += t.x_sectors;
    uint32_t pairs = PAIRS * (t.sectors - t.x_sectors);
    for (uint32_t m = threadIdx.x; m < pairs; m += SECTORS_AT_ONCE * THREADS) {
        uint32_t sector[SECTORS_AT_ONCE];
#pragma unroll
        for (uint32_t u = 0; u < SECTORS_AT_ONCE; u++)
            if (m + u * THREADS < pairs)
                sector[u] = __ldcs(sectors + (m + u * THREADS) / PAIRS);
#pragma unroll
        for (uint32_t u = 0; u < SECTORS_AT_ONCE; u++) {
            uint32_t pair = m + u * THREADS;
            if (pair < pairs)
                __pipeline_memcpy_async(to + PAIR * pair,
                                        A.values + (int64_t)sector[u] * STAGED_SECTOR +
                                            pair % PAIRS * PAIR,
                                        PAIR * sizeof *to);
        }
    }
    to += PAIR * pairs;
#pragma unroll 4
    for (uint32_t m = PAIR * threadIdx.x; m < t.own; m += PAIR * THREADS)
        __pipeline_memcpy_async(to + m, A.values + t.values + m, PAIR * sizeof *to);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
}

/* A block makes a tile, 2^X.shift times some of its rows. */
template <int COLUMNS, int THREADS, int BLOCKS, typename Value, typename Sum>
__global__ static void __launch_bounds__(THREADS, BLOCKS)
    staged_columns(const __grid_constant__ struct cuda_staged A,
                   const __grid_constant__ tiles_columns<COLUMNS, Sum> X, double *Y,
                   const int64_t *ended)
{
    extern __shared__ __align__(16) double shared[];
    int64_t over = ended ? *ended : 0;
    const struct staged_tile &t = A.tile[blockIdx.x];
    if (over)
        return;
    stage_values<THREADS>(A, t, blockIdx.x, shared);
    const uint32_t *table = (const uint32_t *)shared, *list = A.lists + t.lists;
    /* a word counts from where the x of a single column would begin */
    uint32_t before = SUM_TILE + STAGED_SECTOR * t.x_sectors;
    const double *values = shared + staging_table_bytes(&t) / STAGED_WORD - before;
    uint32_t unread = before * STAGED_WORD << STAGED_VALUE_BIT; /* of the first value */
    const double *x = X.x + X.place(threadIdx.x, 0);
    uint32_t rows = THREADS >> X.shift;
#pragma unroll 1
    for (uint32_t r = threadIdx.x >> X.shift; r < SUM_TILE; r += rows) {
        uint32_t row = list[t.slice[STAGED_SLICES] + r], length = row >> STAGED_ROW_BITS;
        const uint32_t *words = list + t.slice[r / STAGED_SLICE] + r % STAGED_SLICE;
        uint32_t word[ENTRIES_AT_ONCE];
        auto ask = [&](uint32_t k) {
#pragma unroll
            for (uint32_t u = 0; u < ENTRIES_AT_ONCE; u++)
                word[u] = k + u < length ? __ldcs(words + (k + u) * STAGED_SLICE) : unread;
        };
        ask(0);
        columns<COLUMNS, Sum> sum = {};
#pragma unroll 1
        for (uint32_t k = 0; k < length; k += ENTRIES_AT_ONCE) {
            columns<COLUMNS, Sum> e[ENTRIES_AT_ONCE];
            Sum a[ENTRIES_AT_ONCE];
#pragma unroll
            for (uint32_t u = 0; u < ENTRIES_AT_ONCE; u++) {
                uint32_t place = word[u] & ((1u << STAGED_X_BITS) - 1);
                int64_t j =
                    (int64_t)table[place / STAGED_SECTOR] * STAGED_SECTOR + place % STAGED_SECTOR;
                e[u] = {};
                if (k + u < length)
                    e[u] = X.load(x + j * (COLUMNS << X.shift));
            }
#pragma unroll
            for (uint32_t u = 0; u < ENTRIES_AT_ONCE; u++) {
                a[u] = tiles_at((const Value *)values, word[u] >> STAGED_VALUE_BIT);
                a[u] = tiles_flip(a[u], (int)(word[u] << (31 - STAGED_SIGN_BIT)) & INT32_MIN);
            }
            ask(k + ENTRIES_AT_ONCE); /* when X is on its way */
#pragma unroll
            for (uint32_t u = 0; u < ENTRIES_AT_ONCE; u++)
                if (k + u < length)
                    sum = fma(a[u], e[u], sum);
        }
        int64_t i = (int64_t)blockIdx.x * SUM_TILE + (row & ((1u << STAGED_ROW_BITS) - 1));
        if (i < A.n)
            X.store(sum, Y + X.place(threadIdx.x, i));
    }
}

/* ---- X in shared memory ---------------------------------------------------------------------- */

/* 16 bytes on their way into shared memory, if wanted. */
__device__ inline void bring_pair(uint32_t shared, const double *from, bool wanted)
{
    asm volatile("{\n\t"
                 ".reg .pred wanted;\n\t"
                 "setp.ne.b32 wanted, %2, 0;\n\t"
                 "@wanted cp.async.cg.shared.global [%0], [%1], 16;\n\t"
                 "}" ::"r"(shared),
                 "l"(from), "r"((int)wanted)
                 : "memory");
}

template <int PAIRS, int ROW_THREADS, int THREADS, int BLOCKS, typename Sum> struct staged_way {
    enum {
        MINE = 2 * PAIRS,           /* columns of a thread */
        GROUP = MINE * ROW_THREADS, /* of a row in shared memory */
        ROW_PAIRS = GROUP / 2,      /* of columns */
        ROWS_AT_ONCE = THREADS / ROW_THREADS,
        AT_ONCE = PAIRS == 1 && BLOCKS < 3 ? 4 : 2, /* entries whose numbers are read together */
        AHEAD = PAIRS == 2 && sizeof(Sum) == 4 ? 2 : 4, /* words that are on their way */
    };
};

template <int THREADS>
__device__ __forceinline__ void bring_values(const struct cuda_staged &A,
                                             const struct staged_tile &t, uint32_t tile,
                                             uint32_t *table, uint32_t to)
{
    enum { OWN = SUM_TILE / STAGED_SECTOR, PAIR = 2, PAIRS = STAGED_SECTOR / PAIR };
    const uint32_t *sectors = A.lists + t.lists + t.slice[STAGED_SLICES] + SUM_TILE;
    uint32_t x_sectors = t.x_sectors, own = t.own;
    const double *values = A.values + t.values;
    for (uint32_t k = threadIdx.x; k < OWN + x_sectors; k += THREADS)
        table[k] = k < OWN ? tile * OWN + k : __ldcs(sectors + (k - OWN));
    sectors += x_sectors;
    uint32_t pairs = PAIRS * (t.sectors - x_sectors), to_own = to + pairs * PAIR * STAGED_WORD;
#pragma unroll 4
    for (uint32_t m = PAIR * threadIdx.x; m < own; m += PAIR * THREADS)
        bring_pair(to_own + m * STAGED_WORD, values + m, true);
#pragma unroll 1
    for (uint32_t m = threadIdx.x; m < pairs; m += SECTORS_AT_ONCE * THREADS) {
        uint32_t sector[SECTORS_AT_ONCE];
#pragma unroll
        for (uint32_t u = 0; u < SECTORS_AT_ONCE; u++)
            if (m + u * THREADS < pairs)
                sector[u] = __ldcs(sectors + (m + u * THREADS) / PAIRS);
#pragma unroll
        for (uint32_t u = 0; u < SECTORS_AT_ONCE; u++) {
            uint32_t pair = m + u * THREADS;
            bring_pair(to + pair * PAIR * STAGED_WORD,
                       A.values + (int64_t)sector[u] * STAGED_SECTOR + pair % PAIRS * PAIR,
                       pair < pairs);
        }
    }
}

template <typename Way, int THREADS>
__device__ __forceinline__ void bring_rows(const double *x, int64_t n, int stride,
                                           const uint32_t *table, uint32_t rows, uint32_t to)
{
    uint32_t pairs = rows * Way::ROW_PAIRS;
#pragma unroll 1
    for (uint32_t m = threadIdx.x; m < pairs; m += SECTORS_AT_ONCE * THREADS) {
        uint32_t sector[SECTORS_AT_ONCE];
#pragma unroll
        for (uint32_t u = 0; u < SECTORS_AT_ONCE; u++)
            if (m + u * THREADS < pairs)
                sector[u] = table[(m + u * THREADS) / (Way::ROW_PAIRS * STAGED_SECTOR)];
#pragma unroll
        for (uint32_t u = 0; u < SECTORS_AT_ONCE; u++) {
            uint32_t pair = m + u * THREADS;
            int64_t j = (int64_t)sector[u] * STAGED_SECTOR + pair / Way::ROW_PAIRS % STAGED_SECTOR;
            bring_pair(to + pair * 2 * STAGED_WORD, x + j * stride + pair % Way::ROW_PAIRS * 2,
                       pair < pairs && j < n);
        }
    }
}

/* What a tile has in memory comes into the L2 cache; by one thread. */
__device__ inline void bring_near(const void *from, uint32_t bytes)
{
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
}

__device__ inline void bring_tile_near(const struct cuda_staged &A, int64_t tile)
{
    if (tile >= A.tiles)
        return;
    const struct staged_tile &t = A.tile[tile];
    int64_t end = tile + 1 < A.tiles ? A.tile[tile + 1].lists : A.lists_length;
    bring_near(A.lists + t.lists, (uint32_t)(end - t.lists) * (uint32_t)sizeof *A.lists);
    bring_near(A.values + t.values, t.own * STAGED_WORD);
}

/* A thread's row: its words, a step ahead. */
template <int AHEAD> struct staged_words {
    const uint32_t *words;
    uint32_t row, steps;
    uint32_t word[AHEAD];

    __device__ __forceinline__ void begin(const uint32_t *list, const struct staged_tile &t,
                                          uint32_t r)
    {
        uint32_t slice = r / STAGED_SLICE, first = t.slice[slice];
        steps = (t.slice[slice + 1] - first) / STAGED_SLICE;
        words = list + first + r % STAGED_SLICE;
        row = list[t.slice[STAGED_SLICES] + r];
#pragma unroll
        for (uint32_t u = 0; u < AHEAD; u++)
            ask(u, u);
    }
    __device__ __forceinline__ void ask(uint32_t u, uint32_t k)
    {
        word[u] = 0;
        if (k < steps)
            word[u] = words[k * STAGED_SLICE];
    }
};

/* A block makes a tile. Columns come in groups, whose rows of X are in shared memory as far as
 * there is room. */
template <int PAIRS, int ROW_THREADS, int THREADS, int BLOCKS, typename Value, typename Sum>
__global__ static void __launch_bounds__(THREADS, BLOCKS)
    staged_groups(const __grid_constant__ struct cuda_staged A, const double *X, double *Y,
                  int stride, uint32_t bytes, int ahead, const int64_t *ended)
{
    typedef staged_way<PAIRS, ROW_THREADS, THREADS, BLOCKS, Sum> Way;
    extern __shared__ __align__(16) double shared[];
    int64_t over = ended ? *ended : 0;
    const struct staged_tile &t = A.tile[blockIdx.x];
    if (over)
        return;
    const uint32_t *list = A.lists + t.lists;
    uint32_t *table = (uint32_t *)shared;
    uint32_t table_bytes = (uint32_t)staging_table_bytes(&t);
    uint32_t before_x = (uint32_t)staging_columns_bytes(&t);
    uint32_t to = (uint32_t)__cvta_generic_to_shared(shared);
    bring_values<THREADS>(A, t, blockIdx.x, table, to + table_bytes);
    /* a word counts from where the x of a single column would begin */
    uint32_t before = SUM_TILE + STAGED_SECTOR * t.x_sectors;
    const double *values = shared + table_bytes / STAGED_WORD - before;
    uint32_t rows = min(before, (bytes - before_x) / (Way::GROUP * STAGED_WORD));
    staged_words<Way::AHEAD> way;
    uint32_t unread = before * STAGED_WORD << STAGED_VALUE_BIT; /* the first value, and row 0 */
    /* The places of a thread's pairs in a row. Quarters of a warp read all banks: every other row's
     * threads begin with the second half. */
    uint32_t first = threadIdx.x % Way::ROW_PAIRS * 2;
    uint32_t second = PAIRS == 2 ? first ^ Way::ROW_PAIRS : first;
    const double *x_shared = shared + before_x / STAGED_WORD;
    __syncthreads(); /* the table is there */
    if (ahead > 0 && threadIdx.x == THREADS - 1)
        bring_tile_near(A, (int64_t)blockIdx.x + ahead);
#pragma unroll 1
    for (int group = 0; group < stride; group += Way::GROUP, X += Way::GROUP, Y += Way::GROUP) {
        if (group > 0)
            __syncthreads(); /* all have read the group before */
        bring_rows<Way, THREADS>(X, A.n, stride, table, rows, to + before_x);
        __pipeline_commit();
        uint32_t r = threadIdx.x / ROW_THREADS;
        way.begin(list, t, r);
        __pipeline_wait_prior(0);
        __syncthreads();
#pragma unroll 1
        while (true) {
            columns<Way::MINE, Sum> sum = {};
            auto multiply = [&](auto all) {
#pragma unroll 1
                for (uint32_t k = 0, length = way.row >> STAGED_ROW_BITS; k < length;) {
#pragma unroll
                    for (int g = 0; g < Way::AHEAD; g += Way::AT_ONCE, k += Way::AT_ONCE) {
                        columns<Way::MINE, Sum> e[Way::AT_ONCE];
                        Sum a[Way::AT_ONCE];
#pragma unroll
                        for (int u = 0; u < Way::AT_ONCE; u++) {
                            uint32_t word = max(way.word[g + u], unread);
                            uint32_t place = word & ((1u << STAGED_X_BITS) - 1);
                            const double *from = x_shared + place * Way::GROUP;
                            if (!decltype(all)::value && place >= rows) {
                                int64_t j = (int64_t)table[place / STAGED_SECTOR] * STAGED_SECTOR +
                                            place % STAGED_SECTOR;
                                from = X + j * stride;
                            }
                            double2 pair = tiles_pair(from + first);
                            e[u].v[0] = (Sum)pair.x;
                            e[u].v[1] = (Sum)pair.y;
                            if constexpr (PAIRS == 2) {
                                pair = tiles_pair(from + second);
                                e[u].v[2] = (Sum)pair.x;
                                e[u].v[3] = (Sum)pair.y;
                            }
                            a[u] = tiles_at((const Value *)values, word >> STAGED_VALUE_BIT);
                            a[u] =
                                tiles_flip(a[u], (int)(word << (31 - STAGED_SIGN_BIT)) & INT32_MIN);
                            way.ask(g + u, k + Way::AHEAD + u);
                        }
#pragma unroll
                        for (int u = 0; u < Way::AT_ONCE; u++)
                            if (k + u < length)
                                sum = fma(a[u], e[u], sum);
                    }
                }
            };
            if (rows == before)
                multiply(std::true_type{});
            else
                multiply(std::false_type{});
            int64_t i = (int64_t)blockIdx.x * SUM_TILE + (way.row & ((1u << STAGED_ROW_BITS) - 1));
            r += Way::ROWS_AT_ONCE;
            if (r < SUM_TILE)
                way.begin(list, t, r);
            if (i < A.n) {
                double *y = Y + i * stride;
                *(double2 *)(y + first) = {(double)sum.v[0], (double)sum.v[1]};
                if constexpr (PAIRS == 2)
                    *(double2 *)(y + second) = {(double)sum.v[2], (double)sum.v[3]};
            }
            if (r >= SUM_TILE)
                break;
        }
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

enum { HALF = STAGED_SHARED, ALL = 227 << 10, THIRD = 75 << 10 };

template <int PAIRS, int ROW_THREADS, int THREADS, int BLOCKS, typename Value, typename Sum>
static enum status groups(const struct cuda_staged *A, struct space_cuda *space,
                          const struct operands *operands, struct error *error)
{
    int bytes = BLOCKS == 1 ? ALL : BLOCKS == 2 ? HALF : THIRD;
    auto kernel = staged_groups<PAIRS, ROW_THREADS, THREADS, BLOCKS, Value, Sum>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                         cudaSharedmemCarveoutMaxShared);
    kernel<<<(unsigned int)A->tiles, THREADS, (size_t)bytes, space->stream>>>(
        *A, (const double *)operands->x, (double *)operands->y, operands->columns, (uint32_t)bytes,
        A->variant >= 100 ? 132 * BLOCKS : 0, space->base.ended);
    return cuda_check_launch("a product by staged tiles with several columns", error);
}

template <int COLUMNS, int THREADS, int BLOCKS, typename Value, typename Sum>
static enum status gather(const struct cuda_staged *A, struct space_cuda *space,
                          const struct operands *operands, struct error *error)
{
    auto kernel = staged_columns<COLUMNS, THREADS, BLOCKS, Value, Sum>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, HALF);
    if (BLOCKS == 1)
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                             (A->columns_bytes + 1024) * 100 / (228 << 10) + 1);
    kernel<<<(unsigned int)A->tiles, THREADS, (size_t)A->columns_bytes, space->stream>>>(
        *A, tiles_columns<COLUMNS, Sum>(operands), (double *)operands->y, space->base.ended);
    return cuda_check_launch("a product by staged tiles with several columns", error);
}

template <typename Value, typename Sum>
static enum status launch(const struct cuda_staged *A, struct space_cuda *space,
                          const struct operands *operands, struct error *error)
{
    int way = A->variant % 100;
    if (way == 0)
        return gather<2, SUM_TILE, 3, Value, Sum>(A, space, operands, error);
    if (operands->columns == 2)
        return groups<1, 1, SUM_TILE, 2, Value, Sum>(A, space, operands, error);
    if (operands->columns == 4)
        return groups<2, 1, SUM_TILE, 2, Value, Sum>(A, space, operands, error);
    if (operands->columns == 8 && way == 4)
        way = 3;
    if (operands->columns == 8 && way == 9)
        way = 2;
    switch (way) {
    case 1:
        return groups<2, 1, SUM_TILE, 2, Value, Sum>(A, space, operands, error);
    case 2:
        return groups<2, 2, SUM_TILE, 2, Value, Sum>(A, space, operands, error);
    case 3:
        return groups<2, 2, 2 * SUM_TILE, 1, Value, Sum>(A, space, operands, error);
    case 4:
        return groups<2, 4, 2 * SUM_TILE, 1, Value, Sum>(A, space, operands, error);
    case 5:
        return groups<1, 4, 2 * SUM_TILE, 1, Value, Sum>(A, space, operands, error);
    case 9:
        return groups<2, 4, SUM_TILE, 2, Value, Sum>(A, space, operands, error);
    case 6:
        return gather<2, 2 * SUM_TILE, 1, Value, Sum>(A, space, operands, error);
    case 7:
        return gather<4, 2 * SUM_TILE, 1, Value, Sum>(A, space, operands, error);
    default:
        if (A->columns_bytes > THIRD)
            return groups<2, 1, SUM_TILE, 2, Value, Sum>(A, space, operands, error);
        return groups<1, 2, SUM_TILE, 3, Value, Sum>(A, space, operands, error);
    }
}

enum status cuda_staged_columns(const struct cuda_staged *staged, struct space_cuda *space,
                                const struct operands *operands, struct error *error)
{
    return (staged->single_sums ? launch<float, float>
            : staged->singles   ? launch<float, double>
                                : launch<double, double>)(staged, space, operands, error);
}

enum status cuda_staged_columns_allow(const struct cuda_staged *, int, struct error *)
{
    return STATUS_OK;
}

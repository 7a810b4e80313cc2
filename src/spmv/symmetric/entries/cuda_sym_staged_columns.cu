/* Y = A X by staged tiles (cuda_sym_staged.h) and several columns of X: the same chains, for each
 * column.
 *
 * A block copies the values of its tile into shared memory, and a table of sector numbers, the
 * tile's own first: a word gives the place that x_j would have for one vector, and the table turns
 * its sector into that of X. Then the block multiplies the columns in groups of up to 16. For each
 * group it copies the rows of X that the tile gathers, as many as there is room for; entries of the
 * other rows read X in memory.
 *
 * The matrix, X and Y come from memory once; the words of a later group come from the L2 cache.
 * Rows of X that a warp reads together meet in the same banks, and the longer they are the less: by
 * a count over a box of 110^3 rows, 8 columns of an entry take 1.6 wavefronts of 128 bytes in
 * groups of 4, 1.2 in groups of 8, and 0.7 in groups of 16. Measured on an H100, of that box and of
 * a sheet with 8 and 32 columns: groups of 4 take 1.3 to 2.8 times as long, and one larger block a
 * multiprocessor 1.0 to 1.3 times. */
#include "spmv/symmetric/entries/cuda_sym_staged.h"

#include "spmv/symmetric/cuda_sym_columns.cuh"
#include "spmv/symmetric/entries/sym_staging_tile.h"

#include <cuda_pipeline.h>

enum {
    PAIR = 2,               /* numbers that are read and copied together */
    BLOCKS_A_PROCESSOR = 2, /* one copies while the other multiplies */
    SECTORS_AT_ONCE = 4     /* that a thread asks for together */
};

/* A row of a group has so many threads, each for so many pairs of columns. */
template <int PAIRS, int ROW_THREADS, typename Sum> struct staged_way {
    enum {
        MINE = PAIR * PAIRS, /* columns of a thread */
        GROUP = MINE * ROW_THREADS,
        ROW_PAIRS = GROUP / PAIR,
        ROWS_AT_ONCE = SUM_TILE / ROW_THREADS,
        ENTRIES_AT_ONCE = PAIRS == 1 ? 4 : 2,
        WORDS_AHEAD = PAIRS == 2 && sizeof(Sum) == 4 ? 2 : 4 /* on their way */
    };
};

/* By all threads: the table, and the values are on their way. */
__device__ __forceinline__ void bring_values(const struct cuda_staged &A,
                                             const struct staged_tile &t, uint32_t tile,
                                             uint32_t *table, uint32_t to)
{
    enum { OWN = SUM_TILE / STAGED_SECTOR, PAIRS = STAGED_SECTOR / PAIR };
    const uint32_t *sectors = A.lists + t.lists + t.slice[STAGED_SLICES] + SUM_TILE;
    uint32_t x_sectors = t.x_sectors, own = t.own;
    const double *values = A.values + t.values;
    for (uint32_t k = threadIdx.x; k < OWN + x_sectors; k += SUM_TILE)
        table[k] = k < OWN ? tile * OWN + k : __ldcs(sectors + (k - OWN));
    sectors += x_sectors;
    uint32_t pairs = PAIRS * (t.sectors - x_sectors), to_own = to + pairs * PAIR * STAGED_WORD;
#pragma unroll 4
    for (uint32_t m = PAIR * threadIdx.x; m < own; m += PAIR * SUM_TILE)
        tiles_bring_pair(to_own + m * STAGED_WORD, values + m, true);
#pragma unroll 1
    for (uint32_t m = threadIdx.x; m < pairs; m += SECTORS_AT_ONCE * SUM_TILE) {
        uint32_t sector[SECTORS_AT_ONCE];
#pragma unroll
        for (uint32_t u = 0; u < SECTORS_AT_ONCE; u++)
            if (m + u * SUM_TILE < pairs)
                sector[u] = __ldcs(sectors + (m + u * SUM_TILE) / PAIRS);
#pragma unroll
        for (uint32_t u = 0; u < SECTORS_AT_ONCE; u++) {
            uint32_t pair = m + u * SUM_TILE;
            tiles_bring_pair(to + pair * PAIR * STAGED_WORD,
                             A.values + (int64_t)sector[u] * STAGED_SECTOR + pair % PAIRS * PAIR,
                             pair < pairs);
        }
    }
}

/* By all threads: a group's columns of so many rows of X are on their way. */
template <int ROW_PAIRS, typename Real>
__device__ __forceinline__ void bring_rows(const Real *x, int64_t n, int stride,
                                           const uint32_t *table, uint32_t rows, uint32_t to)
{
    uint32_t pairs = rows * ROW_PAIRS;
#pragma unroll 1
    for (uint32_t m = threadIdx.x; m < pairs; m += SECTORS_AT_ONCE * SUM_TILE) {
        uint32_t sector[SECTORS_AT_ONCE];
#pragma unroll
        for (uint32_t u = 0; u < SECTORS_AT_ONCE; u++)
            if (m + u * SUM_TILE < pairs)
                sector[u] = table[(m + u * SUM_TILE) / (ROW_PAIRS * STAGED_SECTOR)];
#pragma unroll
        for (uint32_t u = 0; u < SECTORS_AT_ONCE; u++) {
            uint32_t pair = m + u * SUM_TILE;
            int64_t j = (int64_t)sector[u] * STAGED_SECTOR + pair / ROW_PAIRS % STAGED_SECTOR;
            tiles_bring_pair(to + pair * PAIR * (uint32_t)sizeof(Real),
                             x + j * stride + pair % ROW_PAIRS * PAIR, pair < pairs && j < n);
        }
    }
}

/* A thread's row, and its next words. */
template <int WORDS_AHEAD> struct staged_words {
    const uint32_t *words;
    uint32_t row, steps;
    uint32_t word[WORDS_AHEAD];

    __device__ __forceinline__ void begin(const uint32_t *list, const struct staged_tile &t,
                                          uint32_t r)
    {
        uint32_t slice = r / STAGED_SLICE, first = t.slice[slice];
        steps = (t.slice[slice + 1] - first) / STAGED_SLICE;
        words = list + first + r % STAGED_SLICE;
        row = list[t.slice[STAGED_SLICES] + r];
#pragma unroll
        for (uint32_t u = 0; u < WORDS_AHEAD; u++)
            ask(u, u);
    }
    __device__ __forceinline__ void ask(uint32_t u, uint32_t k)
    {
        word[u] = 0;
        if (k < steps)
            word[u] = words[k * STAGED_SLICE];
    }
};

/* A block makes a tile, in so many bytes of shared memory. */
template <int PAIRS, int ROW_THREADS, typename Value, typename Sum, typename Real>
__global__ static void __launch_bounds__(SUM_TILE, BLOCKS_A_PROCESSOR)
    staged_columns(const __grid_constant__ struct cuda_staged A, const Real *X, Real *Y, int stride,
                   uint32_t bytes, const int64_t *ended)
{
    typedef staged_way<PAIRS, ROW_THREADS, Sum> Way;
    typedef decltype(tiles_pair(X)) two;
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
    bring_values(A, t, blockIdx.x, table, to + table_bytes);
    /* a word counts from where the x of a single column would begin */
    uint32_t before = SUM_TILE + STAGED_SECTOR * t.x_sectors;
    const double *values = shared + table_bytes / STAGED_WORD - before;
    uint32_t rows = min(before, (bytes - before_x) / (Way::GROUP * (uint32_t)sizeof(Real)));
    staged_words<Way::WORDS_AHEAD> way;
    uint32_t unread = before * STAGED_WORD << STAGED_VALUE_BIT; /* the first value, and row 0 */
    /* The places of a thread's pairs in a row. Quarters of a warp read all banks: every other row's
     * threads begin with the second half. */
    uint32_t first = threadIdx.x % Way::ROW_PAIRS * PAIR;
    uint32_t second = PAIRS == 2 ? first ^ Way::ROW_PAIRS : first;
    const Real *x_shared = (const Real *)((const char *)shared + before_x);
    __syncthreads(); /* the table is there */
#pragma unroll 1
    for (int group = 0; group < stride; group += Way::GROUP, X += Way::GROUP, Y += Way::GROUP) {
        if (group > 0)
            __syncthreads(); /* all have read the group before */
        bring_rows<Way::ROW_PAIRS, Real>(X, A.n, stride, table, rows, to + before_x);
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
                    for (int g = 0; g < Way::WORDS_AHEAD;
                         g += Way::ENTRIES_AT_ONCE, k += Way::ENTRIES_AT_ONCE) {
                        columns<Way::MINE, Sum> e[Way::ENTRIES_AT_ONCE];
                        Sum a[Way::ENTRIES_AT_ONCE];
#pragma unroll
                        for (int u = 0; u < Way::ENTRIES_AT_ONCE; u++) {
                            uint32_t word = max(way.word[g + u], unread);
                            uint32_t place = word & ((1u << STAGED_X_BITS) - 1);
                            const Real *from = x_shared + place * Way::GROUP;
                            if (!decltype(all)::value && place >= rows) {
                                int64_t j = (int64_t)table[place / STAGED_SECTOR] * STAGED_SECTOR +
                                            place % STAGED_SECTOR;
                                from = X + j * stride;
                            }
                            two pair = tiles_pair(from + first);
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
                            way.ask(g + u, k + Way::WORDS_AHEAD + u);
                        }
#pragma unroll
                        for (int u = 0; u < Way::ENTRIES_AT_ONCE; u++)
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
                Real *y = Y + i * stride;
                *(two *)(y + first) = {(Real)sum.v[0], (Real)sum.v[1]};
                if constexpr (PAIRS == 2)
                    *(two *)(y + second) = {(Real)sum.v[2], (Real)sum.v[3]};
            }
            if (r >= SUM_TILE)
                break;
        }
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

/* A block takes its share of a multiprocessor's shared memory, of which it costs 1 KB more. It
 * takes that of fewer blocks where the fullest tile has more values. */
template <int PAIRS, int ROW_THREADS, typename Value, typename Sum, typename Real>
static enum status launch(const struct cuda_staged *A, struct space_cuda *space,
                          const struct operands *operands, struct error *error)
{
    enum { KB = 1 << 10 };
    int processor = A->processor_bytes / KB, least = (A->columns_bytes + KB - 1) / KB + 1;
    int blocks = std::min<int>(BLOCKS_A_PROCESSOR, processor / least);
    int bytes = std::min<int>((processor / blocks - 1) * KB, STAGED_SHARED);
    staged_columns<PAIRS, ROW_THREADS, Value, Sum, Real>
        <<<(unsigned int)A->tiles, SUM_TILE, (size_t)bytes, space->stream>>>(
            *A, (const Real *)operands->x, (Real *)operands->y, operands->columns, (uint32_t)bytes,
            space->base.ended);
    return cuda_check_launch("a product by staged tiles with several columns", error);
}

template <typename Value, typename Sum, typename Real>
static enum status multiply(const struct cuda_staged *A, struct space_cuda *space,
                            const struct operands *operands, struct error *error)
{
    switch (operands->columns) {
    case 2:
        return launch<1, 1, Value, Sum, Real>(A, space, operands, error);
    case 4:
        return launch<2, 1, Value, Sum, Real>(A, space, operands, error);
    case 8:
        return launch<2, 2, Value, Sum, Real>(A, space, operands, error);
    default:
        return launch<2, 4, Value, Sum, Real>(A, space, operands, error);
    }
}

enum status cuda_staged_columns(const struct cuda_staged *staged, struct space_cuda *space,
                                const struct operands *operands, struct error *error)
{
    return (operands->singles     ? multiply<float, float, float>
            : staged->single_sums ? multiply<float, float, double>
            : staged->singles     ? multiply<float, double, double>
                              : multiply<double, double, double>)(staged, space, operands, error);
}

template <typename Value, typename Sum, typename Real> static cudaError_t allow(int bytes)
{
    cudaError_t result = cudaSuccess;
    for (auto kernel :
         {staged_columns<1, 1, Value, Sum, Real>, staged_columns<2, 1, Value, Sum, Real>,
          staged_columns<2, 2, Value, Sum, Real>, staged_columns<2, 4, Value, Sum, Real>}) {
        if (!result)
            result =
                cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        if (!result)
            result = cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                          cudaSharedmemCarveoutMaxShared);
    }
    return result;
}

enum status cuda_staged_columns_allow(const struct cuda_staged *staged, int bytes,
                                      struct error *error)
{
    cudaError_t result = (staged->single_sums ? allow<float, float, double>
                          : staged->singles   ? allow<float, double, double>
                                              : allow<double, double, double>)(bytes);
    if (!result && staged->single_sums)
        result = allow<float, float, float>(bytes);
    return cuda_check(result, "shared memory", error);
}

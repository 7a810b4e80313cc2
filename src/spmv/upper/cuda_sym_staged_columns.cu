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
    COLUMNS = 2, /* of a thread */
    BLOCKS_A_PROCESSOR = 3,
    SECTORS_AT_ONCE = 4, /* that a thread asks for together */
    ENTRIES_AT_ONCE = 4  /* whose X is on its way together */
};

/* By all threads: the numbers of the sectors of x into the table, and the values behind it. */
__device__ inline void stage_values(const struct cuda_staged &A, const struct staged_tile &t,
                                    uint32_t tile, double *shared)
{
    enum { OWN = SUM_TILE / STAGED_SECTOR, PAIR = 2, PAIRS = STAGED_SECTOR / PAIR };
    uint32_t *table = (uint32_t *)shared;
    double *to = shared + staging_table_bytes(&t) / STAGED_WORD;
    const uint32_t *sectors = A.lists + t.lists + t.slice[STAGED_SLICES] + SUM_TILE;
    for (uint32_t k = threadIdx.x; k < OWN + t.x_sectors; k += SUM_TILE)
        table[k] = k < OWN ? tile * OWN + k : sectors[k - OWN];
    sectors += t.x_sectors;
    uint32_t pairs = PAIRS * (t.sectors - t.x_sectors);
    for (uint32_t m = threadIdx.x; m < pairs; m += SECTORS_AT_ONCE * SUM_TILE) {
        uint32_t sector[SECTORS_AT_ONCE];
#pragma unroll
        for (uint32_t u = 0; u < SECTORS_AT_ONCE; u++)
            if (m + u * SUM_TILE < pairs)
                sector[u] = __ldcs(sectors + (m + u * SUM_TILE) / PAIRS);
#pragma unroll
        for (uint32_t u = 0; u < SECTORS_AT_ONCE; u++) {
            uint32_t pair = m + u * SUM_TILE;
            if (pair < pairs)
                __pipeline_memcpy_async(to + PAIR * pair,
                                        A.values + (int64_t)sector[u] * STAGED_SECTOR +
                                            pair % PAIRS * PAIR,
                                        PAIR * sizeof *to);
        }
    }
    to += PAIR * pairs;
#pragma unroll 4
    for (uint32_t m = PAIR * threadIdx.x; m < t.own; m += PAIR * SUM_TILE)
        __pipeline_memcpy_async(to + m, A.values + t.values + m, PAIR * sizeof *to);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
}

/* A block makes a tile, 2^X.shift times some of its rows. */
template <typename Value, typename Sum>
__global__ static void __launch_bounds__(SUM_TILE, BLOCKS_A_PROCESSOR)
    staged_columns(const __grid_constant__ struct cuda_staged A,
                   const __grid_constant__ tiles_columns<COLUMNS, Sum> X, double *Y,
                   const int64_t *ended)
{
    extern __shared__ __align__(16) double shared[];
    int64_t over = ended ? *ended : 0;
    const struct staged_tile &t = A.tile[blockIdx.x];
    if (over)
        return;
    stage_values(A, t, blockIdx.x, shared);
    const uint32_t *table = (const uint32_t *)shared, *list = A.lists + t.lists;
    /* a word counts from where the x of a single column would begin */
    uint32_t before = SUM_TILE + STAGED_SECTOR * t.x_sectors;
    const double *values = shared + staging_table_bytes(&t) / STAGED_WORD - before;
    uint32_t unread = before * STAGED_WORD << STAGED_VALUE_BIT; /* of the first value */
    const double *x = X.x + X.place(threadIdx.x, 0);
    uint32_t rows = SUM_TILE >> X.shift;
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

template <typename Value, typename Sum>
static enum status launch(const struct cuda_staged *A, struct space_cuda *space,
                          const struct operands *operands, struct error *error)
{
    staged_columns<Value, Sum>
        <<<(unsigned int)A->tiles, SUM_TILE, (size_t)A->columns_bytes, space->stream>>>(
            *A, tiles_columns<COLUMNS, Sum>(operands), (double *)operands->y, space->base.ended);
    return cuda_check_launch("a product by staged tiles with several columns", error);
}

enum status cuda_staged_columns(const struct cuda_staged *staged, struct space_cuda *space,
                                const struct operands *operands, struct error *error)
{
    return (staged->single_sums ? launch<float, float>
            : staged->singles   ? launch<float, double>
                                : launch<double, double>)(staged, space, operands, error);
}

enum status cuda_staged_columns_allow(const struct cuda_staged *staged, int bytes,
                                      struct error *error)
{
    auto kernel = staged->single_sums ? (const void *)staged_columns<float, float>
                  : staged->singles   ? (const void *)staged_columns<float, double>
                                      : (const void *)staged_columns<double, double>;
    return cuda_check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "shared memory", error);
}

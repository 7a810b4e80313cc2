#include "spmv/symmetric/entries/cuda_sym_staged.h"

#include "spmv/symmetric/cuda_sym_tiles.cuh"
#include "spmv/symmetric/value_dictionary.h"

#include <cuda_pipeline.h>
#include <stdio.h>

/* ---- a product ------------------------------------------------------------------------------- */

/* 40 registers a thread. What a block does one after the other (to read where things are, to copy
 * them, to wait for the last) other blocks hide: three, where a tile takes up to 75 KB of an
 * sm_90's shared memory, were faster than two with twice the words ahead, and than four. */
enum {
    BLOCKS_A_PROCESSOR = 3,
    SECTORS_AT_ONCE = 6, /* that a thread asks for together */
    WORDS_AHEAD = 8,     /* that are on their way before the first is used */
    ENTRIES_AT_ONCE = 4  /* that are read from shared memory together */
};

/* By all threads, two for a sector: what is copied is there after a wait and a barrier. */
template <typename X>
__device__ __forceinline__ void stage(const struct cuda_staged &A, const struct staged_tile &t,
                                      const X *x, int64_t base, double *shared)
{
    enum { THREADS = SUM_TILE / 2 }; /* for the first half of a sector, or the second */
    uint32_t thread = threadIdx.x, k = thread / 2, half = thread % 2 * 2;
    uint32_t x_sectors = t.x_sectors, sectors = t.sectors, own = t.own, last = t.last;
    const double *values = A.values + t.values;
    asm volatile(""
                 : "+l"(values), "+r"(own), "+r"(last)); /* or they are read when they are wanted */
    const uint32_t *list = A.lists + t.lists + t.slice[STAGED_SLICES] + SUM_TILE + k;
    asm volatile("" : "+l"(list)); /* or each number's address is made anew */
    uint32_t sector[SECTORS_AT_ONCE];
    auto ask = [&] {
#pragma unroll
        for (int u = 0; u < SECTORS_AT_ONCE; u++)
            if (k + u * THREADS < sectors)
                sector[u] = __ldcs(list + u * THREADS);
    };
    ask();
    uint32_t to = (uint32_t)__cvta_generic_to_shared(shared), left = (uint32_t)(A.n - base);
    tiles_bring_pair(to + 2 * thread * sizeof *x, x + base + 2 * thread,
                     thread < THREADS && 2 * thread + 1 < left);
    X *shared_x = (X *)shared;
    if (thread >= left)
        shared_x[thread] = 0; /* for the scalar product */
    if (thread == 0 && last != STAGED_NO_LAST)
        shared_x[last] = x[A.n - 1];
    uint32_t to_own = to + (SUM_TILE + STAGED_SECTOR * sectors) * STAGED_WORD;
#pragma unroll 4
    for (uint32_t m = 2 * thread; m < own; m += 2 * SUM_TILE)
        tiles_bring_pair(to_own + m * STAGED_WORD, values + m, true);
    const X *x_half = x + half;
    const double *values_half = A.values + half;
    uint32_t x_end = (uint32_t)(A.n + 2 - half) / STAGED_SECTOR; /* of the pairs that are whole */
    uint32_t to_x = to + (SUM_TILE + 2 * thread) * sizeof *x;
    to += (SUM_TILE + 2 * thread) * STAGED_WORD;
#pragma unroll 1
    while (k < sectors) {
#pragma unroll
        for (int u = 0; u < SECTORS_AT_ONCE; u++) {
            bool of_x = k < x_sectors;
            int64_t from = (int64_t)sector[u] * STAGED_SECTOR;
            if constexpr (std::is_same_v<X, double>) {
                tiles_bring_pair(to, (of_x ? x_half : values_half) + from,
                                 k < sectors && sector[u] < (of_x ? x_end : UINT32_MAX));
            } else {
                tiles_bring_pair(to_x, x_half + from, of_x && k < sectors && sector[u] < x_end);
                tiles_bring_pair(to, values_half + from, !of_x && k < sectors);
            }
            k += THREADS;
            to += 2 * SUM_TILE * STAGED_WORD;
            to_x += 2 * SUM_TILE * sizeof *x;
        }
        list += SECTORS_AT_ONCE * THREADS;
        ask();
    }
    __pipeline_commit();
}

/* A row's sum of a_ij x_j, of values and an x that are double or float. It has as many words as its
 * slice's longest row; those behind its own entries are read and not used. */
template <bool SKEW, typename Value, typename Sum, typename X> struct staged_row {
    const uint32_t *words; /* STAGED_SLICE apart */
    uint32_t steps;
    uint32_t word[WORDS_AHEAD];

    __device__ __forceinline__ staged_row(const uint32_t *list, const struct staged_tile &t)
    {
        uint32_t slice = threadIdx.x / STAGED_SLICE, first = t.slice[slice];
        steps = (t.slice[slice + 1] - first) / STAGED_SLICE;
        words = list + first + threadIdx.x % STAGED_SLICE;
        asm volatile("" : "+l"(words)); /* or each word's address is made anew */
#pragma unroll
        for (uint32_t u = 0; u < WORDS_AHEAD; u++)
            ask(u, u);
    }
    __device__ __forceinline__ void ask(uint32_t u, uint32_t k)
    {
        word[u] = 0;
        if (k < steps)
            word[u] = __ldcs(words + k * STAGED_SLICE);
    }
    __device__ __forceinline__ Sum product(const double *shared, uint32_t length)
    {
        Sum sum = 0;
#pragma unroll 1
        for (uint32_t k = 0; k < length;) {
#pragma unroll
            for (int g = 0; g < WORDS_AHEAD; g += ENTRIES_AT_ONCE, k += ENTRIES_AT_ONCE) {
                Sum a[ENTRIES_AT_ONCE], x[ENTRIES_AT_ONCE];
#pragma unroll
                for (int u = 0; u < ENTRIES_AT_ONCE; u++) {
                    uint32_t here = word[g + u];
                    x[u] = (Sum)((const X *)shared)[here & ((1u << STAGED_X_BITS) - 1)];
                    a[u] = tiles_at((const Value *)shared, here >> STAGED_VALUE_BIT);
                    if (SKEW)
                        a[u] = tiles_flip(a[u], (int)(here << (31 - STAGED_SIGN_BIT)) & INT32_MIN);
                    ask(g + u, k + WORDS_AHEAD + u);
                }
#pragma unroll
                for (int u = 0; u < ENTRIES_AT_ONCE; u++)
                    if (k + u < length)
                        sum = fma(a[u], x[u], sum);
            }
        }
        return sum;
    }
};

/* A block makes a tile, but for the first one with DOT, which adds the tiles' scalar products
 * up. */
template <bool SKEW, bool DOT, typename Value, typename Sum, typename X>
__global__ static void __launch_bounds__(SUM_TILE, BLOCKS_A_PROCESSOR)
    staged_kernel(const __grid_constant__ struct cuda_staged A, const void *x,
                  const __grid_constant__ struct tiles_result result)
{
    extern __shared__ __align__(16) double shared[];
    int64_t over = result.ended ? *result.ended : 0;
    if (DOT && blockIdx.x == 0) {
        if (!over)
            tiles_take(result, shared);
        return;
    }
    int64_t number = blockIdx.x - (DOT ? 1 : 0), base = number * SUM_TILE;
    const struct staged_tile &t = A.tile[number];
    if (over)
        return;
    const uint32_t *list = A.lists + t.lists;
    uint32_t thread = threadIdx.x;
    struct staged_row<SKEW, Value, Sum, X> row(list, t);
    uint32_t here = __ldcs(list + t.slice[STAGED_SLICES] + thread);
    stage(A, t, (const X *)x, base, shared);
    __pipeline_wait_prior(0);
    __syncthreads();
    X *y = (X *)shared + SUM_TILE;
    Sum sum = row.product(shared, here >> STAGED_ROW_BITS);
    __syncthreads();
    y[here & ((1u << STAGED_ROW_BITS) - 1)] = sum;
    __syncthreads();
    if (base + thread < A.n)
        ((X *)result.y)[base + thread] = y[thread];
    if constexpr (DOT)
        tiles_dot<1>(result.sum, number, (const double(*)[SUM_TILE])shared,
                     (const double(*)[SUM_TILE])y);
}

typedef void staged_launch(struct cuda_staged A, const void *x, struct tiles_result result);

/* What is multiplied: vectors of doubles, with the scalar product or without; in single precision
 * vectors of doubles, or of singles. */
enum staged_way { STAGED_DOUBLE, STAGED_DOUBLE_DOT, STAGED_SINGLE, STAGED_SINGLE_VECTORS };

template <bool SKEW>
static staged_launch *kernel_of_kind(const struct cuda_staged *A, enum staged_way way)
{
    switch (way) {
    case STAGED_DOUBLE:
        return A->singles ? staged_kernel<SKEW, false, float, double, double>
                          : staged_kernel<SKEW, false, double, double, double>;
    case STAGED_DOUBLE_DOT:
        return A->singles ? staged_kernel<SKEW, true, float, double, double>
                          : staged_kernel<SKEW, true, double, double, double>;
    case STAGED_SINGLE:
        return staged_kernel<SKEW, false, float, float, double>;
    default:
        return staged_kernel<SKEW, false, float, float, float>;
    }
}

/* The one of the kernels that multiplies by this matrix. */
static staged_launch *kernel_of(const struct cuda_staged *A, enum staged_way way)
{
    return A->skew ? kernel_of_kind<true>(A, way) : kernel_of_kind<false>(A, way);
}

static enum status launch(const struct cuda_staged *staged, struct space_cuda *space,
                          enum staged_way way, const void *x, void *y, double *dot,
                          struct error *error)
{
    struct tiles_result result = {};
    result.y = y;
    result.dot = dot;
    result.ended = space->base.ended;
    if (dot) {
        enum status status = cuda_sum_prepare(space, staged->n, 1, &result.sum, error);
        if (status)
            return status;
    }
    unsigned int blocks = (unsigned int)staged->tiles + (dot ? 1 : 0);
    kernel_of(staged, way)<<<blocks, SUM_TILE, (size_t)staged->shared_bytes, space->stream>>>(
        *staged, x, result);
    enum status status = cuda_check_launch("a product by staged tiles", error);
    return status || !result.sum.joined ? status : cuda_sum_join(space, &result.sum, dot, error);
}

enum status cuda_staged_multiply(const struct cuda_staged *staged, struct space_cuda *space,
                                 const struct operands *operands, struct error *error)
{
    enum staged_way way = operands->singles     ? STAGED_SINGLE_VECTORS
                          : staged->single_sums ? STAGED_SINGLE
                          : operands->dot       ? STAGED_DOUBLE_DOT
                                                : STAGED_DOUBLE;
    return launch(staged, space, way, operands->x, operands->y, operands->dot, error);
}

/* ---- the matrix ------------------------------------------------------------------------------ */

/* More than 48 KB have to be asked for. */
enum status cuda_staged_allow(const struct cuda_staged *staged, int bytes, struct error *error)
{
    enum staged_way way = staged->single_sums ? STAGED_SINGLE : STAGED_DOUBLE;
    enum staged_way other = staged->single_sums ? STAGED_SINGLE_VECTORS : STAGED_DOUBLE_DOT;
    staged_launch *const kernels[] = {kernel_of(staged, way), kernel_of(staged, other)};
    cudaError_t result = cudaSuccess;
    for (staged_launch *kernel : kernels) {
        if (!result)
            result =
                cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        if (!result)
            result = cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                          cudaSharedmemCarveoutMaxShared);
    }
    return cuda_check(result, "shared memory", error);
}

void cuda_staged_free(struct space_cuda *space, struct cuda_staged *staged)
{
    cuda_free(space, staged->values);
    cuda_free(space, staged->tile);
    cuda_free(space, staged->lists);
    *staged = {};
}

/* Of the lists, in the device's memory. */
static int64_t list_bytes(const struct cuda_staged *staged)
{
    return staged->tiles * (int64_t)sizeof(struct staged_tile) +
           staged->lists_length * (int64_t)sizeof(uint32_t);
}

void cuda_staged_tell(const struct cuda_staged *staged, struct linear_operator *made)
{
    made->memory_bytes = staged->values_length * STAGED_WORD + list_bytes(staged);
    made->bytes_per_apply = made->memory_bytes + cuda_vector_bytes(made);
    snprintf(made->description, sizeof made->description,
             "rows, staged, %.3g bytes of indices an entry%s",
             (double)list_bytes(staged) / (double)staged->nnz,
             value_dictionary_text(staged->singles ? VALUE_DICTIONARY_SINGLES : 0));
}

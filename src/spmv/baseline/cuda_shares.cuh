/* What kernels share that cut a matrix's entries without regard to its rows: arithmetic in double
 * or single precision, loads of what is read once, and sums of a row that several warps have parts
 * of, joined in the launch that makes them. */
#ifndef SPMV_BASELINE_CUDA_SHARES_CUH
#define SPMV_BASELINE_CUDA_SHARES_CUH

#include "space/sum/cuda_sum.cuh"

#include <string.h>

__device__ static inline double cuda_fma(double a, double x, double s)
{
    return fma(a, x, s);
}

__device__ static inline float cuda_fma(float a, float x, float s)
{
    return fmaf(a, x, s);
}

/* COUNT numbers next to each other, aligned as one word of their 8 or 16 bytes and loaded as that.
 * They leave the first-level cache to what is read again, the vector x; in the second level they
 * stay, where a small matrix is found by the next product. */
template <int COUNT, typename T> __device__ inline void cuda_load_once(const T *from, T *to)
{
    constexpr int WORDS = COUNT * (int)sizeof(T) / 4;
    static_assert(WORDS == 2 || WORDS == 4, "one load");
    unsigned int word[WORDS];
    if constexpr (WORDS == 4)
        asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                     : "l"(from)
                     : "memory");
    else
        asm volatile("ld.global.L1::no_allocate.v2.u32 {%0, %1}, [%2];"
                     : "=r"(word[0]), "=r"(word[1])
                     : "l"(from)
                     : "memory");
    memcpy(to, word, sizeof word);
}

/* The sums of two neighbouring columns of a multivector, which a thread has together: x are their
 * elements in one row, one load. */
template <typename Sum> struct cuda_pair {
    Sum first, second;
    __device__ void add_fused(Sum a, double2 x)
    {
        first = cuda_fma(a, (Sum)x.x, first);
        second = cuda_fma(a, (Sum)x.y, second);
    }
    __device__ void add_product(Sum a, double2 x)
    {
        first = first + a * (Sum)x.x;
        second = second + a * (Sum)x.y;
    }
    __device__ void add(cuda_pair other)
    {
        first = first + other.first;
        second = second + other.second;
    }
    __device__ cuda_pair from_above(int distance) const
    {
        return {__shfl_down_sync(~0u, first, distance), __shfl_down_sync(~0u, second, distance)};
    }
    __device__ double2 as_double() const
    {
        return {(double)first, (double)second};
    }
};

/* All loads before it are on their way before anything after it waits for one: the compiler would
 * else put some of them where they are used, to save registers, and one would wait for another. */
__device__ static inline void cuda_loads_first(void)
{
    __syncwarp();
}

/* A part of a row is put into a slot of its own (space/sum/cuda_sum.cuh: no fence, no counter); one
 * warp, the one with the row's last part, takes the others out and adds them, and leaves the slots
 * empty. Who waits so has put before what others wait for, and waits for warps of its own block or
 * of blocks with lower numbers alone. A device starts blocks in the order of their numbers (CUB's
 * single-pass scan relies on it too), so these run or have run, and need nothing of those after
 * them: no warp waits for ever.
 *
 * All lanes call it with the same slots and the same count >= 1. A part has COLUMNS slots next to
 * each other, and the next part's are `stride` slots further. For each column, lane l adds terms l,
 * l + 32, ... to 0, in this order; then
 *
 *     for (h = 16; h >= 1; h /= 2)  if h < count, for l < h:  s_l = s_l + s_{l+h}
 *
 * and lane 0 has the sum. */
template <int COLUMNS, int AT_ONCE, typename Sum>
__device__ void cuda_take_columns(double *slots, int64_t count, int stride, Sum (&sums)[COLUMNS])
{
    int lane = threadIdx.x % CUDA_WARP;
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
        sums[c] = 0;
    for (int64_t k = lane; k < count; k += AT_ONCE * CUDA_WARP) {
        unsigned long long seen[AT_ONCE][COLUMNS];
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
#pragma unroll
            for (int c = 0; c < COLUMNS; c++)
                seen[u][c] = k + u * CUDA_WARP < count ? CUDA_SUM_EMPTY : 0;
        for (bool waiting = true; waiting;) {
            waiting = false;
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++)
#pragma unroll
                for (int c = 0; c < COLUMNS; c++)
                    if (seen[u][c] == CUDA_SUM_EMPTY)
                        seen[u][c] = cuda_slot_look(slots + (k + u * CUDA_WARP) * stride + c);
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++)
#pragma unroll
                for (int c = 0; c < COLUMNS; c++)
                    waiting = waiting || seen[u][c] == CUDA_SUM_EMPTY;
        }
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) {
            if (k + u * CUDA_WARP < count) {
#pragma unroll
                for (int c = 0; c < COLUMNS; c++) {
                    sums[c] = sums[c] + (Sum)__longlong_as_double((long long)seen[u][c]);
                    cuda_slot_write(slots + (k + u * CUDA_WARP) * stride + c, CUDA_SUM_EMPTY);
                }
            }
        }
    }
    __syncwarp();
    for (int half = CUDA_WARP / 2; half >= 1; half /= 2)
        if (half < count)
#pragma unroll
            for (int c = 0; c < COLUMNS; c++)
                sums[c] = sums[c] + __shfl_down_sync(~0u, sums[c], half);
}

/* The same of one column. */
template <typename Sum> __device__ Sum cuda_take_parts(double *slots, int64_t count)
{
    enum { AT_ONCE = 4 };
    Sum sums[1];
    cuda_take_columns<1, AT_ONCE>(slots, count, 1, sums);
    return sums[0];
}

/* `count` slots on the device, empty. The caller calls cuda_free for *slots, also on failure. */
static inline enum status cuda_slots_create(struct space_cuda *space, int64_t count,
                                            const char *what, double **slots, struct error *error)
{
    enum status status = cuda_array(space, count, sizeof **slots, what, (void **)slots, error);
    if (!status)
        status =
            cuda_check(cudaMemsetAsync(*slots, 0xff, (size_t)count * sizeof **slots, space->stream),
                       what, error);
    return status;
}

#endif

/* Common code of unrecorded work on a device: launches with one thread for each element, and their
 * results. For .cu files. */
#ifndef SPACE_CUDA_CUDA_SETUP_CUH
#define SPACE_CUDA_CUDA_SETUP_CUH

#include "space/cuda/cuda.h"

enum { THREADS = 256, WARP = 32 };

static inline unsigned int blocks_for(int64_t n)
{
    return (unsigned int)((n + THREADS - 1) / THREADS);
}

__device__ static inline int64_t own_row()
{
    return blockIdx.x * (int64_t)THREADS + threadIdx.x;
}

/* Zeroes a kernel's result before the kernel, and copies it to the host afterwards. */
template <typename Found>
static enum status bring(struct space_cuda *space, const char *what, const Found *device,
                         Found *host, struct error *error)
{
    enum status status = cuda_check_launch(what, error);
    return status ? status : cuda_copy_down(space, sizeof *host, device, host, what, error);
}

static inline enum status zeros(struct space_cuda *space, int64_t count, size_t size,
                                const char *what, void **array, struct error *error)
{
    enum status status = cuda_array(space, count, size, what, array, error);
    return status ? status
                  : cuda_check(cudaMemsetAsync(*array, 0, (size_t)count * size, space->stream),
                               what, error);
}

/* call(room, bytes) of CUB, with the temporary memory that it needs. */
template <typename Call>
static inline enum status with_room(struct space_cuda *space, const char *what, struct error *error,
                                    Call call)
{
    size_t bytes = 0;
    void *room = NULL;
    enum status status = cuda_check(call((void *)NULL, bytes), what, error);
    if (!status)
        status = cuda_array(space, (int64_t)bytes, 1, what, &room, error);
    if (!status)
        status = cuda_check(call(room, bytes), what, error);
    cuda_free(space, room);
    return status;
}

/* The number of bits for 0, ..., most. */
static inline int bits_for(uint64_t most)
{
    int bits = 1;
    while (bits < 64 && most >> bits)
        bits++;
    return bits;
}

/* offsets[j] = the first of the keys, which ascend, that is not below j, for 0 <= j <= rows. */
template <typename Key, typename Offset>
__global__ static void __launch_bounds__(THREADS)
    find_offsets(int64_t rows, int64_t count, const Key *keys, Offset *offsets)
{
    int64_t j = own_row(), begin = 0, end = count;
    if (j > rows)
        return;
    while (begin < end) {
        int64_t middle = begin + (end - begin) / 2;
        if (keys[middle] < j)
            begin = middle + 1;
        else
            end = middle;
    }
    offsets[j] = (Offset)begin;
}

/* *most = max(*most, value) and *sum += value, over all threads of a block. Integers, so their
 * order does not matter. */
__device__ static inline void grow_most(unsigned long long *most, unsigned long long value)
{
    for (int lanes = WARP / 2; lanes > 0; lanes /= 2)
        value = max(value, __shfl_xor_sync(~0u, value, lanes));
    if (threadIdx.x % WARP == 0 && value > *(volatile unsigned long long *)most)
        atomicMax(most, value);
}

__device__ static inline void grow_sum(unsigned long long *sum, unsigned long long value)
{
    for (int lanes = WARP / 2; lanes > 0; lanes /= 2)
        value += __shfl_xor_sync(~0u, value, lanes);
    if (threadIdx.x % WARP == 0 && value)
        atomicAdd(sum, value);
}

#endif

/* What the files of there.h share: a thread a row, and what rows find together. For .cu files. */
#ifndef PRECONDITION_MULTIGRID_THERE_CUH
#define PRECONDITION_MULTIGRID_THERE_CUH

#include "precondition/multigrid/there.h"
#include "space/cuda.h"

#include <string.h>

enum { THREADS = 256, WARP = 32 };

static unsigned int blocks_for(int64_t n)
{
    return (unsigned int)((n + THREADS - 1) / THREADS);
}

__device__ static inline int64_t own_row()
{
    return blockIdx.x * (int64_t)THREADS + threadIdx.x;
}

/* Whole numbers, whose order does not matter: zeroed first, then grown by maxima or sums. */
struct found {
    unsigned long long max[2], sum;
};

/* Of a double the order as an unsigned number; NaN, which no maximum takes, below all. */
__device__ static inline unsigned long long ordered(double value)
{
    long long bits = __double_as_longlong(value);
    if (value != value)
        return 0;
    return bits < 0 ? ~(unsigned long long)bits : (unsigned long long)bits | 1ull << 63;
}

static inline double value_of(unsigned long long order)
{
    unsigned long long bits = order >> 63 ? order & ~(1ull << 63) : ~order;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

__device__ static inline void grow_max(unsigned long long *most, unsigned long long value)
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

/* launch(stream, found), and what it has found. */
template <typename Launch>
static enum status find(struct space *space, const char *what, struct found *here,
                        struct error *error, Launch launch)
{
    struct space_cuda *cuda = space_cuda_of(space);
    struct found *there = NULL;
    enum status status = cuda_array(1, sizeof *there, what, (void **)&there, error);
    if (!status)
        status = cuda_check(cudaMemsetAsync(there, 0, sizeof *there, cuda->stream), what, error);
    if (!status) {
        launch(cuda->stream, there);
        status = cuda_check_launch(what, error);
    }
    if (!status)
        status = cuda_check(
            cudaMemcpyAsync(here, there, sizeof *here, cudaMemcpyDeviceToHost, cuda->stream), what,
            error);
    if (!status)
        status = cuda_check(cudaStreamSynchronize(cuda->stream), what, error);
    cudaFree(there);
    return status;
}

/* Slots of struct there. */
int64_t there_match_bytes(const struct csr *A);
enum status there_match(struct space *space, const struct csr *A, int passes,
                        const struct rescaling *by, struct aggregates *made, struct csr *coarse,
                        uint64_t hash[2], struct error *error);
enum status there_coarsen(struct space *space, const struct csr *A, const struct rescaling *by,
                          struct aggregates *made, struct csr *coarse, uint64_t hash[2],
                          struct error *error);

#endif

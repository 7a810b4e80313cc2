/* Looks (space/find.h) on a GPU: a thread looks at some elements, and atomics join maxima and sums
 * of unsigned numbers. For .cu files. */
#ifndef SPACE_CUDA_CUDA_FIND_CUH
#define SPACE_CUDA_CUDA_FIND_CUH

#include "space/cuda/cuda_setup.cuh"
#include "space/find.h"

#include <algorithm>
#include <string.h>

enum { FIND_BLOCKS = 4096 }; /* more than run at a time on a device */

/* Zeroed first. most[k]: as ordered() has it. */
struct cuda_found {
    unsigned long long most[2], sum;
};

/* Maps doubles to unsigned numbers in the same order; NaN to 0, below all, so that no maximum takes
 * it. */
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

static inline struct found found_of(const struct cuda_found *found)
{
    return {{value_of(found->most[0]), value_of(found->most[1])}, found->sum};
}

/* The results of FINDINGS_MOST looks on the device, all 0. */
static inline enum status cuda_found_take(struct space_cuda *cuda, const char *what,
                                          struct cuda_found **device, struct error *error)
{
    enum status status =
        cuda_grow(cuda, &cuda->found, FINDINGS_MOST * sizeof **device, 0, what, error);
    *device = (struct cuda_found *)cuda->found.memory;
    return status;
}

/* Brings `count` results to the host when the launches are done. status: of the launches. */
static inline enum status cuda_found_give(struct space_cuda *cuda, int count, const char *what,
                                          enum status status, struct cuda_found *found,
                                          struct error *error)
{
    if (!status)
        status = cuda_check_launch(what, error);
    if (!status)
        status =
            cuda_take(cuda, count * (int64_t)sizeof *found, cuda->found.memory, found, what, error);
    if (status)
        cuda->found.bytes = 0; /* they may not be 0: later looks take others */
    return status;
}

/* Calls launch(stream, device), and takes its result from the device. */
template <typename Launch>
static enum status cuda_find(struct space *space, const char *what, struct cuda_found *found,
                             struct error *error, Launch launch)
{
    struct space_cuda *cuda = space_cuda_of(space);
    struct cuda_found *device;
    enum status status = cuda_found_take(cuda, what, &device, error);
    if (status)
        return status;
    launch(cuda->stream, device);
    return cuda_found_give(cuda, 1, what, STATUS_OK, found, error);
}

/* Launches the look at n > 0 elements. */
typedef void find_launcher(cudaStream_t stream, int64_t n, const void *work,
                           struct cuda_found *found);

template <typename Work, void (*LOOK)(const Work *work, int64_t i, struct found *found)>
__global__ static void __launch_bounds__(THREADS)
    cuda_look(const __grid_constant__ Work work, int64_t n, struct cuda_found *found)
{
    struct found own = FOUND_NOTHING;
    for (int64_t i = own_row(); i < n; i += gridDim.x * (int64_t)THREADS)
        LOOK(&work, i, &own);
    grow_most(&found->most[0], ordered(own.most[0]));
    grow_most(&found->most[1], ordered(own.most[1]));
    grow_sum(&found->sum, own.sum);
}

template <typename Work, void (*LOOK)(const Work *work, int64_t i, struct found *found)>
static void cuda_launch_look(cudaStream_t stream, int64_t n, const void *work,
                             struct cuda_found *found)
{
    unsigned int blocks = std::min<unsigned int>(blocks_for(n), FIND_BLOCKS);
    cuda_look<Work, LOOK><<<blocks, THREADS, 0, stream>>>(*(const Work *)work, n, found);
}

#endif

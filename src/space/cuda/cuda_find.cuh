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

/* Calls launch(stream, device), and copies its result from the device. */
template <typename Launch>
static enum status cuda_find(struct space *space, const char *what, struct cuda_found *found,
                             struct error *error, Launch launch)
{
    struct space_cuda *cuda = space_cuda_of(space);
    struct cuda_found *device = NULL;
    enum status status = zeros(cuda, 1, sizeof *device, what, (void **)&device, error);
    if (!status) {
        launch(cuda->stream, device);
        status = bring(cuda, what, device, found, error);
    }
    cuda_free(cuda, device);
    return status;
}

template <typename Work, void (*LOOK)(const Work *work, int64_t i, struct found *found)>
__global__ static void __launch_bounds__(THREADS)
    cuda_look(const __grid_constant__ Work work, int64_t n, struct cuda_found *found)
{
    struct found own = {{-INFINITY, -INFINITY}, 0};
    for (int64_t i = own_row(); i < n; i += gridDim.x * (int64_t)THREADS)
        LOOK(&work, i, &own);
    grow_most(&found->most[0], ordered(own.most[0]));
    grow_most(&found->most[1], ordered(own.most[1]));
    grow_sum(&found->sum, own.sum);
}

template <typename Work, void (*LOOK)(const Work *work, int64_t i, struct found *found)>
static enum status cuda_find_all(struct space *space, const struct find *find, int64_t n,
                                 const void *work, struct found *found, struct error *error)
{
    struct cuda_found all = {};
    enum status status = cuda_find(
        space, find->name, &all, error, [&](cudaStream_t stream, struct cuda_found *device) {
            unsigned int blocks = std::min<unsigned int>(blocks_for(n), FIND_BLOCKS);
            cuda_look<Work, LOOK><<<blocks, THREADS, 0, stream>>>(*(const Work *)work, n, device);
        });
    *found = found_of(&all);
    return status;
}

#endif

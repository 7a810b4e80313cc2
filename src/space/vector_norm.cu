#include "space/vector_norm.h"

#include "space/cuda/cuda_setup.cuh"

#include <math.h>

static const char *const what = "the norm of a vector";

/* The bits of the largest magnitude, ordered as these are. */
__global__ static void __launch_bounds__(THREADS)
    find_largest(int64_t n, const double *v, unsigned long long *largest)
{
    unsigned long long bits = 0;
    for (int64_t i = own_row(); i < n; i += gridDim.x * (int64_t)THREADS)
        bits = max(bits, (unsigned long long)__double_as_longlong(v[i]) & INT64_MAX);
    grow_most(largest, bits);
}

/* A lane makes a part. */
__global__ static void __launch_bounds__(WARP)
    sum_squares(int64_t n, const double *v, const struct vector_norm_scale by,
                struct compensated *parts)
{
    int64_t part = blockIdx.x * (int64_t)WARP + threadIdx.x, end = vector_norm_begin(n, part + 1);
    struct compensated squares = {0, 0};
#pragma unroll 16
    for (int64_t i = vector_norm_begin(n, part); i < end; i++) {
        double scaled = vector_norm_scaled(&by, v[i]);
        squares = compensated_add_product(squares, scaled, scaled);
    }
    parts[part] = squares;
}

/* A lane for each group; then the first lane adds the groups. */
__global__ static void __launch_bounds__(WARP)
    join_parts(int groups, const struct compensated *parts, struct compensated *squares)
{
    __shared__ struct compensated sums[VECTOR_NORM_GROUPS];
    if ((int)threadIdx.x < groups)
        sums[threadIdx.x] =
            vector_norm_chain(VECTOR_NORM_GROUP, parts + threadIdx.x * VECTOR_NORM_GROUP);
    __syncwarp();
    if (threadIdx.x == 0)
        *squares = vector_norm_chain(groups, sums);
}

static enum status look(struct space_cuda *cuda, int64_t n, const double *v, double *largest,
                        struct error *error)
{
    enum { BLOCKS = 4096 }; /* more than a device has at work at a time */
    unsigned long long *device = NULL;
    enum status status = zeros(cuda, 1, sizeof *device, what, (void **)&device, error);
    if (!status) {
        unsigned int blocks = min(blocks_for(n), (unsigned int)BLOCKS);
        find_largest<<<blocks, THREADS, 0, cuda->stream>>>(n, v, device);
        status = bring(cuda, what, (const double *)device, largest, error);
    }
    cuda_free(cuda, device);
    return status;
}

static enum status sum(struct space_cuda *cuda, int64_t n, const double *v,
                       const struct vector_norm_scale *by, double *norm, struct error *error)
{
    int count = vector_norm_parts(n);
    struct compensated squares, *parts = NULL;
    enum status status = cuda_array(cuda, count + 1, sizeof *parts, what, (void **)&parts, error);
    if (!status) {
        sum_squares<<<count / WARP, WARP, 0, cuda->stream>>>(n, v, *by, parts);
        join_parts<<<1, WARP, 0, cuda->stream>>>(count / VECTOR_NORM_GROUP, parts, parts + count);
        status = bring(cuda, what, parts + count, &squares, error);
    }
    if (!status)
        *norm = vector_norm_root(by, squares);
    cuda_free(cuda, parts);
    return status;
}

enum status vector_norm_cuda(struct space *space, int64_t n, const double *v, double *norm,
                             struct error *error)
{
    double largest;
    space_enter(space);
    enum status status = look(space_cuda_of(space), n, v, &largest, error);
    if (status)
        return status;
    *norm = isfinite(largest) ? 0 : NAN;
    if (!isfinite(largest) || largest == 0)
        return STATUS_OK;
    struct vector_norm_scale by = vector_norm_scale(largest);
    return sum(space_cuda_of(space), n, v, &by, norm, error);
}

CUDA_PUT(vector_norm_cuda)

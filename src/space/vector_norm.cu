#include "space/vector_norm.h"

#include "space/cuda/cuda_setup.cuh"

#include <math.h>
#include <string.h>

static const char *const what = "the norm of a vector";

struct found {
    unsigned long long largest; /* the bits of the largest magnitude, ordered as these are */
    struct compensated squares; /* scaled; nobody reads them if `largest` is 0 or not finite */
};

__global__ static void __launch_bounds__(THREADS)
    find_largest(int64_t n, const double *v, struct found *found)
{
    unsigned long long bits = 0;
    for (int64_t i = own_row(); i < n; i += gridDim.x * (int64_t)THREADS)
        bits = max(bits, (unsigned long long)__double_as_longlong(v[i]) & INT64_MAX);
    grow_most(&found->largest, bits);
}

/* A lane makes a part. */
__global__ static void __launch_bounds__(WARP)
    sum_squares(int64_t n, const double *v, const struct found *found, struct compensated *parts)
{
    const struct vector_norm_scale by =
        vector_norm_scale(__longlong_as_double((long long)found->largest));
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
    join_parts(int groups, const struct compensated *parts, struct found *found)
{
    __shared__ struct compensated sums[VECTOR_NORM_GROUPS];
    if ((int)threadIdx.x < groups)
        sums[threadIdx.x] =
            vector_norm_chain(VECTOR_NORM_GROUP, parts + threadIdx.x * VECTOR_NORM_GROUP);
    __syncwarp();
    if (threadIdx.x == 0)
        found->squares = vector_norm_chain(groups, sums);
}

static double norm_of(const struct found *found)
{
    double largest;
    memcpy(&largest, &found->largest, sizeof largest);
    if (!isfinite(largest) || largest == 0)
        return isfinite(largest) ? 0 : NAN;
    struct vector_norm_scale by = vector_norm_scale(largest);
    return vector_norm_root(&by, found->squares);
}

enum status vector_norm_cuda(struct space *space, int64_t n, const double *v, double *norm,
                             struct error *error)
{
    enum { BLOCKS = 4096 }; /* more than a device has at work at a time */
    struct space_cuda *cuda = space_cuda_of(space);
    struct found *device = NULL, found;
    struct compensated *parts = NULL;
    int count = vector_norm_parts(n);
    space_enter(space);
    enum status status = zeros(cuda, 1, sizeof *device, what, (void **)&device, error);
    if (!status)
        status = cuda_array(cuda, count, sizeof *parts, what, (void **)&parts, error);
    if (!status) {
        unsigned int blocks = min(blocks_for(n), (unsigned int)BLOCKS);
        find_largest<<<blocks, THREADS, 0, cuda->stream>>>(n, v, device);
        sum_squares<<<count / WARP, WARP, 0, cuda->stream>>>(n, v, device, parts);
        join_parts<<<1, WARP, 0, cuda->stream>>>(count / VECTOR_NORM_GROUP, parts, device);
        status = bring(cuda, what, device, &found, error);
    }
    if (!status)
        *norm = norm_of(&found);
    cuda_free(cuda, parts);
    cuda_free(cuda, device);
    return status;
}

CUDA_PUT(vector_norm_cuda)

/* A vector is made element by element, a thread each, and its dot product with another comes out of
 * registers: a warp makes a tile of cgsolve/sum_order.h, lane by lane, as in cuda_vectors.cu. Where
 * the reductions have no order, or are a library's, the vector is made first and summed by the
 * space's dot. */
#include "space/cuda_make.h"

#include "space/cuda_sum.cuh"
#include "space/cuda_vectors.h"
#include "space/cuda_work.cuh"

enum { THREADS = 256, TILES_A_BLOCK = THREADS / CUDA_WARP };

static unsigned int blocks_of(int64_t n, int64_t a_block)
{
    return (unsigned int)((n + a_block - 1) / a_block);
}

/* What is made: `at` gives element i, after it has read all that it needs of z. */
struct block_rows {
    unsigned int n, block;
    const double *values, *r;
    double *z;

    __device__ double at(unsigned int i) const
    {
        unsigned int first = i - i % block, last = min(first + block, n);
        double s = values[i] * r[first];
        for (unsigned int j = 1; j < last - first; j++)
            s = fma(values[(size_t)j * n + i], r[first + j], s);
        return s;
    }
    __device__ double other(unsigned int i) const
    {
        return r[i];
    }
};

struct combined {
    unsigned int n;
    double c0, c1, c2, c3;
    const double *v0, *v1, *v2, *v3;
    double *z;

    __device__ double at(unsigned int i) const
    {
        return fma(c0, v0[i], fma(c1, v1[i], fma(c2, v2[i], c3 * v3[i])));
    }
    __device__ double other(unsigned int i) const
    {
        return v2[i];
    }
};

template <typename Made>
__global__ static void __launch_bounds__(THREADS) make_kernel(Made made, const int64_t *ended)
{
    unsigned int i = blockIdx.x * (unsigned int)THREADS + threadIdx.x;
    if (i < made.n && !is_over(ended))
        made.z[i] = made.at(i);
}

template <typename Made, typename Sum>
__global__ static void __launch_bounds__(THREADS)
    make_and_sum_kernel(Made made, const int64_t *ended, struct cuda_sum sum, double *result)
{
    __shared__ double shared[2 * SUM_TILE];
    if (is_over(ended))
        return;
    if (blockIdx.x == 0) {
        Sum total = cuda_sum_take_all<Sum>(sum.slots, sum.tiles, shared);
        if (threadIdx.x == 0)
            *result = total.value();
        return;
    }
    int64_t tile = (blockIdx.x - 1) * (int64_t)TILES_A_BLOCK + threadIdx.x / CUDA_WARP;
    if (tile >= sum.tiles)
        return;
    unsigned int begin = (unsigned int)tile * SUM_TILE, end = min(begin + SUM_TILE, made.n);
    Sum total = Sum::zero();
    for (unsigned int i = begin + threadIdx.x % CUDA_WARP; i < end; i += SUM_LANES) {
        double z = made.at(i);
        made.z[i] = z;
        total.add_product(made.other(i), z);
    }
    __syncwarp();
    total = cuda_lanes_tree(total);
    if (threadIdx.x % CUDA_WARP == 0)
        cuda_sum_put(sum, tile, total);
}

template <typename Sum, typename Made>
static enum status make_and_sum(struct space_cuda *cuda, const Made &made, double *result,
                                struct error *error)
{
    enum status status = cuda_sum_prepare(cuda, made.n, error);
    if (status)
        return status;
    make_and_sum_kernel<Made, Sum>
        <<<1 + blocks_of(cuda->sum.tiles, TILES_A_BLOCK), THREADS, 0, cuda->stream>>>(
            made, cuda->base.ended, cuda->sum, result);
    return cuda_check_launch("a vector with its sum", error);
}

/* dot = NULL: not wanted */
template <typename Made>
static enum status make(struct space *space, const Made &made, const double *other, double *dot,
                        struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    if (dot && space->reductions == REDUCTIONS_REPRODUCIBLE)
        return make_and_sum<plain_sum>(cuda, made, dot, error);
    if (dot && space->reductions == REDUCTIONS_COMPENSATED)
        return make_and_sum<compensated_sum>(cuda, made, dot, error);
    make_kernel<<<blocks_of(made.n, THREADS), THREADS, 0, cuda->stream>>>(made, space->ended);
    enum status status = cuda_check_launch("a vector", error);
    return status || !dot ? status : cuda_dot(space, made.n, other, made.z, dot, error);
}

enum status cuda_apply_blocks(struct space *space, int64_t n, int64_t block, const double *values,
                              const double *r, double *z, double *dot, struct error *error)
{
    struct block_rows made = {};
    made.n = (unsigned int)n;
    made.block = (unsigned int)block;
    made.values = values;
    made.r = r;
    made.z = z;
    return make(space, made, r, dot, error);
}

enum status cuda_combine(struct space *space, int64_t n, const struct combination *combination,
                         struct error *error)
{
    const struct combination &given = *combination;
    struct combined made = {};
    made.n = (unsigned int)n;
    made.c0 = given.c[0];
    made.c1 = given.c[1];
    made.c2 = given.c[2];
    made.c3 = given.c[3];
    made.v0 = given.v[0];
    made.v1 = given.v[1];
    made.v2 = given.v[2];
    made.v3 = given.v[3];
    made.z = given.z;
    return make(space, made, given.v[2], given.dot, error);
}

/* The step of a Lanczos recurrence on a GPU: y -= a x + b u and y . y, in one pass where the
 * reductions have an order. A warp takes a tile of cgsolve/sum_order.h, as in cuda_vectors.cu; 32
 * bytes a row with u. */
#include "space/cuda_sum.cuh"
#include "space/cuda_vectors.h"
#include "space/cuda_work.cuh"

namespace
{

enum { THREADS = 256, TILES_A_BLOCK = THREADS / CUDA_WARP, AT_ONCE = 5 };

struct recurrence {
    int64_t n;
    const double *a, *x, *b, *u; /* u = NULL: no such term */
    double *y;
    const int64_t *ended;
};

/* Element i is read here, and updated when the scalars are known: all loads of a lane are on their
 * way before. */
struct element {
    double x, u, y;
    __device__ void load(const struct recurrence &work, int64_t i)
    {
        x = work.x[i];
        u = work.u ? work.u[i] : 0;
        y = work.y[i];
    }
    __device__ double update(double a, double b, bool two)
    {
        y = fma(-a, x, y);
        if (two)
            y = fma(-b, u, y);
        return y;
    }
};

template <typename Sum>
__global__ void __launch_bounds__(THREADS)
    recurrence_kernel(struct recurrence work, struct cuda_sum sum, double *result)
{
    __shared__ double shared[2 * SUM_TILE];
    if (is_over(work.ended))
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
    int64_t begin = tile * SUM_TILE;
    int lane = threadIdx.x % CUDA_WARP, count = (int)min((int64_t)SUM_TILE, work.n - begin);
    double a = *work.a, b = work.u ? *work.b : 0;
    Sum terms = Sum::zero();
#pragma unroll 1
    for (int k = lane; k < count; k += AT_ONCE * SUM_LANES) {
        struct element at[AT_ONCE];
#pragma unroll
        for (int s = 0; s < AT_ONCE; s++)
            if (k + s * SUM_LANES < count)
                at[s].load(work, begin + k + s * SUM_LANES);
#pragma unroll
        for (int s = 0; s < AT_ONCE; s++)
            if (k + s * SUM_LANES < count) {
                double y = at[s].update(a, b, work.u);
                work.y[begin + k + s * SUM_LANES] = y;
                terms.add_product(y, y);
            }
    }
    __syncwarp();
    terms = cuda_lanes_tree(terms);
    if (lane == 0)
        cuda_sum_put(sum, tile, terms);
}

/* Only the update, for sums that are made apart. */
__global__ void __launch_bounds__(THREADS) update_kernel(struct recurrence work)
{
    int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (i >= work.n || is_over(work.ended))
        return;
    struct element at;
    at.load(work, i);
    work.y[i] = at.update(*work.a, work.u ? *work.b : 0, work.u);
}

unsigned int blocks_of(int64_t count, int64_t a_block)
{
    return (unsigned int)((count + a_block - 1) / a_block);
}

template <typename Sum>
enum status run_ordered(struct space_cuda *cuda, const struct recurrence *work, double *result,
                        struct error *error)
{
    enum status status = cuda_sum_prepare(cuda, work->n, error);
    if (status)
        return status;
    recurrence_kernel<Sum>
        <<<1 + blocks_of(cuda->sum.tiles, TILES_A_BLOCK), THREADS, 0, cuda->stream>>>(
            *work, cuda->sum, result);
    return cuda_check_launch("a step of a recurrence", error);
}

} // namespace

enum status cuda_axmy_axmy_norm_squared(struct space *space, int64_t n, const double *a,
                                        const double *x, const double *b, const double *u,
                                        double *y, double *result, struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    struct recurrence work = {n, a, x, b, u, y, space->ended};
    if (space->reductions == REDUCTIONS_REPRODUCIBLE)
        return run_ordered<plain_sum>(cuda, &work, result, error);
    if (space->reductions == REDUCTIONS_COMPENSATED)
        return run_ordered<compensated_sum>(cuda, &work, result, error);
    update_kernel<<<blocks_of(n, THREADS), THREADS, 0, cuda->stream>>>(work);
    enum status status = cuda_check_launch("a step of a recurrence", error);
    return status ? status : cuda_dot(space, n, y, y, result, error);
}

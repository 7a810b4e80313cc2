/* The vector operations of the CUDA space. A warp takes a tile of cgsolve/sum_order.h at a time:
 * its lanes read 32 neighbouring elements in each of 15 steps, so an operation that updates a
 * vector and then takes a norm moves each vector through memory once, and the norm comes out of
 * registers. */
#include "space/cuda_vectors.h"

#include "base/memory.h"
#include "space/cuda_sum.cuh"
#include "space/cuda_work.cuh"

#include <cublas_v2.h>

enum { THREADS = 256, TILES_A_BLOCK = THREADS / CUDA_WARP };

static unsigned int blocks_of(int64_t n, int64_t a_block)
{
    return (unsigned int)((n + a_block - 1) / a_block);
}

__global__ static void fill_kernel(int64_t n, double value, double *v)
{
    int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (i < n)
        v[i] = value;
}

enum status cuda_fill(struct space *space, int64_t n, double value, double *v, struct error *error)
{
    fill_kernel<<<blocks_of(n, THREADS), THREADS, 0, space_cuda_of(space)->stream>>>(n, value, v);
    return cuda_check_launch("fill", error);
}

enum status cuda_copy(struct space *space, int64_t n, const double *x, double *y,
                      struct error *error)
{
    return cuda_check(cudaMemcpyAsync(y, x, (size_t)n * sizeof *x, cudaMemcpyDeviceToDevice,
                                      space_cuda_of(space)->stream),
                      "copy", error);
}

/* A lane's steps through its tile, and how many of them are on their way at once. In a small system
 * a kernel lasts as long as the memory takes to answer, once or several times in turn: all steps at
 * once, and the scalars with them, are best. A large one wants many warps, and so few registers in
 * each. Below so many tiles an H200 has room for all their warps. */
enum { ALL_STEPS = SUM_TILE / SUM_LANES, SOME_STEPS = 5, ALL_STEPS_BELOW = 3000 };

/* False when the iteration is over: nothing has been done then. */
template <bool UPDATE, int AT_ONCE, typename Sum>
__device__ static bool tile_sum(const struct tile_work &work, int64_t tile, Sum *result)
{
    const double *first = UPDATE ? work.updated : work.x, *second = UPDATE ? work.q : work.y;
    int64_t over = work.ended ? *work.ended : 0, begin = tile * SUM_TILE;
    double numerator = UPDATE ? *work.a.numerator : 0,
           denominator = UPDATE ? *work.a.denominator : 0;
    if (AT_ONCE == SOME_STEPS && over)
        return false;
    int count = (int)min((int64_t)SUM_TILE, work.n - begin);
    Sum sum = Sum::zero();
#pragma unroll 1
    for (int k = threadIdx.x % CUDA_WARP; k < count; k += AT_ONCE * SUM_LANES) {
        double a[AT_ONCE], b[AT_ONCE];
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            if (k + u * SUM_LANES < count) {
                a[u] = first[begin + k + u * SUM_LANES];
                b[u] = second[begin + k + u * SUM_LANES];
            }
        if (over)
            break;
        bool steps = UPDATE && cg_may_divide(denominator);
        double factor = steps ? numerator / denominator : 0;
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            if (k + u * SUM_LANES < count) {
                if (steps) {
                    a[u] = fma(-factor, b[u], a[u]);
                    work.updated[begin + k + u * SUM_LANES] = a[u];
                }
                sum.add_product(a[u], UPDATE ? a[u] : b[u]);
            }
        if (AT_ONCE == ALL_STEPS)
            break; /* said, so that the division is not done before the loads */
    }
    if (over)
        return false;
    __syncwarp();
    *result = cuda_lanes_tree(sum);
    return true;
}

/* What becomes of a sum: it is written to *result, and then, with scalars, the iteration goes
 * on. */
struct delivery {
    double *result;
    struct cg_scalars *scalars;
};

__device__ static void deliver(const struct delivery &to, double sum)
{
    *to.result = sum;
    if (to.scalars)
        cg_scalars_advance(to.scalars);
}

template <bool UPDATE, int AT_ONCE, typename Sum>
__global__ static void __launch_bounds__(THREADS, AT_ONCE == ALL_STEPS ? 3 : 6)
    ordered_kernel(struct tile_work work, struct cuda_sum sum, struct delivery to)
{
    __shared__ double shared[2 * SUM_TILE];
    Sum total;
    if (blockIdx.x == 0) {
        if (is_over(work.ended))
            return;
        total = cuda_sum_take_all<Sum>(sum.slots, sum.tiles, shared);
        if (threadIdx.x == 0)
            deliver(to, total.value());
        return;
    }
    int64_t tile = (blockIdx.x - 1) * (int64_t)(blockDim.x / CUDA_WARP) + threadIdx.x / CUDA_WARP;
    if (tile < sum.tiles && tile_sum<UPDATE, AT_ONCE>(work, tile, &total) &&
        threadIdx.x % CUDA_WARP == 0)
        cuda_sum_put(sum, tile, total);
}

/* The tiles are added in the order in which their warps get there. */
template <bool UPDATE>
__global__ static void __launch_bounds__(THREADS)
    atomic_kernel(struct tile_work work, int64_t tiles, double *result)
{
    int64_t tile = blockIdx.x * (int64_t)TILES_A_BLOCK + threadIdx.x / CUDA_WARP;
    if (tile >= tiles)
        return;
    plain_sum total;
    if (tile_sum<UPDATE, SOME_STEPS>(work, tile, &total) && threadIdx.x % CUDA_WARP == 0)
        atomicAdd(result, total.value());
}

__global__ static void zero_kernel(double *result, const int64_t *ended)
{
    if (!is_over(ended))
        *result = 0;
}

/* Only the update, for a dot product that a library makes. */
__global__ static void update_kernel(struct tile_work work)
{
    int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (i >= work.n || is_over(work.ended) || !cg_may_divide(*work.a.denominator))
        return;
    double a = *work.a.numerator / *work.a.denominator;
    work.updated[i] = fma(-a, work.q[i], work.updated[i]);
}

static enum status blas_check(cublasStatus_t result, const char *what, struct error *error)
{
    if (result == CUBLAS_STATUS_SUCCESS)
        return STATUS_OK;
    return error_set(error, STATUS_DEVICE, "cuBLAS: %s: %s", what, cublasGetStatusString(result));
}

static enum status blas_prepare(struct space_cuda *cuda, struct error *error)
{
    if (cuda->blas)
        return STATUS_OK;
    cublasHandle_t handle;
    enum status status = blas_check(cublasCreate(&handle), "create", error);
    if (status)
        return status;
    cuda->blas = handle;
    status = blas_check(cublasSetStream(handle, cuda->stream), "stream", error);
    if (!status)
        status = blas_check(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE),
                            "pointer mode", error);
    if (!status)
        status = blas_check(cublasSetAtomicsMode(handle, CUBLAS_ATOMICS_NOT_ALLOWED),
                            "atomics mode", error);
    return status;
}

static enum status run_blas(struct space_cuda *cuda, const struct tile_work *work, double *result,
                            struct error *error)
{
    enum status status = blas_prepare(cuda, error);
    if (!status && work->q) {
        update_kernel<<<blocks_of(work->n, THREADS), THREADS, 0, cuda->stream>>>(*work);
        status = cuda_check_launch("update", error);
    }
    if (!status)
        status = blas_check(
            cublasDdot((cublasHandle_t)cuda->blas, (int)work->n, work->x, 1, work->y, 1, result),
            "dot", error);
    return status;
}

template <bool UPDATE, typename Sum>
static enum status run_ordered(struct space_cuda *cuda, const struct tile_work *work,
                               struct delivery to, struct error *error)
{
    enum status status = cuda_sum_prepare(cuda, work->n, error);
    if (status)
        return status;
    int64_t tiles = cuda->sum.tiles;
    if (tiles < ALL_STEPS_BELOW) { /* small blocks, for all processors to have one */
        const int threads = THREADS / 2;
        ordered_kernel<UPDATE, ALL_STEPS, Sum>
            <<<1 + blocks_of(tiles, threads / CUDA_WARP), threads, 0, cuda->stream>>>(
                *work, cuda->sum, to);
    } else {
        ordered_kernel<UPDATE, SOME_STEPS, Sum>
            <<<1 + blocks_of(tiles, TILES_A_BLOCK), THREADS, 0, cuda->stream>>>(*work, cuda->sum,
                                                                                to);
    }
    return cuda_check_launch("a sum", error);
}

template <typename Sum>
static enum status run_in_order(struct space_cuda *cuda, const struct tile_work *work,
                                struct delivery to, struct error *error)
{
    return work->q ? run_ordered<true, Sum>(cuda, work, to, error)
                   : run_ordered<false, Sum>(cuda, work, to, error);
}

static enum status run_atomic(struct space_cuda *cuda, const struct tile_work *work, double *result,
                              struct error *error)
{
    int64_t tiles = sum_tiles(work->n);
    unsigned int blocks = blocks_of(tiles, TILES_A_BLOCK);
    zero_kernel<<<1, 1, 0, cuda->stream>>>(result, work->ended);
    if (work->q)
        atomic_kernel<true><<<blocks, THREADS, 0, cuda->stream>>>(*work, tiles, result);
    else
        atomic_kernel<false><<<blocks, THREADS, 0, cuda->stream>>>(*work, tiles, result);
    return cuda_check_launch("an atomic sum", error);
}

__global__ static void advance_kernel(struct cg_scalars *scalars)
{
    cg_scalars_advance(scalars);
}

static enum status advance(struct space_cuda *cuda, struct cg_scalars *scalars, struct error *error)
{
    advance_kernel<<<1, 1, 0, cuda->stream>>>(scalars);
    return cuda_check_launch("the recurrence of the scalars", error);
}

static enum status run(struct space *space, const struct tile_work *work, struct delivery to,
                       struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    enum status status = STATUS_OK;
    switch (space->reductions) {
    case REDUCTIONS_REPRODUCIBLE:
        return run_in_order<plain_sum>(cuda, work, to, error);
    case REDUCTIONS_COMPENSATED:
        return run_in_order<compensated_sum>(cuda, work, to, error);
    case REDUCTIONS_ATOMIC:
        status = run_atomic(cuda, work, to.result, error);
        break;
    case REDUCTIONS_BLAS:
        status = run_blas(cuda, work, to.result, error);
        break;
    case REDUCTIONS_EXACT:
        status = cuda_exact_run(cuda, work, to.result, error);
        break;
    }
    return status || !to.scalars ? status : advance(cuda, to.scalars, error);
}

enum status cuda_dot(struct space *space, int64_t n, const double *x, const double *y,
                     double *result, struct error *error)
{
    struct tile_work work = {};
    work.n = n;
    work.x = x;
    work.y = y;
    work.ended = space->ended;
    return run(space, &work, {result, nullptr}, error);
}

static enum status axmy(struct space *space, int64_t n, struct quotient a, const double *x,
                        double *y, struct delivery to, struct error *error)
{
    struct tile_work work = {};
    work.n = n;
    work.a = a;
    work.q = x;
    work.updated = y;
    work.x = work.y = y;
    work.ended = space->ended;
    return run(space, &work, to, error);
}

enum status cuda_axmy_norm_squared(struct space *space, int64_t n, struct quotient a,
                                   const double *x, double *y, double *result, struct error *error)
{
    return axmy(space, n, a, x, y, {result, nullptr}, error);
}

static constexpr int STEP_ELEMENTS = 2; /* a thread's */

/* All loads are on their way before the scalars are looked at. */
__global__ static void __launch_bounds__(THREADS)
    step_kernel(int64_t n, const double *a, const double *b, const double *r, double *p, double *x,
                const int64_t *ended)
{
    int64_t first = blockIdx.x * (int64_t)(THREADS * STEP_ELEMENTS) + threadIdx.x;
    double ri[STEP_ELEMENTS], pi[STEP_ELEMENTS], xi[STEP_ELEMENTS];
#pragma unroll
    for (int u = 0; u < STEP_ELEMENTS; u++) {
        int64_t i = first + u * THREADS;
        if (i >= n)
            break;
        ri[u] = r[i];
        pi[u] = p[i];
        xi[u] = x[i];
    }
    if (is_over(ended))
        return;
    double alpha = *a, beta = *b;
#pragma unroll
    for (int u = 0; u < STEP_ELEMENTS; u++) {
        int64_t i = first + u * THREADS;
        if (i >= n)
            break;
        x[i] = fma(alpha, pi[u], xi[u]);
        p[i] = fma(beta, pi[u], ri[u]);
    }
}

enum status cuda_axpy_xpby(struct space *space, int64_t n, const double *a, const double *b,
                           const double *r, double *p, double *x, struct error *error)
{
    step_kernel<<<blocks_of(n, THREADS * STEP_ELEMENTS), THREADS, 0,
                  space_cuda_of(space)->stream>>>(n, a, b, r, p, x, space->ended);
    return cuda_check_launch("step", error);
}

__global__ static void axpy_kernel(int64_t n, double a, const double *x, double *y)
{
    int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (i < n)
        y[i] = fma(a, x[i], y[i]);
}

enum status cuda_axpy(struct space *space, int64_t n, double a, const double *x, double *y,
                      struct error *error)
{
    axpy_kernel<<<blocks_of(n, THREADS), THREADS, 0, space_cuda_of(space)->stream>>>(n, a, x, y);
    return cuda_check_launch("axpy", error);
}

enum status cuda_cg_advance(struct space *space, struct cg_scalars *scalars, struct error *error)
{
    return advance(space_cuda_of(space), scalars, error);
}

enum status cuda_cg_step(struct space *space, int64_t n, const double *q, double *r,
                         struct cg_scalars *scalars, struct error *error)
{
    struct quotient alpha = {&scalars->rho, &scalars->curvature};
    return axmy(space, n, alpha, q, r, {&scalars->next_rho, scalars}, error);
}

enum status cuda_sum_prepare(struct space_cuda *cuda, int64_t n, struct error *error)
{
    if (n == cuda->sum_n)
        return STATUS_OK;
    struct cuda_sum sum = {};
    sum.tiles = sum_tiles(n);
    size_t pair = 2 * sizeof(double);
    void *slots;
    enum status status = cuda_array(sum.tiles, pair, "the sums of the tiles", &slots, error);
    if (!status)
        status = cuda_check(cudaMemsetAsync(slots, 0xff, (size_t)sum.tiles * pair, cuda->stream),
                            "emptying the sums of the tiles", error);
    if (status) {
        cudaFree(slots);
        return status;
    }
    sum.slots = (double *)slots;
    cudaFree(cuda->sum.slots);
    cuda->sum = sum;
    cuda->sum_n = n;
    return STATUS_OK;
}

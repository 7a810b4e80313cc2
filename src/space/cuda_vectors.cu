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

template <bool UPDATE, typename Sum>
__device__ static Sum tile_sum(const struct tile_work &work, int64_t tile)
{
    int lane = threadIdx.x % CUDA_WARP;
    int64_t begin = tile * SUM_TILE;
    int count = (int)min((int64_t)SUM_TILE, work.n - begin);
    bool steps = UPDATE && cg_may_divide(*work.a.denominator);
    double a = steps ? *work.a.numerator / *work.a.denominator : 0;
    Sum sum = Sum::zero();
#pragma unroll 5
    for (int k = lane; k < count; k += SUM_LANES) {
        int64_t i = begin + k;
        if (UPDATE) {
            double y = work.updated[i];
            if (steps) {
                y = fma(-a, work.q[i], y);
                work.updated[i] = y;
            }
            sum.add_product(y, y);
        } else {
            sum.add_product(work.x[i], work.y[i]);
        }
    }
    return cuda_lanes_tree(sum);
}

/* With FINISH the warp that comes last makes the sum of the tiles; else they are left in
 * sum.terms[0]. */
template <bool UPDATE, bool FINISH, typename Sum>
__global__ static void __launch_bounds__(THREADS)
    ordered_kernel(struct tile_work work, struct cuda_sum sum, double *result)
{
    int64_t tile = blockIdx.x * (int64_t)TILES_A_BLOCK + threadIdx.x / CUDA_WARP;
    if (tile >= sum.count[0] || is_over(work.ended))
        return;
    Sum total = tile_sum<UPDATE, Sum>(work, tile);
    bool first = threadIdx.x % CUDA_WARP == 0;
    if (!FINISH && first)
        total.store(sum.terms[0], tile);
    if (FINISH && cuda_sum_finish(sum, 0, tile, &total) && first)
        *result = total.value();
}

/* The sum of more than one tile, left in sum.terms[0]. */
template <typename Sum>
__global__ static void __launch_bounds__(THREADS)
    sum_tiles_kernel(struct cuda_sum sum, double *result, const int64_t *ended)
{
    int64_t group = blockIdx.x * (int64_t)TILES_A_BLOCK + threadIdx.x / CUDA_WARP;
    if (group >= sum.count[1] || is_over(ended))
        return;
    Sum total = cuda_sum_group<Sum>(sum, 0, group);
    if (cuda_sum_finish(sum, 1, group, &total) && threadIdx.x % CUDA_WARP == 0)
        *result = total.value();
}

/* The tiles are added in the order in which their warps get there. */
template <bool UPDATE>
__global__ static void __launch_bounds__(THREADS)
    atomic_kernel(struct tile_work work, int64_t tiles, double *result)
{
    int64_t tile = blockIdx.x * (int64_t)TILES_A_BLOCK + threadIdx.x / CUDA_WARP;
    if (tile >= tiles || is_over(work.ended))
        return;
    plain_sum total = tile_sum<UPDATE, plain_sum>(work, tile);
    if (threadIdx.x % CUDA_WARP == 0)
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

/* A warp that hands in its tile waits for the memory fence before the counter. With many tiles that
 * costs more than a second launch: 0.63 against 0.47 ms for a dot product of 2^27 elements on an
 * H200. The bits are the same. */
bool cuda_sum_splits(const struct cuda_sum *sum)
{
    return sum->count[0] >= 8192;
}

template <typename Sum>
static enum status sum_of_tiles(struct space_cuda *cuda, double *result, struct error *error)
{
    unsigned int blocks = blocks_of(cuda->sum.count[1], TILES_A_BLOCK);
    sum_tiles_kernel<Sum>
        <<<blocks, THREADS, 0, cuda->stream>>>(cuda->sum, result, cuda->base.ended);
    return cuda_check_launch("the sum of the tiles", error);
}

enum status cuda_sum_of_tiles(struct space_cuda *cuda, double *result, struct error *error)
{
    return sum_of_tiles<plain_sum>(cuda, result, error);
}

template <bool UPDATE, typename Sum>
static enum status run_ordered(struct space_cuda *cuda, const struct tile_work *work,
                               double *result, struct error *error)
{
    enum status status = cuda_sum_prepare(cuda, work->n, error);
    if (status)
        return status;
    const struct cuda_sum &sum = cuda->sum;
    unsigned int blocks = blocks_of(sum.count[0], TILES_A_BLOCK);
    if (!cuda_sum_splits(&sum)) {
        ordered_kernel<UPDATE, true, Sum><<<blocks, THREADS, 0, cuda->stream>>>(*work, sum, result);
        return cuda_check_launch("a sum", error);
    }
    ordered_kernel<UPDATE, false, Sum><<<blocks, THREADS, 0, cuda->stream>>>(*work, sum, result);
    status = cuda_check_launch("the sums of the tiles", error);
    return status ? status : sum_of_tiles<Sum>(cuda, result, error);
}

template <typename Sum>
static enum status run_in_order(struct space_cuda *cuda, const struct tile_work *work,
                                double *result, struct error *error)
{
    return work->q ? run_ordered<true, Sum>(cuda, work, result, error)
                   : run_ordered<false, Sum>(cuda, work, result, error);
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

static enum status run(struct space *space, const struct tile_work *work, double *result,
                       struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    switch (space->reductions) {
    case REDUCTIONS_REPRODUCIBLE:
        return run_in_order<plain_sum>(cuda, work, result, error);
    case REDUCTIONS_COMPENSATED:
        return run_in_order<compensated_sum>(cuda, work, result, error);
    case REDUCTIONS_ATOMIC:
        return run_atomic(cuda, work, result, error);
    case REDUCTIONS_BLAS:
        return run_blas(cuda, work, result, error);
    case REDUCTIONS_EXACT:
        return cuda_exact_run(cuda, work, result, error);
    }
    return error_set(error, STATUS_CONFIG, "unknown reductions");
}

enum status cuda_dot(struct space *space, int64_t n, const double *x, const double *y,
                     double *result, struct error *error)
{
    struct tile_work work = {};
    work.n = n;
    work.x = x;
    work.y = y;
    work.ended = space->ended;
    return run(space, &work, result, error);
}

enum status cuda_axmy_norm_squared(struct space *space, int64_t n, struct quotient a,
                                   const double *x, double *y, double *result, struct error *error)
{
    struct tile_work work = {};
    work.n = n;
    work.a = a;
    work.q = x;
    work.updated = y;
    work.x = work.y = y;
    work.ended = space->ended;
    return run(space, &work, result, error);
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

__global__ static void advance_kernel(struct cg_scalars *scalars)
{
    cg_scalars_advance(scalars);
}

enum status cuda_cg_advance(struct space *space, struct cg_scalars *scalars, struct error *error)
{
    advance_kernel<<<1, 1, 0, space_cuda_of(space)->stream>>>(scalars);
    return cuda_check_launch("the recurrence of the scalars", error);
}

enum status cuda_cg_step(struct space *space, int64_t n, const double *q, double *r,
                         struct cg_scalars *scalars, struct error *error)
{
    struct quotient alpha = {&scalars->rho, &scalars->curvature};
    enum status status = cuda_axmy_norm_squared(space, n, alpha, q, r, &scalars->next_rho, error);
    return status ? status : cuda_cg_advance(space, scalars, error);
}

/* One allocation holds the terms of all levels and then their counters. */
enum status cuda_sum_prepare(struct space_cuda *cuda, int64_t n, struct error *error)
{
    if (n == cuda->sum_n)
        return STATUS_OK;
    struct cuda_sum sum = {};
    int64_t terms = 0, counters = 0;
    for (int64_t count = sum_tiles(n); sum.levels < CUDA_SUM_LEVELS; count = sum_tiles(count)) {
        sum.count[sum.levels++] = count;
        terms += 2 * count;
        counters += sum_tiles(count);
        if (count == 1)
            break;
    }
    void *memory;
    size_t bytes = (size_t)terms * sizeof(double) + (size_t)counters * sizeof(unsigned int);
    enum status status = cuda_array((int64_t)bytes, 1, "the sums of the tiles", &memory, error);
    if (!status)
        status = cuda_check(cudaMemsetAsync(memory, 0, bytes, cuda->stream), "zeroing", error);
    if (status) {
        cudaFree(memory);
        return status;
    }
    double *next_term = (double *)memory;
    unsigned int *next_counter = (unsigned int *)(next_term + terms);
    for (int level = 0; level < sum.levels; level++) {
        sum.terms[level] = next_term;
        sum.arrived[level] = next_counter;
        next_term += 2 * sum.count[level];
        next_counter += sum_tiles(sum.count[level]);
    }
    cudaFree(cuda->sum_memory);
    cuda->sum = sum;
    cuda->sum_memory = memory;
    cuda->sum_n = n;
    return STATUS_OK;
}

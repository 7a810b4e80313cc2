/* The operations of the CUDA space on vectors side by side. A warp keeps its tile of w
 * (cgsolve/sum_order.h: 15 elements a lane) in registers while the columns of V go by once, 8 bytes
 * an element. */
#include "space/cuda_sum.cuh"
#include "space/cuda_vectors.h"
#include "space/cuda_work.cuh"

namespace
{

enum { THREADS = 256, TILES_A_BLOCK = THREADS / CUDA_WARP, STEPS = SUM_TILE / SUM_LANES };

unsigned int blocks_of(int64_t count, int64_t a_block)
{
    return (unsigned int)((count + a_block - 1) / a_block);
}

/* This warp's tile, and how many of its elements are this lane's first ones: lane + step
 * SUM_LANES < count. */
struct place {
    int64_t tile, begin;
    int lane, count;
    __device__ place(int64_t n, int64_t first_block)
    {
        tile = (blockIdx.x - first_block) * (int64_t)TILES_A_BLOCK + threadIdx.x / CUDA_WARP;
        begin = tile * SUM_TILE;
        lane = threadIdx.x % CUDA_WARP;
        count = (int)min((int64_t)SUM_TILE, n - begin);
    }
    __device__ bool holds(int step) const
    {
        return lane + step * SUM_LANES < count;
    }
    __device__ void load(const double *vector, double element[STEPS]) const
    {
#pragma unroll
        for (int s = 0; s < STEPS; s++)
            element[s] = holds(s) ? vector[begin + lane + s * SUM_LANES] : 0;
    }
};

/* terms[k][tile] = the tile's part of v_k . w. What is past the end adds fma(0, 0, s) = s to a lane
 * that began at +0: nothing. */
__global__ void __launch_bounds__(THREADS)
    panel_dot_kernel(int64_t n, struct panel V, const double *w, double *terms, int64_t tiles)
{
    struct place at(n, 0);
    if (at.tile >= tiles)
        return;
    double mine[STEPS], v[STEPS];
    at.load(w, mine);
    for (int64_t k = 0; k < V.count; k++) {
        at.load(V.values + k * V.stride, v);
        plain_sum sum = plain_sum::zero();
#pragma unroll
        for (int s = 0; s < STEPS; s++)
            sum.add_product(v[s], mine[s]);
        sum = cuda_lanes_tree(sum);
        if (at.lane == 0)
            terms[k * tiles + at.tile] = sum.value();
    }
}

/* The levels above the tiles, a block a column: each makes a tile of its terms one, until one is
 * left. */
__global__ void __launch_bounds__(THREADS) levels_kernel(double *terms, int64_t tiles, double *c)
{
    double *mine = terms + blockIdx.x * tiles;
    int warp = threadIdx.x / CUDA_WARP, lane = threadIdx.x % CUDA_WARP;
    for (int64_t count = tiles; count > 1; count = sum_tiles(count)) {
        int64_t groups = sum_tiles(count);
        for (int64_t first = 0; first < groups; first += TILES_A_BLOCK) {
            int64_t group = first + warp, begin = group * SUM_TILE;
            plain_sum sum = plain_sum::zero();
            if (group < groups) {
                for (int k = lane; k < SUM_TILE && begin + k < count; k += SUM_LANES)
                    sum.add({mine[begin + k]});
                sum = cuda_lanes_tree(sum);
            }
            __syncthreads(); /* the terms that the sums are written over have been read */
            if (group < groups && lane == 0)
                mine[group] = sum.value();
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        c[blockIdx.x] = mine[0] + 0.0; /* not -0 */
}

__global__ void __launch_bounds__(THREADS)
    panel_axmy_kernel(int64_t n, struct panel V, const double *c, double *w, struct cuda_sum sum,
                      double *result)
{
    __shared__ double shared[2 * SUM_TILE];
    if (blockIdx.x == 0) {
        plain_sum total = cuda_sum_take_all<plain_sum>(sum.slots, sum.tiles, shared);
        if (threadIdx.x == 0)
            *result = total.value();
        return;
    }
    struct place at(n, 1);
    if (at.tile >= sum.tiles)
        return;
    double mine[STEPS], v[STEPS];
    at.load(w, mine);
    for (int64_t k = 0; k < V.count; k++) {
        double factor = c[k];
        at.load(V.values + k * V.stride, v);
#pragma unroll
        for (int s = 0; s < STEPS; s++)
            mine[s] = fma(-factor, v[s], mine[s]);
    }
    plain_sum terms = plain_sum::zero();
#pragma unroll
    for (int s = 0; s < STEPS; s++)
        if (at.holds(s)) {
            w[at.begin + at.lane + s * SUM_LANES] = mine[s];
            terms.add_product(mine[s], mine[s]);
        }
    __syncwarp();
    terms = cuda_lanes_tree(terms);
    if (at.lane == 0)
        cuda_sum_put(sum, at.tile, terms);
}

/* Only the update, for sums that are made apart. */
__global__ void __launch_bounds__(THREADS)
    panel_update_kernel(int64_t n, struct panel V, const double *c, double *w)
{
    int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (i >= n)
        return;
    double mine = w[i];
    for (int64_t k = 0; k < V.count; k++)
        mine = fma(-c[k], V.values[k * V.stride + i], mine);
    w[i] = mine;
}

enum { MADE = 4 }; /* columns that a thread makes at once */

/* A block takes `rows` rows of V into shared memory; a thread then makes MADE columns of one of
 * them. */
__global__ void __launch_bounds__(THREADS)
    panel_multiply_kernel(int64_t n, struct panel V, const double *S, int64_t wanted, int rows)
{
    extern __shared__ double old[]; /* [V.count][rows] */
    int64_t begin = blockIdx.x * (int64_t)rows;
    for (int64_t k = threadIdx.x; k < V.count * rows; k += THREADS) {
        int64_t row = begin + k % rows;
        old[k] = row < n ? V.values[k / rows * V.stride + row] : 0;
    }
    __syncthreads();
    int64_t groups = (wanted + MADE - 1) / MADE;
    for (int64_t item = threadIdx.x; item < groups * rows; item += THREADS) {
        int row = (int)(item % rows);
        int64_t j = item / rows * MADE;
        const double *column[MADE];
        double sum[MADE] = {0};
#pragma unroll
        for (int c = 0; c < MADE; c++) /* the last one again where there are fewer */
            column[c] = S + min(j + c, wanted - 1) * V.count;
#pragma unroll 4
        for (int64_t k = 0; k < V.count; k++) {
            double v = old[k * rows + row];
#pragma unroll
            for (int c = 0; c < MADE; c++)
                sum[c] = fma(v, column[c][k], sum[c]);
        }
        for (int c = 0; c < MADE; c++)
            if (j + c < wanted && begin + row < n)
                V.values[(j + c) * V.stride + begin + row] = sum[c];
    }
}

__global__ void __launch_bounds__(THREADS)
    normalise_kernel(int64_t n, const double *norm_squared, double *norm, double *v)
{
    int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    double length = sqrt(*norm_squared);
    if (i < n)
        v[i] = v[i] / length;
    if (i == 0)
        *norm = length;
}

/* Room for a term a tile and column. */
enum status prepare_terms(struct space_cuda *cuda, int64_t count, struct error *error)
{
    if (count <= cuda->panel_terms_count)
        return STATUS_OK;
    void *terms;
    enum status status =
        cuda_array(count, sizeof(double), "the sums of the tiles of a basis", &terms, error);
    if (status)
        return status;
    cudaFree(cuda->panel_terms);
    cuda->panel_terms = (double *)terms;
    cuda->panel_terms_count = count;
    return STATUS_OK;
}

} // namespace

enum status cuda_panel_dot(struct space *space, int64_t n, const struct panel *V, const double *w,
                           double *c, struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    enum status status = STATUS_OK;
    if (space->reductions != REDUCTIONS_REPRODUCIBLE) {
        for (int64_t k = 0; k < V->count && !status; k++)
            status = cuda_dot(space, n, V->values + k * V->stride, w, &c[k], error);
        return status;
    }
    int64_t tiles = sum_tiles(n);
    status = prepare_terms(cuda, tiles * V->count, error);
    if (status || V->count == 0)
        return status;
    panel_dot_kernel<<<blocks_of(tiles, TILES_A_BLOCK), THREADS, 0, cuda->stream>>>(
        n, *V, w, cuda->panel_terms, tiles);
    levels_kernel<<<(unsigned int)V->count, THREADS, 0, cuda->stream>>>(cuda->panel_terms, tiles,
                                                                        c);
    return cuda_check_launch("products with a basis", error);
}

enum status cuda_panel_axmy_norm_squared(struct space *space, int64_t n, const struct panel *V,
                                         const double *c, double *w, double *result,
                                         struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    if (space->reductions != REDUCTIONS_REPRODUCIBLE) {
        panel_update_kernel<<<blocks_of(n, THREADS), THREADS, 0, cuda->stream>>>(n, *V, c, w);
        enum status status = cuda_check_launch("a basis' part of a vector", error);
        return status ? status : cuda_dot(space, n, w, w, result, error);
    }
    enum status status = cuda_sum_prepare(cuda, n, error);
    if (status)
        return status;
    panel_axmy_kernel<<<1 + blocks_of(cuda->sum.tiles, TILES_A_BLOCK), THREADS, 0, cuda->stream>>>(
        n, *V, c, w, cuda->sum, result);
    return cuda_check_launch("a basis' part of a vector", error);
}

enum status cuda_panel_multiply(struct space *space, int64_t n, const struct panel *V,
                                const double *S, int64_t wanted, struct error *error)
{
    enum { MOST_ROWS = 64, GOOD_SHARED = 96 << 10 };
    struct space_cuda *cuda = space_cuda_of(space);
    if (wanted == 0)
        return STATUS_OK;
    int most_shared = 0;
    enum status status =
        cuda_check(cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0),
                   "shared memory of a block", error);
    if (status)
        return status;
    int64_t column = V->count * (int64_t)sizeof(double);
    int64_t shared = most_shared < GOOD_SHARED ? most_shared : GOOD_SHARED;
    int64_t rows = shared / column < MOST_ROWS ? shared / column : MOST_ROWS;
    if (rows < 1)
        rows = 1;
    if (rows * column > most_shared)
        return error_set(error, STATUS_CONFIG,
                         "a basis of %lld vectors is too large: this device restarts at most %d",
                         (long long)V->count, most_shared / (int)sizeof(double));
    status = cuda_check(cudaFuncSetAttribute(panel_multiply_kernel,
                                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             (int)(rows * column)),
                        "shared memory for a basis", error);
    if (status)
        return status;
    panel_multiply_kernel<<<blocks_of(n, rows), THREADS, (size_t)(rows * column), cuda->stream>>>(
        n, *V, S, wanted, (int)rows);
    return cuda_check_launch("a restart of a basis", error);
}

enum status cuda_normalise(struct space *space, int64_t n, const double *norm_squared, double *norm,
                           double *v, struct error *error)
{
    normalise_kernel<<<blocks_of(n, THREADS), THREADS, 0, space_cuda_of(space)->stream>>>(
        n, norm_squared, norm, v);
    return cuda_check_launch("a norm of 1", error);
}

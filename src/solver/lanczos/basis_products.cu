/* A warp keeps its tile of w (space/sum/sum_order.h: 15 elements a lane) in registers while the
 * columns of V go by once, 8 bytes an element: launchers of their own, as a pass of single elements
 * would read the coefficients of all columns for each. */
#include "solver/lanczos/basis_products.h"

#include "space/cuda/cuda_pass.cuh"

namespace
{

constexpr int THREADS = CUDA_THREADS, STEPS = CUDA_ALL_STEPS;

/* This warp's tile, and how many of its elements are this lane's first ones: lane + step
 * SUM_LANES < count. */
struct place {
    int64_t tile, begin;
    int lane, count;
    __device__ place(int64_t n, int64_t first_block)
    {
        tile = (blockIdx.x - first_block) * (int64_t)CUDA_TILES_A_BLOCK + threadIdx.x / CUDA_WARP;
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
        for (int64_t first = 0; first < groups; first += CUDA_TILES_A_BLOCK) {
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
    panel_subtract_kernel(int64_t n, struct panel_subtraction given, const int64_t *ended,
                          struct cuda_sum sum)
{
    __shared__ double shared[2 * SUM_TILE];
    const struct panel &V = given.V;
    double *w = given.w;
    if (cuda_is_over(ended))
        return;
    if (blockIdx.x == 0) {
        if (sum.joined)
            return;
        plain_sum total = cuda_sum_take_all<plain_sum>(sum.slots, sum.tiles, shared);
        if (threadIdx.x == 0)
            *given.squared = total.value();
        return;
    }
    struct place at(n, 1);
    if (at.tile >= sum.tiles)
        return;
    double mine[STEPS], v[STEPS];
    at.load(w, mine);
    for (int64_t k = 0; k < V.count; k++) {
        double factor = given.c[k];
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
    panel_update_kernel(int64_t n, struct panel_subtraction given, const int64_t *ended)
{
    int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (i >= n || cuda_is_over(ended))
        return;
    double mine = given.w[i];
    for (int64_t k = 0; k < given.V.count; k++)
        mine = fma(-given.c[k], given.V.values[k * given.V.stride + i], mine);
    given.w[i] = mine;
}

/* One of them writes the norm, too. */
__global__ void __launch_bounds__(THREADS) normalise_kernel(int64_t n, struct normalisation given)
{
    int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    struct normalise_scalars scalars;
    struct normalise_element element;
    normalise_read(&given, &scalars);
    if (i < n) {
        normalise_load(&given, i, &element);
        normalise_make(&given, &scalars, i, &element);
    }
    if (i == 0)
        normalise_after(&given);
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

} // namespace

/* Where sums have no order of their own, another one, or are those of several ranks, they are made
 * column by column. */
enum status panel_dot_cuda(struct space *space, const struct pass *pass, int64_t n,
                           const void *work, struct error *error)
{
    const struct panel_products *given = (const struct panel_products *)work;
    struct space_cuda *cuda = space_cuda_of(space);
    const struct panel *V = &given->V;
    enum status status = STATUS_OK;
    if (space->reductions != REDUCTIONS_REPRODUCIBLE || space->partition) {
        for (int64_t k = 0; k < V->count && !status; k++)
            status = space_dot(space, n, V->values + k * V->stride, given->w, &given->c[k], error);
        return status;
    }
    int64_t tiles = sum_tiles(n);
    size_t bytes = (size_t)(tiles * V->count) * sizeof(double);
    status = cuda_grow(cuda, &cuda->terms, bytes, 0, "the sums of the tiles of a basis", error);
    if (status || V->count == 0)
        return status;
    double *terms = (double *)cuda->terms.memory;
    panel_dot_kernel<<<cuda_blocks_of(tiles, CUDA_TILES_A_BLOCK), THREADS, 0, cuda->stream>>>(
        n, *V, given->w, terms, tiles);
    levels_kernel<<<(unsigned int)V->count, THREADS, 0, cuda->stream>>>(terms, tiles, given->c);
    return cuda_check_launch(pass->name, error);
}

enum status panel_subtract_cuda(struct space *space, const struct pass *pass, int64_t n,
                                const void *work, struct error *error)
{
    const struct panel_subtraction *given = (const struct panel_subtraction *)work;
    struct space_cuda *cuda = space_cuda_of(space);
    struct cuda_sum sum;
    enum status status = STATUS_OK;
    if (space->reductions != REDUCTIONS_REPRODUCIBLE) {
        panel_update_kernel<<<cuda_blocks_of(n, THREADS), THREADS, 0, cuda->stream>>>(n, *given,
                                                                                      space->ended);
        status = cuda_check_launch(pass->name, error);
        return status ? status : space_dot(space, n, given->w, given->w, given->squared, error);
    }
    status = cuda_sum_prepare(cuda, n, 1, &sum, error);
    if (status)
        return status;
    panel_subtract_kernel<<<1 + cuda_blocks_of(sum.tiles, CUDA_TILES_A_BLOCK), THREADS, 0,
                            cuda->stream>>>(n, *given, space->ended, sum);
    status = cuda_check_launch(pass->name, error);
    return status || !sum.joined ? status : cuda_sum_join(cuda, &sum, given->squared, error);
}

enum status panel_multiply_cuda(struct space *space, const struct pass *pass, int64_t n,
                                const void *work, struct error *error)
{
    enum { MOST_ROWS = 64, GOOD_SHARED = 96 << 10 };
    const struct panel_rotation *given = (const struct panel_rotation *)work;
    struct space_cuda *cuda = space_cuda_of(space);
    const struct panel *V = &given->V;
    int64_t wanted = given->wanted;
    if (wanted == 0)
        return STATUS_OK;
    int most_shared = 0;
    enum status status = cuda_check(
        cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda->device),
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
    status = cuda_allow_shared(cuda, (const void *)panel_multiply_kernel, error);
    if (status)
        return status;
    panel_multiply_kernel<<<cuda_blocks_of(n, rows), THREADS, (size_t)(rows * column),
                            cuda->stream>>>(n, *V, given->S, wanted, (int)rows);
    return cuda_check_launch(pass->name, error);
}

enum status normalise_cuda(struct space *space, const struct pass *pass, int64_t n,
                           const void *work, struct error *error)
{
    normalise_kernel<<<cuda_blocks_of(n, THREADS), THREADS, 0, space_cuda_of(space)->stream>>>(
        n, *(const struct normalisation *)work);
    return cuda_check_launch(pass->name, error);
}

CUDA_PUT(panel_dot_cuda)
CUDA_PUT(panel_subtract_cuda)
CUDA_PUT(panel_multiply_cuda)
CUDA_PUT(normalise_cuda)

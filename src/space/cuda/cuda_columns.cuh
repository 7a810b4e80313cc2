/* Passes of space/elements.h over the columns of multivectors on a GPU, all columns in one launch.
 * Neighbouring threads take neighbouring columns of a row, so memory accesses are contiguous. After
 * CUDA_PASS... of the pass (space/cuda/cuda_pass.cuh) write
 *
 *     CUDA_COLUMNS(NAME)           for one without sums
 *     CUDA_COLUMNS_AT(NAME)        for one of NAME_at
 *     CUDA_COLUMNS_SUMS(NAME)      for one with sums
 *     CUDA_COLUMNS_AFTER(NAME)     for NAME_after alone
 *
 * and defines the launcher NAME_cuda_columns for struct pass. */
#ifndef SPACE_CUDA_CUDA_COLUMNS_CUH
#define SPACE_CUDA_CUDA_COLUMNS_CUH

#include "space/cuda/cuda_pass.cuh"

/* Columns of a block of threads. Of more columns, several blocks read each row. */
constexpr int CUDA_COLUMNS_A_BLOCK = 8;

/* Blocks that wait for the sums of tiles. */
constexpr int CUDA_FINISHERS = 8;

/* By value to a kernel. */
template <typename Work> struct cuda_columns_of {
    Work work[PASS_COLUMNS];
    const int64_t *ended[PASS_COLUMNS];
    int64_t stride;
    int count, together; /* columns; and those of a block, a power of 2 */

    /* The column of the thread; `count` or more: none. */
    __device__ int column(int chunk) const
    {
        return chunk * together + (int)threadIdx.x % together;
    }
};

template <typename Work>
static cuda_columns_of<Work> cuda_columns_take(const struct pass *pass,
                                               const struct pass_columns *columns)
{
    cuda_columns_of<Work> of = {};
    of.stride = columns->stride;
    of.count = columns->count;
    for (of.together = 1; of.together < of.count && of.together < CUDA_COLUMNS_A_BLOCK;)
        of.together *= 2;
    for (int j = 0; j < columns->count; j++) {
        of.work[j] = *(const Work *)columns->work[j];
        of.ended[j] = pass->always ? nullptr : columns->ended[j];
    }
    return of;
}

template <typename Work> static int cuda_columns_chunks(const cuda_columns_of<Work> &of)
{
    return (of.count + of.together - 1) / of.together;
}

/* --- no sums ---------------------------------------------------------------------------------- */

/* A thread takes two elements of a column, and the threads of a block take consecutive rows.
 */
template <typename Pass>
__global__ static void __launch_bounds__(CUDA_THREADS)
    cuda_columns_make_kernel(const __grid_constant__ cuda_columns_of<typename Pass::work> of,
                             int64_t n)
{
    int rows = CUDA_THREADS / of.together, j = of.column(blockIdx.y);
    int64_t first = blockIdx.x * (int64_t)(2 * rows) + threadIdx.x / of.together;
    if (j >= of.count)
        return;
    const typename Pass::work work = of.work[j];
    typename Pass::element at[2];
#pragma unroll
    for (int u = 0; u < 2; u++)
        if (first + u * rows < n)
            Pass::load(work, (first + u * rows) * of.stride, at[u]);
    if (cuda_is_over(of.ended[j]))
        return;
    typename Pass::scalars scalars;
    Pass::read(work, scalars);
    if (!Pass::prepare(scalars))
        return;
#pragma unroll
    for (int u = 0; u < 2; u++)
        if (first + u * rows < n)
            Pass::make(work, scalars, (first + u * rows) * of.stride, at[u]);
}

template <typename Pass>
__global__ static void __launch_bounds__(CUDA_THREADS)
    cuda_columns_at_kernel(const __grid_constant__ cuda_columns_of<typename Pass::work> of,
                           int64_t n)
{
    int rows = CUDA_THREADS / of.together, j = of.column(blockIdx.y);
    int64_t i = blockIdx.x * (int64_t)rows + threadIdx.x / of.together;
    if (i < n && j < of.count && !cuda_is_over(of.ended[j]))
        Pass::at(of.work[j], i * of.stride);
}

template <typename Work>
static dim3 cuda_columns_grid(const cuda_columns_of<Work> &of, int64_t n, int elements)
{
    int64_t rows = CUDA_THREADS / of.together * elements;
    return dim3(cuda_blocks_of(n, rows), (unsigned int)cuda_columns_chunks(of));
}

template <typename Pass>
static enum status cuda_columns_make(struct space *space, const struct pass *pass, int64_t n,
                                     const struct pass_columns *columns, struct error *error)
{
    auto of = cuda_columns_take<typename Pass::work>(pass, columns);
    cuda_columns_make_kernel<Pass>
        <<<cuda_columns_grid(of, n, 2), CUDA_THREADS, 0, space_cuda_of(space)->stream>>>(of, n);
    return cuda_check_launch(pass->name, error);
}

template <typename Pass>
static enum status cuda_columns_at(struct space *space, const struct pass *pass, int64_t n,
                                   const struct pass_columns *columns, struct error *error)
{
    auto of = cuda_columns_take<typename Pass::work>(pass, columns);
    cuda_columns_at_kernel<Pass>
        <<<cuda_columns_grid(of, n, 1), CUDA_THREADS, 0, space_cuda_of(space)->stream>>>(of, n);
    return cuda_check_launch(pass->name, error);
}

/* --- what follows ----------------------------------------------------------------------------- */

template <typename Pass>
__global__ static void
cuda_columns_after_kernel(const __grid_constant__ cuda_columns_of<typename Pass::work> of)
{
    int j = threadIdx.x;
    if (j < of.count && !cuda_is_over(of.ended[j])) {
        const typename Pass::work work = of.work[j];
        Pass::after(work);
    }
}

template <typename Pass>
static enum status cuda_columns_after(struct space *space, const struct pass *pass,
                                      const struct pass_columns *columns, struct error *error)
{
    auto of = cuda_columns_take<typename Pass::work>(pass, columns);
    cuda_columns_after_kernel<Pass><<<1, PASS_COLUMNS, 0, space_cuda_of(space)->stream>>>(of);
    return cuda_check_launch(pass->name, error);
}

/* --- sums in their order ---------------------------------------------------------------------- */

/* A thread is one lane of one column: 32 lanes of each column make the tile, in the steps of
 * space/sum/sum_order.h. Then shared memory brings the lanes of a column into one warp, for the
 * tree. */
template <typename Pass, int AT_ONCE, typename Sum>
__device__ static void cuda_columns_lane(const typename Pass::work &work, int64_t stride,
                                         int64_t begin, int count, int lane, Sum sums[Pass::SUMS])
{
    typename Pass::scalars scalars;
    Pass::read(work, scalars);
    bool moves = false, prepared = false;
#pragma unroll 1
    for (int first = lane; first < count; first += AT_ONCE * SUM_LANES) {
        typename Pass::element at[AT_ONCE];
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            if (first + u * SUM_LANES < count)
                Pass::load(work, (begin + first + u * SUM_LANES) * stride, at[u]);
        if (!prepared)
            moves = Pass::prepare(scalars);
        prepared = true;
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            if (first + u * SUM_LANES < count) {
                if (moves)
                    Pass::make(work, scalars, (begin + first + u * SUM_LANES) * stride, at[u]);
#pragma unroll
                for (int k = 0; k < Pass::SUMS; k++) {
                    double x, y;
                    Pass::term(at[u], k, x, y);
                    sums[k].add_product(x, y);
                }
            }
    }
}

template <typename Pass> struct cuda_columns_results {
    double *result[PASS_COLUMNS][Pass::SUMS];
};

template <typename Pass>
static cuda_columns_results<Pass> cuda_columns_results_of(const struct pass_columns *columns)
{
    cuda_columns_results<Pass> results = {};
    struct pass_sum sum;
    for (int j = 0; j < columns->count; j++)
        for (int k = 0; k < Pass::SUMS; k++) {
            Pass::sum((const typename Pass::work *)columns->work[j], k, &sum);
            results.result[j][k] = sum.result;
        }
    return results;
}

/* The first blocks make no tiles. They take the sums, each for several columns in turn. They wait,
 * so a device must have places for one more block: see cuda_sum.cuh. `slots` of a sum follow those
 * of the previous sum, and of the previous column. */
template <typename Pass, typename Sum>
__device__ static void cuda_columns_finish(const cuda_columns_of<typename Pass::work> &of,
                                           const cuda_columns_results<Pass> &to, int j,
                                           struct cuda_sum sum, double *shared)
{
    if (cuda_is_over(of.ended[j]))
        return;
    const typename Pass::work work = of.work[j];
#pragma unroll
    for (int k = 0; k < Pass::SUMS; k++) {
        Sum total = cuda_sum_take_all<Sum>(sum.slots + 2 * (j * Pass::SUMS + k) * sum.tiles,
                                           sum.tiles, shared);
        if (threadIdx.x == 0)
            *to.result[j][k] = total.value();
    }
    if (threadIdx.x == 0)
        Pass::after(work);
}

template <typename Pass, int AT_ONCE, typename Sum>
__global__ static void __launch_bounds__(CUDA_THREADS, 3)
    cuda_columns_kernel(const __grid_constant__ cuda_columns_of<typename Pass::work> of,
                        const __grid_constant__ cuda_columns_results<Pass> to, int64_t n,
                        struct cuda_sum sum)
{
    __shared__ double shared[2 * SUM_TILE];
    int finishers = min(of.count, CUDA_FINISHERS);
    if ((int)blockIdx.x < finishers) {
        for (int j = blockIdx.x; j < of.count; j += finishers)
            cuda_columns_finish<Pass, Sum>(of, to, j, sum, shared);
        return;
    }
    int chunks = (of.count + of.together - 1) / of.together;
    int parts = CUDA_TILES_A_BLOCK / of.together, block = (int)blockIdx.x - finishers;
    int chunk = block % chunks, j = of.column(chunk), thread = threadIdx.x / of.together;
    int64_t group = block / chunks * (int64_t)parts;
    int64_t tile = group + thread / SUM_LANES, begin = tile * SUM_TILE;
    Sum sums[Pass::SUMS];
#pragma unroll
    for (int k = 0; k < Pass::SUMS; k++)
        sums[k] = Sum::zero();
    if (j < of.count && tile < sum.tiles && !cuda_is_over(of.ended[j])) {
        const typename Pass::work work = of.work[j];
        cuda_columns_lane<Pass, AT_ONCE, Sum>(work, of.stride, begin,
                                              (int)min((int64_t)SUM_TILE, n - begin),
                                              thread % (int)SUM_LANES, sums);
    }
    /* now a warp has a column of a tile */
    int warp = threadIdx.x / CUDA_WARP, lane = threadIdx.x % CUDA_WARP;
    int own = (thread / (int)SUM_LANES * of.together + (int)threadIdx.x % of.together) * SUM_LANES +
              thread % (int)SUM_LANES;
    j = chunk * of.together + warp % of.together;
    tile = group + warp / of.together;
    bool puts = j < of.count && tile < sum.tiles && !cuda_is_over(of.ended[j]) && lane == 0;
#pragma unroll
    for (int k = 0; k < Pass::SUMS; k++) {
        __syncthreads();
        sums[k].to_words(shared + own * Sum::WORDS);
        __syncthreads();
        Sum of_lane = Sum::of_words(shared + threadIdx.x * Sum::WORDS);
        Sum total = cuda_lanes_tree(of_lane);
        struct cuda_sum its = {sum.tiles, sum.slots + 2 * (j * Pass::SUMS + k) * sum.tiles, NULL, 0,
                               NULL};
        if (puts)
            cuda_sum_put(its, tile, total);
    }
}

template <typename Pass, typename Sum>
static enum status cuda_columns_ordered(struct space *space, const struct pass *pass, int64_t n,
                                        const struct pass_columns *columns, struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    struct cuda_sum sum;
    if (space->partition)
        return error_set(error, STATUS_UNAVAILABLE, "ranks with a GPU take one column at a time");
    enum status status = cuda_sum_prepare(cuda, n, columns->count * Pass::SUMS, &sum, error);
    if (status)
        return status;
    auto of = cuda_columns_take<typename Pass::work>(pass, columns);
    unsigned int blocks = cuda_blocks_of(sum.tiles, CUDA_TILES_A_BLOCK / of.together) *
                          (unsigned int)cuda_columns_chunks(of);
    cuda_columns_kernel<Pass, cuda_some_steps<Pass>(), Sum>
        <<<(unsigned int)min(of.count, CUDA_FINISHERS) + blocks, CUDA_THREADS, 0, cuda->stream>>>(
            of, cuda_columns_results_of<Pass>(columns), n, sum);
    return cuda_check_launch(pass->name, error);
}

/* --- and of vectors, in another order --------------------------------------------------------- */

__global__ static void __launch_bounds__(CUDA_THREADS)
    cuda_column_together(const double *column, int64_t stride, int64_t n, double *vector)
{
    int64_t i = blockIdx.x * (int64_t)CUDA_THREADS + threadIdx.x;
    if (i < n)
        vector[i] = column[i * stride];
}

/* One sum of a column, of copies of it. */
static inline enum status cuda_column_sum(struct space *space, int64_t n, int64_t stride,
                                          const struct pass_sum *sum, struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    int64_t apart = (n + SUM_LANES - 1) / SUM_LANES * SUM_LANES; /* y is aligned as x is */
    enum status status = cuda_grow(cuda, &cuda->column, (size_t)(n + apart) * sizeof(double), 0,
                                   "a column of a multivector", error);
    if (status)
        return status;
    double *x = (double *)cuda->column.memory, *y = sum->y == sum->x ? x : x + apart;
    unsigned int blocks = cuda_blocks_of(n, CUDA_THREADS);
    cuda_column_together<<<blocks, CUDA_THREADS, 0, cuda->stream>>>(sum->x, stride, n, x);
    if (y != x)
        cuda_column_together<<<blocks, CUDA_THREADS, 0, cuda->stream>>>(sum->y, stride, n, y);
    status = cuda_check_launch("a column of a multivector", error);
    struct pass_sum of = {x, y, sum->result};
    return status ? status : dot_cuda(space, &pass_dot, n, &of, error);
}

template <typename Pass>
static enum status cuda_columns_unordered(struct space *space, const struct pass *pass, int64_t n,
                                          const struct pass_columns *columns, struct error *error)
{
    const int64_t *before = space->ended;
    enum status status =
        pass->make ? cuda_columns_make<Pass>(space, pass, n, columns, error) : STATUS_OK;
    for (int j = 0; j < columns->count && !status; j++) {
        struct pass_sum sum;
        space->ended = pass->always ? nullptr : columns->ended[j];
        for (int k = 0; k < Pass::SUMS && !status; k++)
            if (Pass::sum((const typename Pass::work *)columns->work[j], k, &sum))
                status = cuda_column_sum(space, n, columns->stride, &sum, error);
    }
    space->ended = before;
    return status || !pass->after ? status : cuda_columns_after<Pass>(space, pass, columns, error);
}

/* --- a pass ----------------------------------------------------------------------------------- */

template <typename Pass>
static enum status cuda_columns_sums(struct space *space, const struct pass *pass, int64_t n,
                                     const struct pass_columns *columns, struct error *error)
{
    struct pass_sum sum;
    if (!Pass::sum((const typename Pass::work *)columns->work[0], 0, &sum)) { /* none is wanted */
        enum status status = cuda_columns_make<Pass>(space, pass, n, columns, error);
        return status || !pass->after ? status
                                      : cuda_columns_after<Pass>(space, pass, columns, error);
    }
    if (space->reductions == REDUCTIONS_REPRODUCIBLE)
        return cuda_columns_ordered<Pass, plain_sum>(space, pass, n, columns, error);
    if (space->reductions == REDUCTIONS_COMPENSATED)
        return cuda_columns_ordered<Pass, compensated_sum>(space, pass, n, columns, error);
    return cuda_columns_unordered<Pass>(space, pass, n, columns, error);
}

#define CUDA_COLUMNS_LAUNCHER(name, call)                                                          \
    extern "C" pass_columns_launcher name##_cuda_columns;                                          \
    enum status name##_cuda_columns(struct space *space, const struct pass *pass, int64_t n,       \
                                    const struct pass_columns *columns, struct error *error)       \
    {                                                                                              \
        return call;                                                                               \
    }                                                                                              \
    CUDA_PUT(name##_cuda_columns)

#define CUDA_COLUMNS(name)                                                                         \
    CUDA_COLUMNS_LAUNCHER(name, (cuda_columns_make<name##_pass>(space, pass, n, columns, error)))

#define CUDA_COLUMNS_SUMS(name)                                                                    \
    CUDA_COLUMNS_LAUNCHER(name, (cuda_columns_sums<name##_pass>(space, pass, n, columns, error)))

#define CUDA_COLUMNS_AFTER(name)                                                                   \
    CUDA_COLUMNS_LAUNCHER(name,                                                                    \
                          ((void)n, cuda_columns_after<name##_pass>(space, pass, columns, error)))

#define CUDA_COLUMNS_AT(name)                                                                      \
    CUDA_COLUMNS_LAUNCHER(name, (cuda_columns_at<name##_pass>(space, pass, n, columns, error)))

#endif

/* Sums of a pass on a GPU, except exact sums: a part of cuda_pass.cuh. */
#ifndef SPACE_CUDA_CUDA_PASS_SUMS_CUH
#define SPACE_CUDA_CUDA_PASS_SUMS_CUH

/* --- sums in their order ---------------------------------------------------------------------- */

/* The destinations of the sums of a pass. */
template <typename Pass> struct cuda_results {
    double *result[Pass::SUMS];
};

template <typename Pass> static cuda_results<Pass> cuda_results_of(const typename Pass::work &work)
{
    cuda_results<Pass> results;
    struct pass_sum sum;
    for (int k = 0; k < Pass::SUMS; k++) {
        Pass::sum(&work, k, &sum);
        results.result[k] = sum.result;
    }
    return results;
}

/* Makes a tile, and lane 0 gets the sums of its terms; false, without any work, if the iteration is
 * over. */
template <typename Pass, int AT_ONCE, typename Sum>
__device__ static bool cuda_make_tile(const typename Pass::work &work, int64_t n,
                                      const int64_t *ended, int64_t tile, Sum sums[Pass::SUMS])
{
    int64_t over = ended ? *ended : 0, begin = tile * SUM_TILE;
    typename Pass::scalars scalars;
    Pass::read(work, scalars);
    if (AT_ONCE != CUDA_ALL_STEPS && over)
        return false;
    int count = (int)min((int64_t)SUM_TILE, n - begin);
#pragma unroll
    for (int k = 0; k < Pass::SUMS; k++)
        sums[k] = Sum::zero();
#pragma unroll 1
    for (int first = threadIdx.x % CUDA_WARP; first < count; first += AT_ONCE * SUM_LANES) {
        typename Pass::element at[AT_ONCE];
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            if (first + u * SUM_LANES < count)
                Pass::load(work, begin + first + u * SUM_LANES, at[u]);
        if (over)
            break;
        bool moves = Pass::prepare(scalars);
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            if (first + u * SUM_LANES < count) {
                if (moves)
                    Pass::make(work, scalars, begin + first + u * SUM_LANES, at[u]);
#pragma unroll
                for (int k = 0; k < Pass::SUMS; k++) {
                    double x, y;
                    Pass::term(at[u], k, x, y);
                    sums[k].add_product(x, y);
                }
            }
        if (AT_ONCE == CUDA_ALL_STEPS)
            break; /* explicit, so that the scalars are not prepared before the loads */
    }
    if (over)
        return false;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < Pass::SUMS; k++)
        sums[k] = cuda_lanes_tree(sums[k]);
    return true;
}

/* The wanted blocks of a multiprocessor. With 80 registers a lane can hold its share of a group of
 * compensated terms, or make all its steps at once. */
template <typename Pass, typename Sum> constexpr int cuda_room(int at_once)
{
    return Sum::WORDS > 1 || at_once == CUDA_ALL_STEPS           ? 3
           : sizeof(typename Pass::element) > 2 * sizeof(double) ? 1
                                                                 : 6;
}

template <typename Pass, int AT_ONCE, typename Sum>
__global__ static void __launch_bounds__(CUDA_THREADS, cuda_room<Pass, Sum>(AT_ONCE))
    cuda_ordered_kernel(typename Pass::work work, int64_t n, const int64_t *ended,
                        struct cuda_sum sum, cuda_results<Pass> to)
{
    __shared__ double shared[2 * SUM_TILE];
    if (blockIdx.x == 0) {
        if (sum.joined && threadIdx.x == 0)
            *sum.ended_before = cuda_is_over(ended);
        if (sum.joined || cuda_is_over(ended))
            return;
#pragma unroll
        for (int k = 0; k < Pass::SUMS; k++) {
            Sum total = cuda_sum_take_all<Sum>(sum.slots + 2 * k * sum.tiles, sum.tiles, shared);
            if (threadIdx.x == 0)
                *to.result[k] = total.value();
        }
        if (threadIdx.x == 0)
            Pass::after(work);
        return;
    }
    Sum sums[Pass::SUMS];
    int64_t tile = (blockIdx.x - 1) * (int64_t)(blockDim.x / CUDA_WARP) + threadIdx.x / CUDA_WARP;
    if (tile < sum.tiles && cuda_make_tile<Pass, AT_ONCE>(work, n, ended, tile, sums) &&
        threadIdx.x % CUDA_WARP == 0)
#pragma unroll
        for (int k = 0; k < Pass::SUMS; k++) {
            struct cuda_sum own = {sum.tiles, sum.slots + 2 * k * sum.tiles, NULL, 0, NULL};
            cuda_sum_put(own, tile, sums[k]);
        }
}

/* The work of the first block; and over ranks of the first block of the joining launch. */
template <typename Pass, typename Sum>
__global__ static void __launch_bounds__(CUDA_ALLREDUCE_THREADS)
    cuda_allreduce_kernel(typename Pass::work work, const int64_t *ended, struct cuda_sum sum,
                          const __grid_constant__ struct cuda_allreduce joined,
                          enum cuda_allreduce_part part, cuda_results<Pass> to)
{
    __shared__ struct cuda_allreduce_terms terms;
    if (cuda_is_over(ended))
        return;
    for (int k = 0; k < Pass::SUMS && part != JOINED_TAKES; k++)
        cuda_allreduce_send<Sum>(sum, joined, k);
    if (part == JOINED_SENDS)
        return;
    for (int k = 0; k < Pass::SUMS && blockIdx.x == 0; k++) {
        Sum total = cuda_allreduce_take<Sum>(sum, joined, k, terms);
        if (threadIdx.x == 0)
            *to.result[k] = total.value();
    }
    if (blockIdx.x == 0 && threadIdx.x == 0)
        Pass::after(work);
}

/* How many steps at once in a large system. */
template <typename Pass> constexpr int cuda_some_steps()
{
    return Pass::AT_ONCE < CUDA_SOME_STEPS ? Pass::AT_ONCE : CUDA_SOME_STEPS;
}

/* PASS_AFTER runs in the same launch, in the block that has the sums; over ranks in the next
 * launch. */
template <typename Pass, typename Sum>
static enum status cuda_ordered(struct space *space, const struct pass *pass, int64_t n,
                                const typename Pass::work &work, struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    const int64_t *ended = pass->always ? nullptr : space->ended;
    struct cuda_sum sum;
    enum status status = cuda_sum_prepare(cuda, n, Pass::SUMS, &sum, error);
    if (status)
        return status;
    cuda_results<Pass> to = cuda_results_of<Pass>(work);
    if (Pass::AT_ONCE == CUDA_ALL_STEPS && sum.tiles < CUDA_ALL_STEPS_BELOW) {
        const int threads = CUDA_THREADS / 2; /* small blocks, for all processors to have one */
        cuda_ordered_kernel<Pass, Pass::AT_ONCE, Sum>
            <<<1 + cuda_blocks_of(sum.tiles, threads / CUDA_WARP), threads, 0, cuda->stream>>>(
                work, n, ended, sum, to);
    } else {
        cuda_ordered_kernel<Pass, cuda_some_steps<Pass>(), Sum>
            <<<1 + cuda_blocks_of(sum.tiles, CUDA_TILES_A_BLOCK), CUDA_THREADS, 0, cuda->stream>>>(
                work, n, ended, sum, to);
    }
    if (!sum.joined)
        return cuda_check_launch(pass->name, error);
    auto launch = [&](const struct cuda_allreduce &joined, enum cuda_allreduce_part part,
                      unsigned int blocks) {
        cuda_allreduce_kernel<Pass, Sum><<<blocks, CUDA_ALLREDUCE_THREADS, 0, cuda->stream>>>(
            work, ended, sum, joined, part, to);
    };
    struct cuda_fork *fork = &cuda->joining->fork;
    fork->pass = pass->always ? cuda_place() : cuda_place_now(cuda);
    status =
        cuda_allreduce_launch(cuda, sum.joined, 0, Pass::SUMS * cuda_allreduce_doubles(sum.joined),
                              pass->name, launch, error);
    fork->sums = cuda_place_now(cuda);
    return status;
}

/* --- and without one -------------------------------------------------------------------------- */

template <typename Pass>
__global__ static void cuda_zero_kernel(cuda_results<Pass> to, const int64_t *ended)
{
    for (int k = 0; k < Pass::SUMS && !cuda_is_over(ended); k++)
        *to.result[k] = 0;
}

/* The tiles are added in the order in which their warps get there. */
template <typename Pass, int AT_ONCE>
__global__ static void __launch_bounds__(CUDA_THREADS)
    cuda_atomic_kernel(typename Pass::work work, int64_t n, const int64_t *ended,
                       cuda_results<Pass> to)
{
    int64_t tile = blockIdx.x * (int64_t)CUDA_TILES_A_BLOCK + threadIdx.x / CUDA_WARP;
    if (tile >= sum_tiles(n))
        return;
    plain_sum sums[Pass::SUMS];
    if (cuda_make_tile<Pass, AT_ONCE>(work, n, ended, tile, sums) && threadIdx.x % CUDA_WARP == 0)
        for (int k = 0; k < Pass::SUMS; k++)
            atomicAdd(to.result[k], sums[k].value());
}

template <typename Pass>
static enum status cuda_atomic(struct space *space, const struct pass *pass, int64_t n,
                               const typename Pass::work &work, struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    const int64_t *ended = pass->always ? nullptr : space->ended;
    cuda_results<Pass> to = cuda_results_of<Pass>(work);
    cuda_zero_kernel<Pass><<<1, 1, 0, cuda->stream>>>(to, ended);
    cuda_atomic_kernel<Pass, cuda_some_steps<Pass>()>
        <<<cuda_blocks_of(sum_tiles(n), CUDA_TILES_A_BLOCK), CUDA_THREADS, 0, cuda->stream>>>(
            work, n, ended, to);
    return cuda_check_launch(pass->name, error);
}

template <typename Pass>
static enum status cuda_by_blas(struct space *space, const struct pass *pass, int64_t n,
                                const typename Pass::work &work, struct error *error)
{
    struct pass_sum sum;
    enum status status = pass->make ? cuda_make<Pass, 1>(space, pass, n, work, error) : STATUS_OK;
    for (int k = 0; k < Pass::SUMS && !status; k++) {
        Pass::sum(&work, k, &sum);
        status = cuda_blas_dot(space_cuda_of(space), n, &sum, error);
    }
    return status;
}

/* struct pass' apart_on_cuda */
template <typename Pass>
static enum status cuda_apart(struct space *space, const struct pass *pass, int64_t n,
                              const typename Pass::work &work, struct error *error)
{
    struct pass_sum sum;
    enum status status = cuda_make<Pass, 1>(space, pass, n, work, error);
    for (int k = 0; k < Pass::SUMS && !status; k++) {
        Pass::sum(&work, k, &sum);
        status = dot_cuda(space, &pass_dot, n, &sum, error);
    }
    return status;
}

#endif

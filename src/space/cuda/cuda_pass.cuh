/* Passes of space/elements.h on a GPU. A warp takes a tile of space/sum/sum_order.h at a time: its
 * lanes read 32 neighbouring elements in each of 15 steps. So a pass that makes and sums a vector
 * moves each vector through memory once, and sums in registers. Without sums, each thread takes a
 * few elements.
 *
 * For a pass NAME that works on a struct WORK, in a .cu file:
 *
 *     CUDA_PASS(NAME, WORK, ELEMENTS)          no sums: ELEMENTS a thread
 *     CUDA_PASS_AT(NAME, WORK)                 the same of NAME_at
 *     CUDA_PASS_LANES_AT(NAME, WORK)           the same of NAME_at with lanes
 *     CUDA_PASS_SUMS(NAME, WORK, STEPS, SUMS)  that many sums: at most STEPS steps of a lane on
 *                                              their way at once
 *     CUDA_PASS_THEN(NAME, WORK, STEPS, SUMS)  the same, and NAME_after
 *     CUDA_AFTER(NAME, WORK)                   NAME_after alone
 *
 * each define the launcher NAME_cuda for struct pass. */
#ifndef SPACE_CUDA_CUDA_PASS_CUH
#define SPACE_CUDA_CUDA_PASS_CUH

#include "space/ranks/cuda_allreduce.cuh"
#include "space/vectors.h"

extern "C" pass_launcher dot_cuda; /* space/vectors.cu */

/* The steps of a lane through its tile, and how many of them are in flight at once. In a small
 * system the memory latency, once or several times, is the time of a kernel: then all steps at
 * once, with the scalars, are best. A large system needs many warps, and so few registers in each.
 * Below this number of tiles an H200 has room for all their warps. */
constexpr int CUDA_ALL_STEPS = (int)SUM_TILE / (int)SUM_LANES;
constexpr int CUDA_SOME_STEPS = 5;
constexpr int CUDA_ALL_STEPS_BELOW = 3000;
constexpr int CUDA_THREADS = 256;
constexpr int CUDA_TILES_A_BLOCK = CUDA_THREADS / (int)CUDA_WARP;

static inline unsigned int cuda_blocks_of(int64_t count, int64_t a_block)
{
    return (unsigned int)((count + a_block - 1) / a_block);
}

/* --- no sums ---------------------------------------------------------------------------------- */

/* All loads are in flight before the first is used. */
template <typename Pass, int ELEMENTS>
__global__ static void __launch_bounds__(CUDA_THREADS)
    cuda_make_kernel(typename Pass::work work, int64_t n, const int64_t *ended)
{
    int64_t first = blockIdx.x * (int64_t)(CUDA_THREADS * ELEMENTS) + threadIdx.x;
    typename Pass::element at[ELEMENTS];
#pragma unroll
    for (int u = 0; u < ELEMENTS; u++) {
        int64_t i = first + u * CUDA_THREADS;
        if (i >= n)
            break;
        Pass::load(work, i, at[u]);
    }
    if (cuda_is_over(ended))
        return;
    typename Pass::scalars scalars;
    Pass::read(work, scalars);
    if (!Pass::prepare(scalars))
        return;
#pragma unroll
    for (int u = 0; u < ELEMENTS; u++) {
        int64_t i = first + u * CUDA_THREADS;
        if (i >= n)
            break;
        Pass::make(work, scalars, i, at[u]);
    }
}

template <typename Pass, int ELEMENTS>
static enum status cuda_make(struct space *space, const struct pass *pass, int64_t n,
                             const typename Pass::work &work, struct error *error)
{
    cuda_make_kernel<Pass, ELEMENTS>
        <<<cuda_blocks_of(n, CUDA_THREADS * ELEMENTS), CUDA_THREADS, 0,
           space_cuda_of(space)->stream>>>(work, n, pass->always ? nullptr : space->ended);
    return cuda_check_launch(pass->name, error);
}

template <typename Pass>
__global__ static void __launch_bounds__(CUDA_THREADS)
    cuda_at_kernel(typename Pass::work work, int64_t n, const int64_t *ended)
{
    int64_t i = blockIdx.x * (int64_t)CUDA_THREADS + threadIdx.x;
    if (i < n && !cuda_is_over(ended))
        Pass::at(work, i);
}

template <typename Pass>
static enum status cuda_make_at(struct space *space, const struct pass *pass, int64_t n,
                                const typename Pass::work &work, struct error *error)
{
    cuda_at_kernel<Pass>
        <<<cuda_blocks_of(n, CUDA_THREADS), CUDA_THREADS, 0, space_cuda_of(space)->stream>>>(
            work, n, pass->always ? nullptr : space->ended);
    return cuda_check_launch(pass->name, error);
}

/* --- what follows ----------------------------------------------------------------------------- */

template <typename Pass>
__global__ static void cuda_after_kernel(typename Pass::work work, const int64_t *ended)
{
    if (!cuda_is_over(ended))
        Pass::after(work);
}

template <typename Pass>
static enum status cuda_after(struct space *space, const struct pass *pass,
                              const typename Pass::work &work, struct error *error)
{
    cuda_after_kernel<Pass>
        <<<1, 1, 0, space_cuda_of(space)->stream>>>(work, pass->always ? nullptr : space->ended);
    return cuda_check_launch(pass->name, error);
}

#include "space/cuda/cuda_pass_sums.cuh"

#include "space/cuda/cuda_pass_exact.cuh"

/* --- a pass ----------------------------------------------------------------------------------- */

template <typename Pass>
static enum status cuda_run_sums(struct space *space, const struct pass *pass, int64_t n,
                                 const typename Pass::work &work, struct error *error)
{
    struct pass_sum sum;
    enum status status = STATUS_OK;
    if (!Pass::sum(&work, 0, &sum)) /* none is wanted of this work */
        status = cuda_make<Pass, 1>(space, pass, n, work, error);
    else if (space->reductions == REDUCTIONS_REPRODUCIBLE)
        return cuda_ordered<Pass, plain_sum>(space, pass, n, work, error);
    else if (space->reductions == REDUCTIONS_COMPENSATED)
        return cuda_ordered<Pass, compensated_sum>(space, pass, n, work, error);
    else if (pass->apart_on_cuda && space->reductions != REDUCTIONS_BLAS)
        status = cuda_apart<Pass>(space, pass, n, work, error);
    else if (space->reductions == REDUCTIONS_ATOMIC)
        status = cuda_atomic<Pass>(space, pass, n, work, error);
    else if (space->reductions == REDUCTIONS_BLAS)
        status = cuda_by_blas<Pass>(space, pass, n, work, error);
    else
        status = cuda_exact<Pass>(space, pass, n, work, error);
    return status || !pass->after ? status : cuda_after<Pass>(space, pass, work, error);
}

/* The functions of a pass, as a type. */
#define CUDA_PASS_MEMBERS(name, work_type)                                                         \
    using work = struct work_type;                                                                 \
    using element = struct name##_element;                                                         \
    using scalars = struct name##_scalars;                                                         \
    __device__ static void read(const work &of, scalars &into)                                     \
    {                                                                                              \
        name##_read(&of, &into);                                                                   \
    }                                                                                              \
    __device__ static bool prepare(scalars &of)                                                    \
    {                                                                                              \
        return name##_prepare(&of);                                                                \
    }                                                                                              \
    __device__ static void load(const work &of, int64_t i, element &into)                          \
    {                                                                                              \
        name##_load(&of, i, &into);                                                                \
    }                                                                                              \
    __device__ static void make(const work &of, const scalars &with, int64_t i, element &at)       \
    {                                                                                              \
        name##_make(&of, &with, i, &at);                                                           \
    }

#define CUDA_SUM_MEMBERS(name, steps, sums_count)                                                  \
    static constexpr int AT_ONCE = steps, SUMS = sums_count;                                       \
    __device__ static void term(const element &at, int k, double &x, double &y)                    \
    {                                                                                              \
        name##_term(&at, k, &x, &y);                                                               \
    }                                                                                              \
    static bool sum(const work *of, int k, struct pass_sum *result)                                \
    {                                                                                              \
        return name##_sum(of, k, result);                                                          \
    }

#define CUDA_LAUNCHER(name, call)                                                                  \
    extern "C" pass_launcher name##_cuda;                                                          \
    enum status name##_cuda(struct space *space, const struct pass *pass, int64_t n,               \
                            const void *given, struct error *error)                                \
    {                                                                                              \
        const name##_pass::work &work = *(const name##_pass::work *)given;                         \
        return call;                                                                               \
    }                                                                                              \
    CUDA_PUT(name##_cuda)

#define CUDA_PASS(name, work_type, elements)                                                       \
    struct name##_pass {                                                                           \
        CUDA_PASS_MEMBERS(name, work_type)                                                         \
    };                                                                                             \
    CUDA_LAUNCHER(name, (cuda_make<name##_pass, elements>(space, pass, n, work, error)))

#define CUDA_PASS_AT(name, work_type)                                                              \
    struct name##_pass {                                                                           \
        using work = struct work_type;                                                             \
        __device__ static void at(const work &of, int64_t i)                                       \
        {                                                                                          \
            name##_at(&of, i);                                                                     \
        }                                                                                          \
    };                                                                                             \
    CUDA_LAUNCHER(name, (cuda_make_at<name##_pass>(space, pass, n, work, error)))

#define CUDA_PASS_LANES_AT(name, work_type)                                                        \
    struct name##_pass {                                                                           \
        using work = struct work_type;                                                             \
        __device__ static void at(const work &of, int64_t e)                                       \
        {                                                                                          \
            name##_at(&of, e / of.lanes, (int)(e % of.lanes), of.lanes);                           \
        }                                                                                          \
    };                                                                                             \
    CUDA_LAUNCHER(name, (cuda_make_at<name##_pass>(space, pass, n * work.lanes, work, error)))

#define CUDA_PASS_WITH(name, work_type, steps, sums_count, follows)                                \
    struct name##_pass {                                                                           \
        CUDA_PASS_MEMBERS(name, work_type)                                                         \
        CUDA_SUM_MEMBERS(name, steps, sums_count)                                                  \
        __device__ static void after(const work &of)                                               \
        {                                                                                          \
            follows(&of);                                                                          \
        }                                                                                          \
    };                                                                                             \
    CUDA_LAUNCHER(name, (cuda_run_sums<name##_pass>(space, pass, n, work, error)))

#define CUDA_PASS_SUMS(name, work_type, steps, sums_count)                                         \
    CUDA_PASS_WITH(name, work_type, steps, sums_count, (void))

#define CUDA_PASS_THEN(name, work_type, steps, sums_count)                                         \
    CUDA_PASS_WITH(name, work_type, steps, sums_count, name##_after)

#define CUDA_AFTER(name, work_type)                                                                \
    struct name##_pass {                                                                           \
        using work = struct work_type;                                                             \
        __device__ static void after(const work &of)                                               \
        {                                                                                          \
            name##_after(&of);                                                                     \
        }                                                                                          \
    };                                                                                             \
    CUDA_LAUNCHER(name, ((void)n, cuda_after<name##_pass>(space, pass, work, error)))

#endif

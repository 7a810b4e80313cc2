#include "precondition/multigrid/cycle/fused_levels.h"

#include "precondition/multigrid/cycle/fused_rows.cuh"
#include "space/cuda/cuda.h"

#include <cooperative_groups.h>

enum { LANES = 32, AHEAD = 3 };

/* Blocks of a cluster: most devices have the first, all that have clusters the second. */
static const int TOGETHER[] = {16, 8};

/* The passes by the type of their numbers. */
template <typename Real> struct passes_of;

#define PASSES(REAL, SUFFIX)                                                                       \
    template <> struct passes_of<REAL> {                                                           \
        typedef struct smooth##SUFFIX##_element element;                                           \
        __device__ static void restrict_to(const struct restriction &work, int64_t I)              \
        {                                                                                          \
            restriction##SUFFIX##_at(&work, I);                                                    \
        }                                                                                          \
        __device__ static void prolong(const struct prolongation &work, int64_t i)                 \
        {                                                                                          \
            prolongation##SUFFIX##_at(&work, i);                                                   \
        }                                                                                          \
        __device__ static void begin_smoothing(const struct smooth &work, int64_t i, element *e)   \
        {                                                                                          \
            smooth##SUFFIX##_begin(&work, i, e);                                                   \
        }                                                                                          \
        __device__ static void smooth(const struct smooth &work, int64_t i, element *e)            \
        {                                                                                          \
            const struct smooth##SUFFIX##_scalars none = {};                                       \
            smooth##SUFFIX##_make(&work, &none, i, e);                                             \
        }                                                                                          \
    };

PASSES(double, )
PASSES(float, _float)

/* Row i by values and b in memory, or in shared memory. */
template <typename Real>
__device__ static inline void solve_row(const struct dense_solve &work, const Real *values,
                                        const Real *b, int64_t i)
{
    constexpr int AT_ONCE = 12;
    Real s = -(Real)0, B[AT_ONCE], bs[AT_ONCE]; /* B b - 0 is B b, also where that is a zero */
    for (int64_t j = 0; j < work.n; j += AT_ONCE) {
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) {
            B[u] = j + u < work.n ? values[(j + u) * work.n + i] : 0;
            bs[u] = j + u < work.n ? b[j + u] : 0;
        }
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            if (j + u < work.n)
                s = fma(B[u], bs[u], s);
    }
    ((Real *)work.x)[i] = s;
}

/* What a block that solves alone keeps in shared memory, of a matrix that is no larger: a row's
 * chain is as long as the matrix. With the steps these are less than the 48 KiB that each device
 * has. */
template <typename Real> struct dense_room {
    enum { MOST = 67 };
    Real values[MOST * MOST], b[MOST];

    __device__ void take(const struct dense_solve &work)
    {
        int n = (int)work.n;
#pragma unroll 8
        for (int k = threadIdx.x; k < n * n; k += FUSED_LEVELS_THREADS)
            values[k] = __ldg((const Real *)work.values + k);
        for (int k = threadIdx.x; k < n; k += FUSED_LEVELS_THREADS)
            b[k] = ((const Real *)work.b)[k];
        __syncthreads();
    }
};

/* row: that of s.A, if there is one. */
template <typename Real>
__device__ static inline void make_row(const struct fused_levels_step &s, int64_t i,
                                       struct fused_row<Real> &row)
{
    typedef passes_of<Real> passes;
    typename passes::element e;
    Real q = 0;
    if (s.restriction.coarse)
        passes::restrict_to(s.restriction, i);
    if (s.prolongation.x)
        passes::prolong(s.prolongation, i);
    if (s.smooths)
        passes::begin_smoothing(s.smooth, i, &e);
    if (s.multiplied)
        q = row.multiply((const Real *)s.multiplied);
    if (s.product)
        ((Real *)s.product)[i] = q;
    if (s.smooths) {
        if (s.smooth.q)
            e.r -= s.multiplied ? q : ((const Real *)s.smooth.q)[i];
        passes::smooth(s.smooth, i, &e);
    }
}

/* The warps of a cluster take rows in turns, one block after the other, so that all blocks have
 * some: the thread's first row, n or more if it has none, and how far it is to the next one. */
struct turns {
    int64_t first;
    int step;

    __device__ explicit turns(const struct fused_levels_step &of)
    {
        int blocks = of.alone ? 1 : (int)gridDim.x, block = (int)blockIdx.x;
        int warp = (int)threadIdx.x / LANES * blocks + block;
        first = block < blocks ? warp * LANES + (int)threadIdx.x % LANES : of.n;
        step = FUSED_LEVELS_THREADS * blocks;
    }
};

__device__ static inline fused_place find_first(const struct fused_levels_step &step)
{
    const turns own(step);
    fused_place place = {};
    if (step.multiplied && own.first < step.n)
        place.find(step.A, own.first);
    return place;
}

template <typename Real>
__device__ static inline void solve(const struct fused_levels_step &step, dense_room<Real> &room)
{
    const turns own(step);
    const struct dense_solve &work = step.solve;
    const Real *values = (const Real *)work.values, *b = (const Real *)work.b;
    if (step.alone && work.n <= dense_room<Real>::MOST) {
        if (blockIdx.x > 0)
            return;
        room.take(work);
        values = room.values;
        b = room.b;
    }
    for (int64_t i = own.first; i < step.n; i += own.step)
        solve_row(work, values, b, i);
}

/* row: the thread's first one. */
template <typename Real>
__device__ static inline void make_rows(const struct fused_levels_step &step,
                                        struct fused_row<Real> &row)
{
    const turns own(step);
    for (int64_t i = own.first; i < step.n; i += own.step) {
        if (step.multiplied && i > own.first) {
            fused_place place;
            place.find(step.A, i);
            row.take(step.A, i, place);
        }
        make_row(step, i, row);
    }
}

/* What any thread of the cluster wrote before, every one reads behind it. */
__device__ static inline void meet(bool all)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (all) {
        cooperative_groups::this_cluster().sync();
        return;
    }
#endif
    __syncthreads();
}

/* A thread's word of a step, on its way to shared memory. */
struct step_word {
    typedef unsigned long long word;
    enum { WORDS = sizeof(struct fused_levels_step) / sizeof(word) };
    word value;

    __device__ void ask(const struct fused_levels_step *from)
    {
        if (threadIdx.x < WORDS)
            value = __ldg((const word *)from + threadIdx.x);
    }
    __device__ void put(struct fused_levels_step *to) const
    {
        if (threadIdx.x < WORDS)
            ((word *)to)[threadIdx.x] = value;
    }
};
static_assert(sizeof(struct fused_levels_step) % sizeof(step_word::word) == 0 &&
                  (int)step_word::WORDS <= (int)FUSED_LEVELS_THREADS,
              "a word a thread");

/* Steps come two ahead: the row of the next one is found before this one is made, and taken before
 * the threads meet. */
template <typename Real>
__global__ static void __launch_bounds__(FUSED_LEVELS_THREADS)
    fused_levels_kernel(const struct fused_levels_step *steps, int64_t count, const int64_t *ended)
{
    extern __shared__ unsigned long long room[];
    auto *dense = (dense_room<Real> *)room;
    struct fused_levels_step *ring = (struct fused_levels_step *)(dense + 1);
    struct fused_row<Real> row;
    struct step_word word;
    if (cuda_is_over(ended))
        return;
    for (int k = 0; k + 1 < AHEAD; k++) {
        word.ask(&steps[min((int64_t)k, count - 1)]);
        word.put(&ring[k]);
    }
    __syncthreads();
    row.take(ring[0].A, turns(ring[0]).first, find_first(ring[0]));
    for (int64_t k = 0; k < count; k++) {
        const struct fused_levels_step &step = ring[k % AHEAD];
        const struct fused_levels_step &after = ring[(k + 1) % AHEAD];
        fused_place next = {};
        word.ask(&steps[min(k + 2, count - 1)]);
        if (k + 1 < count)
            next = find_first(after);
        if (step.solve.values)
            solve(step, *dense);
        else
            make_rows(step, row);
        row.take(after.A, turns(after).first, next);
        word.put(&ring[(k + 2) % AHEAD]);
        meet(step.meets);
    }
}

/* --- launches --------------------------------------------------------------------------------- */

template <typename Real> constexpr size_t room_of()
{
    constexpr size_t bytes = sizeof(dense_room<Real>) + AHEAD * sizeof(struct fused_levels_step);
    static_assert(bytes <= 48 << 10, "");
    return bytes;
}

/* A launch by so many blocks that meet. */
struct launch {
    cudaLaunchConfig_t config;
    cudaLaunchAttribute attribute;
};

static void prepare(struct space *space, int blocks, size_t room, struct launch *launch)
{
    *launch = {};
    launch->attribute.id = cudaLaunchAttributeClusterDimension;
    launch->attribute.val.clusterDim.x = (unsigned int)blocks;
    launch->attribute.val.clusterDim.y = launch->attribute.val.clusterDim.z = 1;
    launch->config.gridDim = dim3((unsigned int)blocks);
    launch->config.blockDim = dim3(FUSED_LEVELS_THREADS);
    launch->config.dynamicSmemBytes = room;
    launch->config.stream = space_cuda_of(space)->stream;
    launch->config.attrs = &launch->attribute;
    launch->config.numAttrs = blocks > 1;
}

/* Whether a cluster of them finds room; where the code is older than clusters, its threads would
 * not meet. */
template <typename Real> static bool fit_together(struct space *space, int blocks)
{
    struct launch launch;
    struct cudaFuncAttributes of;
    int clusters = 0;
    prepare(space, blocks, room_of<Real>(), &launch);
    bool yes =
        !cudaFuncGetAttributes(&of, fused_levels_kernel<Real>) && of.ptxVersion >= 90 &&
        !cudaFuncSetAttribute(fused_levels_kernel<Real>,
                              cudaFuncAttributeNonPortableClusterSizeAllowed, 1) &&
        !cudaOccupancyMaxActiveClusters(&clusters, fused_levels_kernel<Real>, &launch.config) &&
        clusters > 0;
    cudaGetLastError(); /* what is not there is no failure */
    return yes;
}

int fused_levels_blocks_cuda(struct space *space)
{
    space_enter(space);
    for (int blocks : TOGETHER)
        if (fit_together<double>(space, blocks) && fit_together<float>(space, blocks))
            return blocks;
    return 1;
}
CUDA_PUT(fused_levels_blocks_cuda)

enum status fused_levels_run_cuda(struct space *space, const struct fused_levels *fused_levels,
                                  bool single, struct error *error)
{
    static const char *const what = "the small levels of a multigrid";
    struct launch launch;
    space_enter(space);
    prepare(space, fused_levels->blocks, single ? room_of<float>() : room_of<double>(), &launch);
    const struct fused_levels_step *steps = fused_levels->steps;
    const int64_t *ended = space->ended;
    enum status status = cuda_check(
        cudaLaunchKernelEx(&launch.config,
                           single ? fused_levels_kernel<float> : fused_levels_kernel<double>, steps,
                           fused_levels->count, ended),
        what, error);
    return status ? status : cuda_check_launch(what, error);
}
CUDA_PUT(fused_levels_run_cuda)

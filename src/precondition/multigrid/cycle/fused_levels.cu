#include "precondition/multigrid/cycle/fused_levels.h"

#include "precondition/multigrid/cycle/fused_rows.cuh"
#include "space/cuda/cuda.h"

#include <cooperative_groups.h>

enum { LANES = 32 };

/* Blocks of a cluster: most devices have the first, all that have clusters the second. */
static const int TOGETHER[] = {16, 8};

/* The passes by the type of their numbers. */
template <typename Real> struct passes_of;

#define PASSES(REAL, SUFFIX)                                                                       \
    template <> struct passes_of<REAL> {                                                           \
        __device__ static void restrict_to(const struct restriction &work, int64_t I)              \
        {                                                                                          \
            restriction##SUFFIX##_at(&work, I);                                                    \
        }                                                                                          \
        __device__ static void prolong(const struct prolongation &work, int64_t i)                 \
        {                                                                                          \
            prolongation##SUFFIX##_at(&work, i);                                                   \
        }                                                                                          \
        __device__ static void smooth(const struct smooth &work, int64_t i, bool has_q, REAL q)    \
        {                                                                                          \
            struct smooth##SUFFIX##_element e;                                                     \
            const struct smooth##SUFFIX##_scalars none = {};                                       \
            if (has_q)                                                                             \
                smooth##SUFFIX##_load_with(&work, i, q, &e);                                       \
            else                                                                                   \
                smooth##SUFFIX##_load(&work, i, &e);                                               \
            smooth##SUFFIX##_make(&work, &none, i, &e);                                            \
        }                                                                                          \
        __device__ static void solve(const struct fused_levels_step &step, int64_t i);             \
    };

PASSES(double, )
PASSES(float, _float)

__device__ void passes_of<double>::solve(const struct fused_levels_step &step, int64_t i)
{
    struct blocks_element e;
    const struct blocks_scalars none = {};
    if (!step.solve.values)
        return;
    blocks_load(&step.solve, i, &e);
    blocks_make(&step.solve, &none, i, &e);
}

__device__ void passes_of<float>::solve(const struct fused_levels_step &step, int64_t i)
{
    if (step.solve_float.values)
        direct_at(&step.solve_float, i);
}

template <typename Real>
__device__ static inline void make_row(const struct fused_levels_step &s, int64_t i)
{
    Real q = 0;
    if (s.restriction.coarse)
        passes_of<Real>::restrict_to(s.restriction, i);
    if (s.prolongation.x)
        passes_of<Real>::prolong(s.prolongation, i);
    if (s.multiplied)
        q = fused_levels_multiply(s.A, (const Real *)s.multiplied, i);
    if (s.product)
        ((Real *)s.product)[i] = q;
    if (s.smooths)
        passes_of<Real>::smooth(s.smooth, i, s.multiplied, q);
    passes_of<Real>::solve(s, i);
}

/* The warps of a cluster take rows in turns, one block after the other, so that all blocks have
 * some. */
template <typename Real>
__device__ static inline void make_rows(const struct fused_levels_step &step)
{
    int blocks = step.alone ? 1 : (int)gridDim.x, block = (int)blockIdx.x;
    int warp = (int)threadIdx.x / LANES * blocks + block;
    if (block < blocks)
        for (int64_t i = warp * LANES + (int)threadIdx.x % LANES; i < step.n;
             i += FUSED_LEVELS_THREADS * blocks)
            make_row<Real>(step, i);
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

__device__ static inline void take_step(const struct fused_levels_step *from,
                                        struct fused_levels_step *to)
{
    typedef unsigned long long word;
    constexpr int WORDS = sizeof *to / sizeof(word);
    static_assert(sizeof *to % sizeof(word) == 0 && WORDS <= FUSED_LEVELS_THREADS,
                  "a word a thread");
    int w = (int)threadIdx.x;
    if (w < WORDS)
        ((word *)to)[w] = __ldg((const word *)from + w);
}

/* The next step comes to shared memory while one is made. */
template <typename Real>
__global__ static void __launch_bounds__(FUSED_LEVELS_THREADS)
    fused_levels_kernel(const struct fused_levels_step *steps, int64_t count, const int64_t *ended)
{
    extern __shared__ unsigned long long room[];
    struct fused_levels_step *two = (struct fused_levels_step *)room;
    if (cuda_is_over(ended))
        return;
    take_step(&steps[0], &two[0]);
    __syncthreads();
    for (int64_t k = 0; k < count; k++) {
        const struct fused_levels_step &step = two[k % 2];
        if (k + 1 < count)
            take_step(&steps[k + 1], &two[(k + 1) % 2]);
        make_rows<Real>(step);
        meet(step.meets);
    }
}

/* --- launches --------------------------------------------------------------------------------- */

/* A launch by so many blocks that meet. */
struct launch {
    cudaLaunchConfig_t config;
    cudaLaunchAttribute attribute;
};

static void prepare(struct space *space, int blocks, struct launch *launch)
{
    *launch = {};
    launch->attribute.id = cudaLaunchAttributeClusterDimension;
    launch->attribute.val.clusterDim.x = (unsigned int)blocks;
    launch->attribute.val.clusterDim.y = launch->attribute.val.clusterDim.z = 1;
    launch->config.gridDim = dim3((unsigned int)blocks);
    launch->config.blockDim = dim3(FUSED_LEVELS_THREADS);
    launch->config.dynamicSmemBytes = 2 * sizeof(struct fused_levels_step);
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
    prepare(space, blocks, &launch);
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
    prepare(space, fused_levels->blocks, &launch);
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

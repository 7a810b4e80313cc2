#include "solver/resident/resident.cuh"

#include "base/memory.h"
#include "space/ranks/ranks.h"
#include "spmv/symmetric/diagonals/cuda_sym_diagonals.cuh"

#include <algorithm>

/* Of WARPS warps at most: the fewer, the more registers a thread has. */
template <class Method, int WARPS, int HALO, int EACH>
__global__ static void __launch_bounds__(WARPS *SUM_LANES, 1)
    resident_kernel(const __grid_constant__ struct resident_launch of)
{
    extern __shared__ __align__(16) char resident_memory[];
    resident_block<Method, HALO, EACH, WARPS <= 12>(of, resident_memory);
}

/* halo: words that a thread waits for at most; each: groups of tiles that a warp sums at most. */
struct resident_form {
    const void *cg, *cg_scaled, *minres;
    int warps, halo, each;
};

template <int WARPS, int HALO, int EACH> static struct resident_form form_with()
{
    return {(const void *)resident_kernel<resident_cg<false>, WARPS, HALO, EACH>,
            (const void *)resident_kernel<resident_cg<true>, WARPS, HALO, EACH>,
            (const void *)resident_kernel<resident_minres, WARPS, HALO, EACH>,
            WARPS,
            HALO,
            EACH};
}

static const struct resident_form forms[] = {form_with<12, 10, 1>(), form_with<16, 12, 2>(),
                                             form_with<20, 10, 2>()};

static const void *kernel_of(const struct resident_form *form, const struct resident_system *system)
{
    return system->minres.scalars ? form->minres : system->cg.inverse ? form->cg_scaled : form->cg;
}

struct resident {
    struct space_cuda *space;
    const void *kernel;
    struct resident_launch launch;
    size_t shared_bytes, words_bytes;
    void *words;   /* sums and rows */
    void *verdict; /* and after it the number of arrived blocks */
    void *rows;    /* of a launch */
};

static struct resident_fault fault = {-1, 0, 0};

void resident_set_fault(const struct resident_fault *wanted)
{
    fault = *wanted;
}
CUDA_PUT(resident_set_fault)

static int attribute(const struct space_cuda *space, cudaDeviceAttr which)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, which, space->device) != cudaSuccess)
        cudaGetLastError(); /* clears the error for the next launch */
    return value;
}

/* A's form, where it suits and the space does, else NULL. */
static const struct by_diagonals *form_of(const struct linear_operator *A)
{
    const struct by_diagonals *kept = cuda_sym_diagonals_of(A);
    struct space *space = A->space;
    if (!kept || kept->stencils == 0 || kept->single_sums || kept->sign < 0 ||
        space->reductions != REDUCTIONS_REPRODUCIBLE || space->partition || space->ranks ||
        kept->space->is_called)
        return NULL;
    return kept;
}

/* The warps of a block by this kernel, so that a thread has some 8 words of the halo to wait for;
 * whether they suffice. */
static bool choose_warps(const struct resident_form *form, struct resident_launch *launch)
{
    constexpr int WORDS = 8;
    const struct cuda_bricks *bricks = &launch->bricks;
    int groups = launch->groups = (int)sum_tiles(launch->tiles);
    int least = (bricks->halo_most + form->halo * SUM_LANES - 1) / (form->halo * SUM_LANES);
    int workers = std::max(bricks->slots, least);
    launch->pollers = std::min(groups, form->warps - workers);
    if (groups > RESIDENT_GROUPS || launch->pollers < 1 || form->each * launch->pollers < groups)
        return false;
    int wanted = (bricks->halo_most + WORDS * SUM_LANES - 1) / (WORDS * SUM_LANES);
    workers = std::max(workers, std::min(wanted, form->warps - launch->pollers));
    launch->warps = workers + launch->pollers;
    return true;
}

/* The kernel by which a block finds a place on each processor; NULL: none does. */
static const void *choose_kernel(struct resident *made)
{
    struct space_cuda *space = made->space;
    size_t most = (size_t)attribute(space, cudaDevAttrMaxSharedMemoryPerBlockOptin);
    made->shared_bytes = (size_t)(resident_places(made->launch, NULL).end - (char *)NULL);
    if (made->shared_bytes > most)
        return NULL;
    for (const struct resident_form &form : forms) {
        const void *kernel = kernel_of(&form, &made->launch.system);
        struct error ignored;
        int blocks = 0;
        if (choose_warps(&form, &made->launch) && !cuda_allow_shared(space, kernel, &ignored) &&
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel,
                                                          made->launch.warps * SUM_LANES,
                                                          made->shared_bytes) == cudaSuccess &&
            blocks > 0)
            return kernel;
        cudaGetLastError(); /* clears the error for the next launch */
    }
    return NULL;
}

/* Sums are looked at by all blocks: of few tiles there are copies, so that a word has fewer
 * readers. (H200: 0.1 us an iteration less with 547 tiles, more with 1844.) */
static enum status allocate(struct resident *made, struct error *error)
{
    enum { COPIES = 4, FEW = 1024 };
    struct resident_launch *launch = &made->launch;
    struct resident_words *words = &launch->words;
    words->copies = launch->tiles <= FEW ? (int)COPIES : 1;
    int64_t sums = (int64_t)RESIDENT_SUMS * words->copies * WORDS_BUFFERS * launch->tiles;
    int64_t count = sums + (int64_t)WORDS_BUFFERS * launch->tiles * SUM_TILE;
    made->words_bytes = (size_t)count * sizeof(cuda_word);
    enum status status = cuda_array(made->space, count, sizeof(cuda_word),
                                    "the words of resident blocks", &made->words, error);
    if (!status)
        status = cuda_array(made->space, 2, sizeof(cuda_word), "the end of resident blocks",
                            &made->verdict, error);
    if (!status)
        status = cuda_check(
            cudaMemsetAsync(made->verdict, 0, 2 * sizeof(cuda_word), made->space->stream),
            "the end of resident blocks", error);
    if (!status)
        status = cuda_array(made->space, 1, sizeof(struct solver_rows), "rows of resident blocks",
                            &made->rows, error);
    words->sums = (cuda_word *)made->words;
    words->rows = words->sums + sums;
    words->verdict = (cuda_word *)made->verdict;
    words->arrived = (unsigned int *)(words->verdict + 1);
    launch->rows = (struct solver_rows *)made->rows;
    return status;
}

static enum status set_up(const struct resident_system *system, const struct by_diagonals *kept,
                          struct resident *made, bool *suits, struct error *error)
{
    enum { TILES = 3 }; /* of a block at least, if there are as many: fewer blocks meet sooner */
    struct resident_launch *launch = &made->launch;
    int64_t tiles = sum_tiles(kept->n);
    int processors = attribute(made->space, cudaDevAttrMultiProcessorCount);
    int blocks = (int)std::min<int64_t>(processors, (tiles + TILES - 1) / TILES);
    enum status status = cuda_sym_diagonals_bricks(kept, blocks, &launch->bricks, error);
    launch->n = kept->n;
    launch->tiles = (int)tiles;
    launch->stencils = kept->stencils;
    launch->codes = kept->codes;
    launch->table = (const double *)kept->table;
    launch->system = *system;
    const double *own[] = {system->x,
                           system->minres.scalars ? system->minres.d[0] : system->cg.inverse,
                           system->minres.d[1]};
    while (launch->own_count < RESIDENT_OWN && own[launch->own_count]) {
        launch->own[launch->own_count] = own[launch->own_count];
        launch->own_count++;
    }
    launch->told = &system->rows->bursts;
    if (!status)
        made->kernel = choose_kernel(made);
    *suits = !status && made->kernel;
    return *suits ? allocate(made, error) : status;
}

enum status resident_create(const struct resident_system *system, struct resident **made,
                            struct error *error)
{
    enum { TILES_MOST = 16 }; /* of a block: a warp makes one */
    space_enter(system->A->space);
    const struct by_diagonals *kept = form_of(system->A);
    *made = NULL;
    if (!kept || sum_tiles(kept->n) >
                     (int64_t)TILES_MOST * attribute(kept->space, cudaDevAttrMultiProcessorCount))
        return STATUS_OK;
    *made = (struct resident *)memory_zeros(1, sizeof **made, "resident blocks", error);
    if (!*made)
        return STATUS_MEMORY;
    (*made)->space = kept->space;
    bool suits = false;
    enum status status = set_up(system, kept, *made, &suits, error);
    if (status || !suits) {
        resident_destroy(*made);
        *made = NULL;
    }
    return status;
}
CUDA_PUT(resident_create)

void resident_destroy(struct resident *resident)
{
    if (!resident)
        return;
    space_enter(&resident->space->base);
    cuda_free(resident->space, resident->words);
    cuda_free(resident->space, resident->verdict);
    cuda_free(resident->space, resident->rows);
    memory_free(resident);
}
CUDA_PUT(resident_destroy)

/* An ordinary launch: it may find processors taken, and then it gives up. A cooperative one waits
 * until all are free, and meanwhile starts no block of other grids: one of those whose first block
 * waits for its last ones (space/sum/cuda_sum.cuh) then never ends. */
enum status resident_send(struct resident *resident, int64_t count, struct error *error)
{
    enum { LOOKS = 1 << 18 }; /* some 0.2 s */
    struct resident_launch *launch = &resident->launch;
    space_enter(&resident->space->base);
    launch->count = (int32_t)count;
    launch->fault = fault;
    launch->looks = fault.looks > 0 ? fault.looks : LOOKS;
    void *arguments[] = {launch};
    enum status status = cuda_check(
        cudaMemsetAsync(resident->words, 0xff, resident->words_bytes, resident->space->stream),
        "the words of resident blocks", error);
    if (!status)
        status =
            cuda_check(cudaLaunchKernel(resident->kernel, dim3((unsigned int)launch->bricks.blocks),
                                        dim3((unsigned int)(launch->warps * SUM_LANES)), arguments,
                                        resident->shared_bytes, resident->space->stream),
                       "resident blocks", error);
    launch->number++;
    return status;
}
CUDA_PUT(resident_send)

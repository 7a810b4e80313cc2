/* Set-up and launches of legs.cuh. */
#include "precondition/multigrid/cycle/legs.cuh"

#include "precondition/multigrid/cycle/legs.h"
#include "precondition/multigrid/setup/hierarchy.h"
#include "space/cuda/cuda_setup.cuh"
#include "spmv/symmetric/diagonals/cuda_sym_diagonals.cuh"
#include "spmv/symmetric/diagonals/sym_stencils.h"

#include <string.h>

static const char *const what = "the legs of a cycle";

static struct legs_grid grid_of(const int64_t n[3], int planes)
{
    struct legs_grid grid = {};
    for (int axis = 0; axis < 3; axis++)
        grid.n[axis] = (int)n[axis];
    grid.wide = (grid.n[0] + LEGS_X - 1) / LEGS_X;
    grid.regions = grid.wide * ((grid.n[1] + LEGS_Y - 1) / LEGS_Y);
    grid.planes = planes;
    return grid;
}

/* --- set-up ----------------------------------------------------------------------------------- */

enum { STENCIL = LEGS_NUMBERS - 1 };

/* A block finds a row of each code, and takes 1 / a_ii from it. A thread looks only at rows where
 * its code changes. table[stencils LEGS_NUMBERS] */
template <typename Real>
__global__ static void __launch_bounds__(THREADS)
    fill_table(int64_t n, int stencils, const Real *entries, const uint8_t *codes,
               const Real *inverse, Real *table)
{
    __shared__ long long met[SYM_STENCILS_MAX];
    for (int c = threadIdx.x; c < stencils; c += THREADS)
        met[c] = -1;
    __syncthreads();
    int last = -1;
    for (int64_t i = own_row(); i < n; i += gridDim.x * (int64_t)THREADS) {
        if (codes[i] != last)
            atomicMax(&met[codes[i]], i);
        last = codes[i];
    }
    __syncthreads();
    for (int c = threadIdx.x; c < stencils; c += THREADS) {
        if (met[c] < 0)
            continue;
        for (int k = 0; k < STENCIL; k++)
            table[c * LEGS_NUMBERS + k] = entries[c * STENCIL + k];
        table[c * LEGS_NUMBERS + STENCIL] = inverse[met[c]];
    }
}

template <typename Real> __device__ static bool same_bits(Real a, Real b)
{
    if constexpr (sizeof a == sizeof(int))
        return __float_as_int(a) == __float_as_int(b);
    else
        return __double_as_longlong(a) == __double_as_longlong(b);
}

struct refusal {
    int differs; /* 1 / a_ii of a row is not that of its code, or a row reaches past its line or
                    plane */
};

/* A block a region and plane. */
template <typename Real>
__global__ static void __launch_bounds__(THREADS)
    mark_regions(const struct legs_grid grid, const uint8_t *codes, const Real *inverse,
                 const Real *table, uint8_t *marks, struct refusal *refusal)
{
    int region = blockIdx.x % grid.regions, z = blockIdx.x / grid.regions;
    int way = LEGS_COMMON;
    for (int t = threadIdx.x; t < LEGS_WIDE * LEGS_HIGH; t += THREADS) {
        int x = grid.x(region) + t % LEGS_WIDE, y = grid.y(region) + t / LEGS_WIDE;
        if (x < 0 || x >= grid.n[0] || y < 0 || y >= grid.n[1])
            continue;
        const bool there[LEGS_NUMBERS] = {
            z > 0, y > 0, x > 0, true, x + 1 < grid.n[0], y + 1 < grid.n[1], z + 1 < grid.n[2],
            true};
        int64_t i = z * grid.plane() + (int64_t)y * grid.n[0] + x;
        const Real *row = table + codes[i] * LEGS_NUMBERS;
        bool differs = !same_bits(inverse[i], row[STENCIL]);
        for (int k = 0; k < LEGS_NUMBERS; k++) {
            differs = differs || (!there[k] && row[k] != 0);
            if (there[k] && !same_bits(row[k], table[k]))
                way = max(way, k == 3 || k == STENCIL ? LEGS_DIAGONAL : LEGS_TABLE);
        }
        if (differs)
            refusal->differs = 1;
    }
    way = __syncthreads_or(way == LEGS_TABLE)      ? LEGS_TABLE
          : __syncthreads_or(way == LEGS_DIAGONAL) ? LEGS_DIAGONAL
                                                   : LEGS_COMMON;
    if (threadIdx.x == 0)
        marks[(int64_t)region * grid.n[2] + z] = (uint8_t)way;
}

/* How many planes a block marches through: as few rounds of blocks, and planes in each, as may be.
 * A chunk costs its halo and the way to its first result. */
static int planes_of(int64_t planes, int64_t regions, int64_t blocks)
{
    constexpr int64_t MORE = 2 * LEGS_HALO + 1;
    int64_t best = planes, least = INT64_MAX;
    for (int64_t chunks = 1; 2 * chunks <= planes; chunks++) {
        int64_t each = 2 * ((planes / 2 + chunks - 1) / chunks), count = (planes + each - 1) / each;
        int64_t cost = (regions * count + blocks - 1) / blocks * (each + MORE);
        if (cost < least) {
            least = cost;
            best = each;
        }
    }
    return (int)best;
}

template <typename Shared, typename Real, typename Kernel>
static enum status prepare(struct space_cuda *space, Kernel kernel, const struct legs *legs,
                           int *planes, struct error *error)
{
    size_t bytes = legs_shared_bytes<Shared, Real>(legs->stencils);
    int blocks = 0, processors = 0;
    enum status status = cuda_allow_shared(space, (const void *)kernel, error);
    if (!status)
        status = cuda_check(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, LEGS_THREADS, bytes),
            what, error);
    if (!status)
        status = cuda_check(
            cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, space->device),
            what, error);
    if (!status)
        *planes = planes_of(legs->n[2], grid_of(legs->n, 0).regions,
                            (int64_t)std::max(blocks, 1) * processors);
    return status;
}

/* Of kernels whose b, or z, may be of another type than Real. */
template <typename Real, typename Given>
static enum status prepare_both(struct space_cuda *space, struct legs *legs, struct error *error)
{
    enum status status = prepare<legs_down_shared<Real, Given>, Real>(
        space, legs_down_kernel<Real, Given>, legs, &legs->planes[0], error);
    return status ? status
                  : prepare<legs_up_shared<Real, Given>, Real>(space, legs_up_kernel<Real, Given>,
                                                               legs, &legs->planes[1], error);
}

/* A card whose arithmetic in double precision is slow makes the halo's points too late. */
static enum status suits_device(struct space_cuda *space, size_t number, size_t bytes, bool *suits,
                                struct error *error)
{
    enum { MAJOR = 8, RATIO = 4 };
    const enum cudaDeviceAttr wanted[] = {cudaDevAttrComputeCapabilityMajor,
                                          cudaDevAttrSingleToDoublePrecisionPerfRatio,
                                          cudaDevAttrMaxSharedMemoryPerBlockOptin};
    int value[3];
    enum status status = STATUS_OK;
    for (int k = 0; k < 3 && !status; k++)
        status =
            cuda_check(cudaDeviceGetAttribute(&value[k], wanted[k], space->device), what, error);
    *suits = !status && value[0] >= MAJOR && (number == sizeof(float) || value[1] <= RATIO) &&
             (size_t)value[2] >= bytes;
    return status;
}

/* The table and the marks. */
template <typename Real>
static enum status fill(const struct level *level, const struct by_diagonals *kept,
                        struct legs *legs, bool *suits, struct error *error)
{
    constexpr unsigned int MOST = 1024; /* blocks, each with a row of its own for each code */
    struct space *space = legs->space;
    struct refusal *device = NULL, found = {};
    const Real *entries = (const Real *)kept->table, *inverse = (const Real *)level->inverse;
    const struct legs_grid grid = grid_of(legs->n, 0);
    Real first[LEGS_NUMBERS];
    int64_t marks = (int64_t)grid.regions * grid.n[2];
    enum status status = space->operations->allocate(space, kept->stencils * (int64_t)LEGS_NUMBERS,
                                                     sizeof(Real), what, &legs->table, error);
    if (!status)
        status = space->operations->allocate(space, marks, 1, what, (void **)&legs->marks, error);
    if (!status)
        status = zeros(kept->space, 1, sizeof *device, what, (void **)&device, error);
    if (!status) {
        Real *table = (Real *)legs->table;
        cudaStream_t stream = kept->space->stream;
        fill_table<<<std::min(blocks_for(level->n), MOST), THREADS, 0, stream>>>(
            level->n, kept->stencils, entries, kept->codes, inverse, table);
        mark_regions<<<(unsigned int)marks, THREADS, 0, stream>>>(grid, kept->codes, inverse, table,
                                                                  legs->marks, device);
        status = bring(kept->space, what, device, &found, error);
        if (!status)
            status = cuda_copy_down(kept->space, sizeof first, table, first, what, error);
    }
    for (int k = 0; k < LEGS_NUMBERS && !status; k++)
        legs->first[k] = first[k];
    cuda_free(kept->space, device);
    *suits = !found.differs && legs->first[STENCIL] != 0; /* 0 tells points outside of the grid */
    return status;
}

template <typename Real>
static enum status make(struct level *level, const struct by_diagonals *kept, struct legs *legs,
                        bool *suits, struct error *error)
{
    size_t bytes = legs_shared_bytes<legs_up_shared<Real, double>, Real>(legs->stencils);
    enum status status = suits_device(kept->space, sizeof(Real), bytes, suits, error);
    if (!status && *suits)
        status = level->number == 0 ? prepare_both<Real, double>(kept->space, legs, error)
                                    : prepare_both<Real, Real>(kept->space, legs, error);
    return status || !*suits ? status : fill<Real>(level, kept, legs, suits, error);
}

enum status legs_create_cuda(struct level *level, bool in_single, bool *suits, struct error *error)
{
    const struct by_diagonals *kept = cuda_sym_diagonals_of(level->spmv);
    const int64_t *n = level->joining.cells.before;
    *suits = kept->stencils > 0 && kept->count == 4 && kept->distances[1] == 1 &&
             kept->distances[2] == n[0] && kept->distances[3] == n[0] * n[1] &&
             kept->n == n[0] * n[1] * n[2];
    if (!*suits)
        return STATUS_OK;
    struct legs *legs = &level->legs;
    legs->space = level->spmv->space;
    for (int axis = 0; axis < 3; axis++)
        legs->n[axis] = n[axis];
    legs->codes = kept->codes;
    legs->stencils = kept->stencils;
    return (in_single ? make<float> : make<double>)(level, kept, legs, suits, error);
}
CUDA_PUT(legs_create_cuda)

/* --- launches --------------------------------------------------------------------------------- */

template <typename Real, typename Given>
static struct legs_work<Real, Given> work_of(const struct legs *legs, int planes,
                                             const struct leg *leg) {
    const struct smooth *first = &leg->first, *second = &leg->second;
    struct legs_work<Real, Given> work = {
    };
    work.grid = grid_of(legs->n, planes);
    for (int k = 0; k < LEGS_NUMBERS; k++)
        work.numbers.common[k] = (Real)legs->first[k];
    work.numbers.first = (Real)first->of_r;
    work.numbers.of_d = (Real)second->of_d;
    work.numbers.of_r = (Real)second->of_r;
    work.numbers.of_before = (Real)second->of_before;
    work.numbers.beta = (Real)second->beta;
    work.numbers.table = (const Real *)legs->table;
    work.numbers.codes = legs->codes;
    work.numbers.marks = legs->marks;
    work.numbers.stencils = legs->stencils;
    work.ends = first->float_scaling;
    work.b = std::is_same_v<Real, Given> ? (const Given *)first->b
                                         : (const Given *)first->float_scaling.r;
    work.z =
        std::is_same_v<Real, Given> ? (Given *)second->made_x : (Given *)second->float_scaling.z;
    work.x = (Real *)leg->x;
    work.coarse = (Real *)leg->coarse;
    work.ended = legs->space->ended;
    return work;
}

template <typename Real, typename Given>
static enum status launch(const struct legs *legs, bool down, const struct leg *leg,
                          struct error *error)
{
    struct legs_work<Real, Given> work =
        work_of<Real, Given>(legs, legs->planes[down ? 0 : 1], leg);
    cudaStream_t stream = space_cuda_of(legs->space)->stream;
    const struct legs_grid &grid = work.grid;
    unsigned int blocks =
        (unsigned int)(grid.regions * ((grid.n[2] + grid.planes - 1) / grid.planes));
    if (down)
        legs_down_kernel<Real, Given>
            <<<blocks, LEGS_THREADS,
               legs_shared_bytes<legs_down_shared<Real, Given>, Real>(legs->stencils), stream>>>(
                work);
    else
        legs_up_kernel<Real, Given>
            <<<blocks, LEGS_THREADS,
               legs_shared_bytes<legs_up_shared<Real, Given>, Real>(legs->stencils), stream>>>(
                work);
    return cuda_check_launch(what, error);
}

static enum status launch_any(const struct legs *legs, bool in_single, bool down,
                              const struct leg *leg, struct error *error)
{
    if (!in_single)
        return launch<double, double>(legs, down, leg, error);
    return leg->at_end ? launch<float, double>(legs, down, leg, error)
                       : launch<float, float>(legs, down, leg, error);
}

enum status legs_down_cuda(const struct legs *legs, bool in_single, const struct leg *leg,
                           struct error *error)
{
    return launch_any(legs, in_single, true, leg, error);
}
CUDA_PUT(legs_down_cuda)

enum status legs_up_cuda(const struct legs *legs, bool in_single, const struct leg *leg,
                         struct error *error)
{
    return launch_any(legs, in_single, false, leg, error);
}
CUDA_PUT(legs_up_cuda)

/* Set-up and launches of legs.cuh. */
#include "precondition/multigrid/cycle/legs.cuh"

#include "precondition/multigrid/cycle/legs.h"
#include "precondition/multigrid/setup/hierarchy.h"
#include "space/cuda/cuda_setup.cuh"
#include "spmv/symmetric/diagonals/cuda_sym_diagonals.cuh"
#include "spmv/symmetric/diagonals/sym_stencils.h"

static const char *const what = "the legs of a cycle";

/* The planes begin <= k < end, in chunks. */
static struct legs_grid grid_of(const struct legs *legs, const int64_t range[2], int planes)
{
    struct legs_grid grid = {};
    for (int axis = 0; axis < 3; axis++)
        grid.n[axis] = (int)legs->n[axis];
    grid.wide = (grid.n[0] + LEGS_X - 1) / LEGS_X;
    grid.regions = grid.wide * ((grid.n[1] + LEGS_Y - 1) / LEGS_Y);
    grid.begin = (int)range[0];
    grid.end = (int)range[1];
    grid.read_from = std::max(0, grid.begin - LEGS_HALO);
    grid.read_to = std::min(grid.n[2], grid.end + LEGS_HALO);
    grid.planes = planes;
    return grid;
}

/* --- set-up ----------------------------------------------------------------------------------- */

enum { STENCIL = LEGS_NUMBERS - 1 };

/* A block finds a row of each code, and takes 1 / a_ii from it. A thread looks only at rows where
 * its code changes. table[stencils LEGS_NUMBERS] comes zeroed. */
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

/* A block a region and plane. codes, marks: of all rows and planes; inverse: of the own rows. */
template <typename Real>
__global__ static void __launch_bounds__(THREADS)
    mark_regions(const struct legs_grid grid, const struct legs_range own, const uint8_t *codes,
                 const Real *inverse, const Real *table, uint8_t *marks, struct refusal *refusal)
{
    int region = blockIdx.x % grid.regions, z = grid.begin + blockIdx.x / grid.regions;
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
        bool differs = own.has(z, y * grid.n[0] + x) && !same_bits(inverse[i], row[STENCIL]);
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
        marks[(int64_t)z * grid.regions + region] = (uint8_t)way;
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
                           const int64_t range[2], int *planes, struct error *error)
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
        *planes = planes_of(range[1] - range[0], grid_of(legs, range, 0).regions,
                            (int64_t)std::max(blocks, 1) * processors);
    return status;
}

/* Of kernels whose b, or z, may be of another type than Real. */
template <typename Real, typename Given>
static enum status prepare_both(struct space_cuda *space, struct legs *legs, struct error *error)
{
    enum status status = prepare<legs_down_shared<Real, Given>, Real>(
        space, legs_down_kernel<Real, Given>, legs, legs->share.down, &legs->planes[0], error);
    return status ? status
                  : prepare<legs_up_shared<Real, Given>, Real>(space, legs_up_kernel<Real, Given>,
                                                               legs, legs->share.up,
                                                               &legs->planes[1], error);
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

/* The stencils of the own rows, by the numbers of the operator. */
template <typename Real>
static enum status look(const struct level *level, const struct by_diagonals *kept,
                        struct legs_table *table, struct error *error)
{
    constexpr unsigned int MOST = 1024; /* blocks, each with a row of its own for each code */
    const struct legs *legs = &level->legs;
    const int64_t *own = legs->share.rows, rows = own[1] - own[0];
    int64_t count = kept->stencils * (int64_t)LEGS_NUMBERS;
    Real here[(int)SYM_STENCILS_MAX * LEGS_NUMBERS], *device = NULL;
    enum status status = zeros(kept->space, count, sizeof *device, what, (void **)&device, error);
    if (!status && rows > 0)
        fill_table<<<std::min(blocks_for(rows), MOST), THREADS, 0, kept->space->stream>>>(
            rows, kept->stencils, (const Real *)kept->table, legs->codes,
            (const Real *)level->inverse, device);
    if (!status)
        status = cuda_copy_down(kept->space, count * sizeof(Real), device, here, what, error);
    for (int64_t k = 0; k < count && !status; k++)
        table->of[k / LEGS_NUMBERS][k % LEGS_NUMBERS] = here[k];
    table->count = kept->stencils;
    cuda_free(kept->space, device);
    return status;
}

enum status legs_look_cuda(struct level *level, const struct linear_operator *local, int64_t first,
                           bool in_single, struct legs_table *table, bool *suits,
                           struct error *error)
{
    const struct by_diagonals *kept = cuda_sym_diagonals_of(local);
    struct legs *legs = &level->legs;
    const int64_t *n = legs->n, *own = legs->share.rows;
    *suits = kept && kept->stencils > 0 && kept->count == 4 && kept->distances[1] == 1 &&
             kept->distances[2] == n[0] && kept->distances[3] == n[0] * n[1] &&
             kept->n >= first + own[1] - own[0];
    if (!*suits)
        return STATUS_OK;
    legs->space = local->space;
    legs->codes = kept->codes + first;
    legs->codes_base = own[0];
    return (in_single ? look<float> : look<double>)(level, kept, table, error);
}
CUDA_PUT(legs_look_cuda)

/* The table and the marks. */
template <typename Real>
static enum status fill(const struct level *level, const struct legs_table *table,
                        struct legs *legs, bool *suits, struct error *error)
{
    struct space *space = legs->space;
    struct space_cuda *cuda = space_cuda_of(space);
    struct refusal *device = NULL, found = {};
    const struct legs_grid grid = grid_of(legs, legs->share.window, 0);
    const struct legs_range own(legs->share.rows, grid.plane());
    int64_t numbers = table->count * (int64_t)LEGS_NUMBERS;
    int64_t marks = (int64_t)grid.regions * (grid.end - grid.begin);
    Real here[(int)SYM_STENCILS_MAX * LEGS_NUMBERS];
    for (int64_t k = 0; k < numbers; k++)
        here[k] = (Real)table->of[k / LEGS_NUMBERS][k % LEGS_NUMBERS];
    enum status status =
        space->operations->allocate(space, numbers, sizeof(Real), what, &legs->table, error);
    if (!status)
        status = space->operations->upload(space, numbers * (int64_t)sizeof(Real), here,
                                           legs->table, error);
    if (!status)
        status = space->operations->allocate(space, marks, 1, what, (void **)&legs->marks, error);
    if (!status)
        status = zeros(cuda, 1, sizeof *device, what, (void **)&device, error);
    if (!status) {
        mark_regions<<<(unsigned int)marks, THREADS, 0, cuda->stream>>>(
            grid, own, legs->codes - legs->codes_base,
            (const Real *)level->inverse - legs->share.rows[0], (const Real *)legs->table,
            legs->marks - (int64_t)grid.begin * grid.regions, device);
        status = bring(cuda, what, device, &found, error);
    }
    for (int k = 0; k < LEGS_NUMBERS; k++)
        legs->first[k] = table->of[0][k];
    legs->stencils = table->count;
    legs->bytes = numbers * (int64_t)sizeof(Real) + marks;
    if (legs->own_codes)
        legs->bytes += (grid.end - grid.begin) * grid.plane();
    cuda_free(cuda, device);
    *suits = !found.differs && legs->first[STENCIL] != 0; /* 0 tells points outside of the grid */
    return status;
}

template <typename Real>
static enum status make(struct level *level, const struct legs_table *table, bool *suits,
                        struct error *error)
{
    struct legs *legs = &level->legs;
    struct space_cuda *space = space_cuda_of(legs->space);
    size_t bytes = legs_shared_bytes<legs_up_shared<Real, double>, Real>(table->count);
    legs->stencils = table->count;
    enum status status = suits_device(space, sizeof(Real), bytes, suits, error);
    if (!status && *suits)
        status = level->number == 0 ? prepare_both<Real, double>(space, legs, error)
                                    : prepare_both<Real, Real>(space, legs, error);
    return status || !*suits ? status : fill<Real>(level, table, legs, suits, error);
}

enum status legs_create_cuda(struct level *level, bool in_single, const struct legs_table *table,
                             bool *suits, struct error *error)
{
    return (in_single ? make<float> : make<double>)(level, table, suits, error);
}
CUDA_PUT(legs_create_cuda)

/* --- launches --------------------------------------------------------------------------------- */

template <typename Real, typename Given>
static struct legs_work<Real, Given> work_of(const struct legs *legs, bool down,
                                             const struct leg *leg) {
    const struct smooth *first = &leg->first, *second = &leg->second;
    const struct legs_share *share = &legs->share;
    struct legs_work<Real, Given> work = {
    };
    work.grid = grid_of(legs, down ? share->down : share->up, legs->planes[down ? 0 : 1]);
    work.own = legs_range(share->rows, work.grid.plane());
    work.own_coarse = legs_range(share->coarse, work.grid.plane() / 4);
    for (int k = 0; k < LEGS_NUMBERS; k++)
        work.numbers.common[k] = (Real)legs->first[k];
    work.numbers.first = (Real)first->of_r;
    work.numbers.of_d = (Real)second->of_d;
    work.numbers.of_r = (Real)second->of_r;
    work.numbers.of_before = (Real)second->of_before;
    work.numbers.beta = (Real)second->beta;
    work.numbers.table = (const Real *)legs->table;
    work.numbers.codes = legs->codes - legs->codes_base;
    work.numbers.marks = legs->marks - share->window[0] * work.grid.regions;
    work.numbers.stencils = legs->stencils;
    work.ends = first->float_scaling;
    constexpr bool at_end = !std::is_same_v<Real, Given>;
    const void *b = at_end ? first->float_scaling.r : first->b;
    void *z = at_end ? second->float_scaling.z : second->made_x;
    work.b = (const Given *)b - share->rows[0];
    work.z = (Given *)z - share->rows[0];
    work.x = (Real *)leg->x - share->rows[0];
    work.coarse = (Real *)leg->coarse - share->coarse_base;
    work.ended = legs->space->ended;
    return work;
}

template <typename Real, typename Given>
static enum status launch(const struct legs *legs, bool down, const struct leg *leg,
                          struct error *error)
{
    struct legs_work<Real, Given> work = work_of<Real, Given>(legs, down, leg);
    cudaStream_t stream = space_cuda_of(legs->space)->stream;
    const struct legs_grid &grid = work.grid;
    if (grid.begin == grid.end) /* a rank without rows; no launch has no blocks */
        return STATUS_OK;
    unsigned int blocks =
        (unsigned int)(grid.regions * ((grid.end - grid.begin + grid.planes - 1) / grid.planes));
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

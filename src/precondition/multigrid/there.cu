#include "precondition/multigrid/there.h"

#include "base/memory.h"
#include "base/random.h"
#include "precondition/multigrid/grid_rows.h"
#include "space/cuda.h"
#include "spmv/csr_there.h"

#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <string.h>

enum { THREADS = 256, WARP = 32 };

static unsigned int blocks_for(int64_t n)
{
    return (unsigned int)((n + THREADS - 1) / THREADS);
}

__device__ static inline int64_t own_row()
{
    return blockIdx.x * (int64_t)THREADS + threadIdx.x;
}

/* --- what rows find together ------------------------------------------------------------------ */

/* Whole numbers, so that their order does not matter: zeroed first, then grown by maxima or sums. */
struct found {
    unsigned long long max[2], sum;
};

/* Of a double the order as an unsigned number; NaN, which no maximum takes, below all. */
__device__ static inline unsigned long long ordered(double value)
{
    long long bits = __double_as_longlong(value);
    if (value != value)
        return 0;
    return bits < 0 ? ~(unsigned long long)bits : (unsigned long long)bits | 1ull << 63;
}

static double value_of(unsigned long long order)
{
    unsigned long long bits = order >> 63 ? order & ~(1ull << 63) : ~order;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

__device__ static inline void grow_max(unsigned long long *most, unsigned long long value)
{
    for (int lanes = WARP / 2; lanes > 0; lanes /= 2)
        value = max(value, __shfl_xor_sync(~0u, value, lanes));
    if (threadIdx.x % WARP == 0 && value > *(volatile unsigned long long *)most)
        atomicMax(most, value);
}

__device__ static inline void grow_sum(unsigned long long *sum, unsigned long long value)
{
    for (int lanes = WARP / 2; lanes > 0; lanes /= 2)
        value += __shfl_xor_sync(~0u, value, lanes);
    if (threadIdx.x % WARP == 0 && value)
        atomicAdd(sum, value);
}

/* launch(stream, found), and what it has found. */
template <typename Launch>
static enum status find(struct space *space, const char *what, struct found *here,
                        struct error *error, Launch launch)
{
    struct space_cuda *cuda = space_cuda_of(space);
    struct found *there = NULL;
    enum status status = cuda_array(1, sizeof *there, what, (void **)&there, error);
    if (!status)
        status = cuda_check(cudaMemsetAsync(there, 0, sizeof *there, cuda->stream), what, error);
    if (!status) {
        launch(cuda->stream, there);
        status = cuda_check_launch(what, error);
    }
    if (!status)
        status = cuda_check(
            cudaMemcpyAsync(here, there, sizeof *here, cudaMemcpyDeviceToHost, cuda->stream), what,
            error);
    if (!status)
        status = cuda_check(cudaStreamSynchronize(cuda->stream), what, error);
    cudaFree(there);
    return status;
}

/* --- the couplings of a grid ------------------------------------------------------------------ */

/* A warp makes a tile. */
__global__ static void __launch_bounds__(THREADS)
    survey_tiles_of(const struct csr A, const struct cells cells, const struct neighbours all,
                    int64_t tiles, struct survey *of)
{
    int64_t tile = own_row() / WARP;
    int lane = threadIdx.x % WARP;
    if (tile >= tiles)
        return;
    double sum[3] = {0, 0, 0};
    int64_t count[3] = {0, 0, 0}, begin = tile * SURVEY_TILE;
    int64_t end = begin + SURVEY_TILE < A.n ? begin + SURVEY_TILE : A.n;
    bool fits = true;
    for (int64_t i = begin + lane; i < end && fits; i += SURVEY_LANES) {
        struct cell cell = cell_of(cells.n, i);
        fits = survey_cell(&A, cells.n, &all, 1, i, &cell, sum, count);
    }
    fits = __all_sync(~0u, fits);
    for (int axis = 0; axis < 3; axis++) {
        double whole = 0;
        for (int l = 0; l < SURVEY_LANES; l++)
            whole += __shfl_sync(~0u, sum[axis], l);
        for (int lanes = WARP / 2; lanes > 0; lanes /= 2)
            count[axis] += __shfl_xor_sync(~0u, count[axis], lanes);
        if (lane == 0) {
            of[tile].sum[axis] = whole;
            of[tile].count[axis] = count[axis];
        }
    }
    if (lane == 0)
        of[tile].fits = fits;
}

static enum status survey(struct space *space, const struct csr *A, const struct cells *cells,
                          struct survey *survey, struct error *error)
{
    static const char *const what = "the couplings of a grid";
    struct space_cuda *cuda = space_cuda_of(space);
    int64_t tiles = survey_tiles(A->n);
    struct survey *there = NULL,
                  *here = (struct survey *)memory_array(tiles, sizeof *here, what, error);
    enum status status =
        here ? cuda_array(tiles, sizeof *here, what, (void **)&there, error) : STATUS_MEMORY;
    if (!status) {
        survey_tiles_of<<<blocks_for(tiles * WARP), THREADS, 0, cuda->stream>>>(
            *A, *cells, neighbours_of(cells), tiles, there);
        status = cuda_check_launch(what, error);
    }
    if (!status)
        status = cuda_check(cudaMemcpyAsync(here, there, (size_t)tiles * sizeof *here,
                                            cudaMemcpyDeviceToHost, cuda->stream),
                            what, error);
    if (!status)
        status = cuda_check(cudaStreamSynchronize(cuda->stream), what, error);
    if (!status)
        survey_join(here, tiles, survey);
    cudaFree(there);
    memory_free(here);
    return status;
}

/* --- the diagonal ----------------------------------------------------------------------------- */

template <typename Real>
__global__ static void __launch_bounds__(THREADS)
    invert_diagonal(const struct csr A, Real *inverse, struct found *found)
{
    int64_t i = own_row();
    bool wrong = false;
    if (i < A.n) {
        double a = A.values[A.offsets[i]];
        Real value = (Real)(1 / a);
        inverse[i] = value;
        wrong = !(a > 0 && isfinite(value));
    }
    grow_max(&found->max[0], wrong ? (unsigned long long)(A.n - i) : 0);
}

static enum status diagonal(struct space *space, const struct csr *A, bool singles, void *inverse,
                            int64_t *wrong, double *value, struct error *error)
{
    static const char *const what = "the diagonal";
    struct found here;
    enum status status =
        find(space, what, &here, error, [&](cudaStream_t stream, struct found *found) {
            unsigned int blocks = blocks_for(A->n);
            if (singles)
                invert_diagonal<<<blocks, THREADS, 0, stream>>>(*A, (float *)inverse, found);
            else
                invert_diagonal<<<blocks, THREADS, 0, stream>>>(*A, (double *)inverse, found);
        });
    if (status)
        return status;
    *wrong = A->n - (int64_t)here.max[0];
    int64_t place = 0;
    if (*wrong < A->n)
        status =
            space->operations->download(space, sizeof place, A->offsets + *wrong, &place, error);
    if (!status && *wrong < A->n)
        status = space_download(space, 1, A->values + place, value, error);
    return status;
}

__global__ static void __launch_bounds__(THREADS)
    look_at_diagonal(const struct csr A, struct found *found)
{
    int64_t i = own_row();
    double a = i < A.n ? A.values[A.offsets[i]] : 0;
    grow_max(&found->max[0], i < A.n ? ordered(a) : 0);
    grow_max(&found->max[1], i < A.n ? ordered(-a) : 0);
}

static enum status extremes(struct space *space, const struct csr *A, double *least, double *most,
                            struct error *error)
{
    struct found here;
    enum status status =
        find(space, "the diagonal", &here, error, [&](cudaStream_t stream, struct found *found) {
            look_at_diagonal<<<blocks_for(A->n), THREADS, 0, stream>>>(*A, found);
        });
    *most = value_of(here.max[0]);
    *least = -value_of(here.max[1]);
    return status;
}

/* --- the bound of the spectrum ---------------------------------------------------------------- */

__global__ static void __launch_bounds__(THREADS)
    look_for_positive(const struct csr A, struct found *found)
{
    int64_t i = own_row();
    bool positive = false;
    if (i < A.n)
        for (int64_t k = A.offsets[i] + 1; k < A.offsets[i + 1]; k++)
            positive = positive || !(A.values[k] <= 0);
    grow_max(&found->max[0], positive);
}

static enum status is_m_matrix(struct space *space, const struct csr *A, bool *is,
                               struct error *error)
{
    struct found here;
    enum status status =
        find(space, "the bound of a spectrum", &here, error,
             [&](cudaStream_t stream, struct found *found) {
                 look_for_positive<<<blocks_for(A->n), THREADS, 0, stream>>>(*A, found);
             });
    *is = !status && here.max[0] == 0;
    return status;
}

__global__ static void __launch_bounds__(THREADS)
    look_at_sums(const struct csr A, const double *sums, struct found *found)
{
    int64_t i = own_row();
    double sum = i < A.n ? sums[i] / A.values[A.offsets[i]] : 0;
    grow_max(&found->max[0], i < A.n ? ordered(2 - sum) : 0);
    grow_max(&found->max[1], ordered(fabs(sum)));
}

static enum status gershgorin(struct space *space, const struct csr *A, const double *sums,
                              double *most, double *largest, struct error *error)
{
    struct found here;
    enum status status =
        find(space, "the bound of a spectrum", &here, error,
             [&](cudaStream_t stream, struct found *found) {
                 look_at_sums<<<blocks_for(A->n), THREADS, 0, stream>>>(*A, sums, found);
             });
    *most = fmax(0.0, value_of(here.max[0]));
    *largest = fmax(0.0, value_of(here.max[1]));
    return status;
}

/* --- another scale ---------------------------------------------------------------------------- */

__global__ static void __launch_bounds__(THREADS)
    scale_values(int64_t nnz, int exponent, double *values)
{
    int64_t k = own_row();
    if (k < nnz)
        values[k] = ldexp(values[k], -exponent);
}

static enum status scale(struct space *space, struct csr *A, int exponent, struct error *error)
{
    scale_values<<<blocks_for(A->nnz), THREADS, 0, space_cuda_of(space)->stream>>>(A->nnz, exponent,
                                                                                   A->values);
    return cuda_check_launch("the scaled matrix", error);
}

/* --- aggregates ------------------------------------------------------------------------------- */

__global__ static void __launch_bounds__(THREADS)
    map_cells(const struct cells cells, const struct aggregates made, struct found *found)
{
    int64_t i = own_row();
    unsigned long long hash = 0;
    if (i < made.n) {
        made.map[i] = aggregate_of(&cells, i);
        hash = splitmix64((uint64_t)(int64_t)made.map[i], (uint64_t)i);
    }
    grow_sum(&found->sum, hash);
}

__global__ static void __launch_bounds__(THREADS)
    list_cells(const struct cells cells, const struct aggregates made)
{
    int64_t I = own_row();
    if (I == made.count)
        made.offsets[I] = (int32_t)made.n;
    if (I < made.count)
        made.offsets[I] = aggregate_list(&cells, I, made.members);
}

static enum status aggregate(struct space *space, const struct cells *cells,
                             struct aggregates *made, uint64_t *hash, struct error *error)
{
    static const char *const what = "the aggregates";
    made->n = cells->before[0] * cells->before[1] * cells->before[2];
    made->count = cells->n[0] * cells->n[1] * cells->n[2];
    enum status status = cuda_array(made->n, sizeof(int32_t), what, (void **)&made->map, error);
    if (!status)
        status = cuda_array(made->count + 1, sizeof(int32_t), what, (void **)&made->offsets, error);
    if (!status)
        status = cuda_array(made->n, sizeof(int32_t), what, (void **)&made->members, error);
    if (status)
        return status;
    struct found here;
    status = find(space, what, &here, error, [&](cudaStream_t stream, struct found *found) {
        map_cells<<<blocks_for(made->n), THREADS, 0, stream>>>(*cells, *made, found);
        list_cells<<<blocks_for(made->count + 1), THREADS, 0, stream>>>(*cells, *made);
    });
    *hash = here.sum;
    return status;
}

/* --- the coarse matrix ------------------------------------------------------------------------ */

__global__ static void __launch_bounds__(THREADS)
    make_rows(const struct coarsening by, const struct grid_rows rows)
{
    int64_t I = own_row();
    if (I >= rows.n)
        return;
    double sums[PLACES_MAX];
    rows.places[I] = coarse_row(&by, I, sums);
    for (int p = 0; p <= rows.near.count; p++)
        if (grid_rows_has(&rows, I, p))
            rows.values[p * rows.n + I] = sums[p];
}

/* S of every row, and the least: as the greatest of those with another sign. */
__global__ static void __launch_bounds__(THREADS)
    sum_rows(const struct grid_rows rows, double *sums, struct found *found)
{
    int64_t I = own_row();
    if (I < rows.n)
        sums[I] = grid_rows_sum(&rows, I);
    grow_max(&found->max[0], I < rows.n ? ordered(-sums[I]) : 0);
}

__global__ static void __launch_bounds__(THREADS)
    fill_rows(const struct grid_rows rows, const double *sums, double least, double of_sum,
              const struct csr coarse, struct found *found)
{
    int64_t I = own_row();
    unsigned long long hash = 0;
    if (I < rows.n) {
        int64_t begin = coarse.offsets[I];
        double kept = rescale_kept(least, of_sum, rows.correction, sums[I]);
        int count =
            grid_rows_rescaled(&rows, I, kept, coarse.columns + begin, coarse.values + begin);
        for (int64_t k = begin; k < begin + count; k++)
            hash += splitmix64((uint64_t)__double_as_longlong(coarse.values[k]),
                               (uint64_t)I << 32 | (uint64_t)coarse.columns[k]);
    }
    grow_sum(&found->sum, hash);
}

/* The entries of a row as a number for sums of offsets. */
struct entries_of {
    const unsigned int *places;
    int64_t n;

    __device__ int64_t operator()(int64_t I) const
    {
        return I < n ? grid_rows_count(places[I]) : 0;
    }
};

/* offsets[n + 1] of rows with so many entries each. */
static enum status make_offsets(struct space_cuda *cuda, const struct grid_rows *rows,
                                int64_t *offsets, struct error *error)
{
    static const char *const what = "the row offsets";
    auto counts = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0),
                                                  entries_of{rows->places, rows->n});
    size_t bytes = 0;
    void *room = NULL;
    enum status status = cuda_check(
        cub::DeviceScan::ExclusiveSum(NULL, bytes, counts, offsets, rows->n + 1, cuda->stream),
        what, error);
    if (!status)
        status = cuda_array((int64_t)bytes, 1, what, &room, error);
    if (!status)
        status = cuda_check(
            cub::DeviceScan::ExclusiveSum(room, bytes, counts, offsets, rows->n + 1, cuda->stream),
            what, error);
    cudaFree(room);
    return status;
}

/* Memory that goes when A_c is there. */
struct room {
    struct grid_rows rows;
    double *sums;
    int64_t *offsets;
};

static enum status take_room(const struct rescaling *by, int64_t n, struct room *room,
                             struct error *error)
{
    static const char *const what = "a coarse matrix";
    struct grid_rows *rows = &room->rows;
    *rows = {.cells = *by->cells,
             .near = neighbours_of(by->cells),
             .n = n,
             .correction = by->correction};
    enum status status =
        cuda_array((1 + rows->near.count) * n, sizeof(double), what, (void **)&rows->values, error);
    if (!status)
        status = cuda_array(n, sizeof *rows->places, what, (void **)&rows->places, error);
    if (!status)
        status = cuda_array(n, sizeof(double), what, (void **)&room->sums, error);
    return status;
}

static void leave_room(struct room *room)
{
    cudaFree(room->rows.values);
    cudaFree(room->rows.places);
    cudaFree(room->sums);
}

static enum status coarse_matrix_there(struct space *space, const struct csr *A,
                                       const struct rescaling *by, struct room *room,
                                       struct csr *coarse, uint64_t *hash, struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    const struct cells *cells = by->cells;
    struct cells fine = {.n = {cells->before[0], cells->before[1], cells->before[2]}, .block = 1};
    struct grid_rows *rows = &room->rows;
    struct coarsening from = {*A, *cells, neighbours_of(&fine), rows->near,
                              A->nnz - A->n > cells->along};
    double of_sum = fmax(by->of_sum, 1 / by->correction);
    struct found here;
    enum status status =
        find(space, "a coarse matrix", &here, error, [&](cudaStream_t stream, struct found *found) {
            make_rows<<<blocks_for(rows->n), THREADS, 0, stream>>>(from, *rows);
            sum_rows<<<blocks_for(rows->n), THREADS, 0, stream>>>(*rows, room->sums, found);
        });
    double least = status ? 0 : fmax(-value_of(here.max[0]), 0.0);
    if (!status)
        status = cuda_array(rows->n + 1, sizeof *room->offsets, "the row offsets",
                            (void **)&room->offsets, error);
    if (!status)
        status = make_offsets(cuda, rows, room->offsets, error);
    int64_t nnz = 0;
    if (!status)
        status =
            space->operations->download(space, sizeof nnz, room->offsets + rows->n, &nnz, error);
    if (!status)
        status = csr_there_create(space, CSR_SYMMETRIC, rows->n, nnz, coarse, error);
    if (!status)
        status = cuda_check(cudaMemcpyAsync(coarse->offsets, room->offsets,
                                            (size_t)(rows->n + 1) * sizeof(int64_t),
                                            cudaMemcpyDeviceToDevice, cuda->stream),
                            "the row offsets", error);
    if (!status)
        status = find(space, "a coarse matrix", &here, error,
                      [&](cudaStream_t stream, struct found *found) {
                          fill_rows<<<blocks_for(rows->n), THREADS, 0, stream>>>(
                              *rows, room->sums, least, of_sum, *coarse, found);
                      });
    *hash = here.sum;
    return status;
}

static enum status coarsen(struct space *space, const struct csr *A, const struct rescaling *by,
                           struct aggregates *made, struct csr *coarse, uint64_t hash[2],
                           struct error *error)
{
    struct room room = {};
    enum status status = aggregate(space, by->cells, made, &hash[0], error);
    if (!status)
        status = take_room(by, made->count, &room, error);
    if (!status)
        status = coarse_matrix_there(space, A, by, &room, coarse, &hash[1], error);
    leave_room(&room);
    cudaFree(room.offsets);
    return status;
}

extern const struct there there_cuda = {.survey = survey,
                                        .diagonal = diagonal,
                                        .is_m_matrix = is_m_matrix,
                                        .gershgorin = gershgorin,
                                        .extremes = extremes,
                                        .scale = scale,
                                        .coarsen = coarsen};

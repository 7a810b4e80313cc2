#include "solver/residual.h"

#include "base/memory.h"
#include "solver/residual_row.h"
#include "space/cuda/cuda_setup.cuh"
#include "space/vector_norm.h"
#include "spmv/device_csr.h"

#include <math.h>
#include <string.h>

static const char *const what = "the true residual";

/* Rows first <= i < A.n of a matrix that has some before; all in the device's memory. */
struct rows {
    struct csr A;
    int64_t first;
    int32_t *distances;
    int count; /* of distances */
    double shift;
    const double *b, *x;
    double *r;                   /* [A.n - first] */
    unsigned long long *largest; /* the bits of the largest magnitude, ordered as these are */
    struct compensated *squares; /* [VECTOR_NORM_PARTS] */
};

__global__ static void __launch_bounds__(THREADS) make_residual(const struct rows of)
{
    int64_t i = of.first + own_row();
    unsigned long long bits = 0;
    if (i < of.A.n) {
        struct compensated r = residual_row_begin(of.b, of.shift, of.x, i);
        r = residual_row(r, &of.A, of.distances, of.count, of.x, i);
        double rounded = r.sum + r.error;
        of.r[i - of.first] = rounded;
        bits = (unsigned long long)__double_as_longlong(rounded) & INT64_MAX;
    }
    grow_most(of.largest, bits);
}

/* A warp makes a part: each lane squares a component, and all of them walk the chain. */
__global__ static void __launch_bounds__(WARP)
    sum_squares(const struct rows of, const struct vector_norm_scale by)
{
    int64_t part = blockIdx.x, lane = threadIdx.x;
    int64_t end = vector_norm_begin(of.A.n, part + 1), i = vector_norm_begin(of.A.n, part);
    struct compensated squares = {0, 0};
    double next = i + lane < end ? of.r[i + lane] : 0;
    for (; i < end; i += WARP) {
        double scaled = vector_norm_scaled(&by, next), square = scaled * scaled;
        double lost = fma(scaled, scaled, -square);
        next = i + WARP + lane < end ? of.r[i + WARP + lane] : 0;
        int count = (int)(end - i < WARP ? end - i : WARP);
        for (int l = 0; l < count; l++)
            squares =
                compensated_add(squares, __shfl_sync(~0u, square, l), __shfl_sync(~0u, lost, l));
    }
    if (lane == 0)
        of.squares[part] = squares;
}

/* What is there besides A. */
static enum status reserve(struct space_cuda *cuda, const int32_t *distances, struct rows *rows,
                           struct error *error)
{
    enum status status = cuda_put(cuda, distances, rows->count, sizeof *distances, what,
                                  (void **)&rows->distances, error);
    if (!status)
        status = cuda_array(cuda, rows->A.n, sizeof *rows->r, what, (void **)&rows->r, error);
    if (!status)
        status = cuda_array(cuda, 1, sizeof *rows->largest, what, (void **)&rows->largest, error);
    if (!status)
        status = cuda_array(cuda, VECTOR_NORM_PARTS, sizeof *rows->squares, what,
                            (void **)&rows->squares, error);
    return status
               ? status
               : cuda_check(cudaMemsetAsync(rows->largest, 0, sizeof *rows->largest, cuda->stream),
                            what, error);
}

/* Accepts zeroed ones. */
static void free_rows(struct space *space, struct rows *rows)
{
    struct space_cuda *cuda = space_cuda_of(space);
    cuda_free(cuda, rows->distances);
    cuda_free(cuda, rows->r);
    cuda_free(cuda, rows->largest);
    cuda_free(cuda, rows->squares);
    cuda_free(cuda, (void *)rows->x);
    cuda_free(cuda, (void *)rows->b);
    device_csr_free(&rows->A);
}

static enum status make_norm(struct space *space, const struct rows *rows, double *norm,
                             struct error *error)
{
    cudaStream_t stream = space_cuda_of(space)->stream;
    struct compensated squares[VECTOR_NORM_PARTS];
    double largest;
    make_residual<<<blocks_for(rows->A.n), THREADS, 0, stream>>>(*rows);
    enum status status = cuda_check_launch(what, error);
    if (!status)
        status = space->operations->download(space, sizeof largest, rows->largest, &largest, error);
    if (status)
        return status;
    *norm = isfinite(largest) ? 0 : NAN;
    if (!isfinite(largest) || largest == 0)
        return STATUS_OK;
    struct vector_norm_scale by = vector_norm_scale(largest);
    sum_squares<<<VECTOR_NORM_PARTS, WARP, 0, stream>>>(*rows, by);
    status = cuda_check_launch(what, error);
    if (!status)
        status = space->operations->download(space, sizeof squares, rows->squares, squares, error);
    if (!status)
        *norm = vector_norm_join(&by, squares);
    return status;
}

enum status residual_norm_cuda(struct space *space, const struct csr *A, double shift,
                               const double *b, const double *x, bool *suits, double *norm,
                               struct error *error)
{
    struct rows rows = {};
    struct error ignored;
    int32_t *distances = NULL;
    int64_t count = 0;
    *suits = false;
    space_enter(space);
    if (space->operations->fits(space, residual_bytes_on_device(A), what, &ignored))
        return STATUS_OK;
    enum status status = device_csr_bring(space, A, &rows.A, error);
    if (!status)
        status = device_csr_distances(space, &rows.A, &distances, &count, error);
    rows.count = (int)count;
    rows.shift = shift;
    rows.b = b;
    rows.x = x;
    *suits = !status && count <= CSR_DISTANCES_MAX;
    if (*suits)
        status = reserve(space_cuda_of(space), distances, &rows, error);
    if (*suits && !status)
        status = make_norm(space, &rows, norm, error);
    memory_free(distances);
    rows.b = rows.x = NULL; /* the caller's */
    free_rows(space, &rows);
    if (status == STATUS_MEMORY) {
        *suits = false;
        status = STATUS_OK;
    }
    return status;
}
CUDA_PUT(residual_norm_cuda)

/* --- some rows at a time ---------------------------------------------------------------------- */

/* r of the rows first ... last - 1 of A, which are made from row `base` on. */
static enum status make_part(struct space *space, const struct csr *A, int64_t base, int64_t first,
                             int64_t last, struct rows *rows, const double *b, const double *x,
                             bool *suits, double *r, struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    int32_t *distances = NULL;
    int64_t count = 0;
    enum status status = device_csr_make_rows(space, A, base, last, &rows->A, error);
    if (!status)
        status = device_csr_distances(space, &rows->A, &distances, &count, error);
    *suits = !status && count <= CSR_DISTANCES_MAX;
    rows->count = (int)count;
    rows->first = first - base;
    if (*suits)
        status = reserve(cuda, distances, rows, error);
    if (*suits && !status)
        status = cuda_put(cuda, x + base, rows->A.width, sizeof *x, what, (void **)&rows->x, error);
    if (*suits && !status && b)
        status = /* those before `first` are not looked at */
            cuda_put(cuda, b + base, last - base, sizeof *b, what, (void **)&rows->b, error);
    if (*suits && !status) {
        make_residual<<<blocks_for(last - first), THREADS, 0, cuda->stream>>>(*rows);
        status = cuda_check_launch(what, error);
    }
    if (*suits && !status)
        status = space->operations->download(space, (last - first) * (int64_t)sizeof *r, rows->r, r,
                                             error);
    memory_free(distances);
    return status;
}

enum status residual_rows_cuda(struct space *space, const struct csr *A, int64_t first,
                               int64_t last, double shift, const double *b, const double *x,
                               bool *suits, double *r, struct error *error)
{
    enum { PART = 1 << 24 };
    int64_t reach = A->maker->reach(A->maker_options);
    int64_t most = PART > 4 * reach ? PART : 4 * reach;
    enum status status = STATUS_OK;
    *suits = true;
    space_enter(space);
    for (int64_t i = first; i < last && !status && *suits; i += most) {
        struct rows rows = {};
        rows.shift = shift;
        int64_t base = i > reach ? i - reach : 0, end = last - i < most ? last : i + most;
        status = make_part(space, A, base, i, end, &rows, b, x, suits, r + (i - first), error);
        free_rows(space, &rows);
    }
    if (status == STATUS_MEMORY) {
        *suits = false;
        status = STATUS_OK;
    }
    return status;
}
CUDA_PUT(residual_rows_cuda)

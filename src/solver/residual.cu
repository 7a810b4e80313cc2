#include "solver/residual.h"

#include "base/memory.h"
#include "solver/residual_row.h"
#include "space/cuda/cuda_setup.cuh"
#include "space/rows.h"
#include "space/vector_norm.h"
#include "spmv/device_csr.h"

static const char *const what = "the true residual";

/* Rows first <= i < A.n of a matrix that has some before; all in the device's memory. Mirrored
 * entries are found by their distances from the diagonal or, where there are many, by columns. */
struct rows {
    struct csr A;
    int64_t first;
    int32_t *distances;
    int count; /* of distances; 0: columns */
    struct residual_columns columns;
    double shift;
    const double *b, *x;
    double *r; /* [A.n - first] */
};

__global__ static void __launch_bounds__(THREADS) make_residual(const struct rows of)
{
    int64_t i = of.first + own_row();
    if (i >= of.A.n)
        return;
    struct compensated r = residual_row_begin(of.b, of.shift, of.x, i);
    r = of.count > 0 ? residual_row(r, &of.A, of.distances, of.count, of.x, i)
                     : residual_row_by_columns(r, &of.A, &of.columns, of.x, i);
    of.r[i - of.first] = r.sum + r.error;
}

/* What is there besides A. */
static enum status reserve(struct space_cuda *cuda, const int32_t *distances, struct rows *rows,
                           struct error *error)
{
    enum status status = cuda_put(cuda, distances, rows->count, sizeof *distances, what,
                                  (void **)&rows->distances, error);
    return status ? status
                  : cuda_array(cuda, rows->A.n, sizeof *rows->r, what, (void **)&rows->r, error);
}

/* Accepts zeroed ones. */
static void free_rows(struct space *space, struct rows *rows)
{
    struct space_cuda *cuda = space_cuda_of(space);
    cuda_free(cuda, rows->distances);
    cuda_free(cuda, (void *)rows->columns.begins);
    cuda_free(cuda, (void *)rows->columns.entries);
    cuda_free(cuda, (void *)rows->columns.rows);
    cuda_free(cuda, rows->r);
    cuda_free(cuda, (void *)rows->x);
    cuda_free(cuda, (void *)rows->b);
    device_csr_free(&rows->A);
}

/* --- by columns ------------------------------------------------------------------------------- */

static enum status make_columns(struct space *space, struct rows *of, struct error *error)
{
    const struct csr *A = &of->A;
    uint32_t *begins = NULL, *entries = NULL;
    int32_t *rows = NULL;
    enum status status = rows_array(space, A->n + 2, sizeof *begins, what, (void **)&begins, error);
    if (!status)
        status = rows_array(space, A->nnz, sizeof *entries, what, (void **)&entries, error);
    if (!status)
        status = rows_array(space, A->nnz, sizeof *rows, what, (void **)&rows, error);
    of->columns = (struct residual_columns){begins, entries, rows};
    if (!status)
        status = rows_number(space, A->n, A->offsets, rows, error);
    return status ? status : rows_sort(space, A->nnz, A->columns, A->n, entries, begins, error);
}

/* How the mirrored entries are found. *suits: whether they can be. */
static enum status find_mirrored(struct space *space, struct rows *rows, bool *suits,
                                 struct error *error)
{
    int32_t *distances = NULL;
    int64_t count = 0;
    enum status status = device_csr_distances(space, &rows->A, &distances, &count, error);
    rows->count = count <= CSR_DISTANCES_MAX ? (int)count : 0;
    *suits = !status && (rows->count > 0 || rows->A.nnz <= INT32_MAX);
    if (*suits)
        status = reserve(space_cuda_of(space), distances, rows, error);
    memory_free(distances);
    if (*suits && !status && rows->count == 0)
        status = make_columns(space, rows, error);
    return status;
}

/* --- all rows --------------------------------------------------------------------------------- */

static enum status make_norm(struct space *space, const struct rows *rows, double *norm,
                             struct error *error)
{
    make_residual<<<blocks_for(rows->A.n), THREADS, 0, space_cuda_of(space)->stream>>>(*rows);
    enum status status = cuda_check_launch(what, error);
    return status ? status : vector_norm_cuda(space, rows->A.n, rows->r, norm, error);
}

enum status residual_norm_cuda(struct space *space, const struct csr *A, double shift,
                               const double *b, const double *x, bool *suits, double *norm,
                               struct error *error)
{
    struct rows rows = {};
    enum status status = STATUS_OK;
    *suits = false;
    space_enter(space);
    if (A->space)
        rows.A = *A;
    else
        status = device_csr_bring(space, A, &rows.A, error);
    rows.shift = shift;
    rows.b = b;
    rows.x = x;
    if (!status)
        status = find_mirrored(space, &rows, suits, error);
    if (*suits && !status)
        status = make_norm(space, &rows, norm, error);
    rows.b = rows.x = NULL; /* the caller's */
    if (A->space)
        rows.A = {};
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

#include "precondition/multigrid/cycle/fused_rows.cuh"

#include "space/cuda/cuda_setup.cuh"
#include "spmv/cuda_kernel.h"
#include "spmv/symmetric/diagonals/build_diagonals.h"

struct state {
    struct space_cuda *space;
    struct fused_rows rows;
};

/* --- the product ------------------------------------------------------------------------------ */

template <typename Real>
__global__ static void __launch_bounds__(THREADS)
    multiply_rows(const struct fused_rows A, const Real *x, Real *y, const int64_t *ended)
{
    int64_t i = own_row();
    struct fused_place place;
    struct fused_row<Real> row;
    if (i >= A.n || cuda_is_over(ended))
        return;
    place.find(A, i);
    row.take(A, i, place);
    y[i] = row.multiply(x);
}

template <typename Real>
static void apply_one(const struct state *state, const struct operands *operands)
{
    struct space_cuda *space = state->space;
    multiply_rows<<<blocks_for(state->rows.n), THREADS, 0, space->stream>>>(
        state->rows, (const Real *)operands->x, (Real *)operands->y, space->base.ended);
}

/* A thread an element of y: the columns of a row lie side by side. */
template <typename Real>
__global__ static void __launch_bounds__(THREADS)
    multiply_columns(const struct fused_rows A, int shift, const Real *x, Real *y,
                     const int64_t *ended)
{
    int64_t e = own_row(), i = e >> shift, c = e & ((1 << shift) - 1);
    if (i >= A.n || cuda_is_over(ended))
        return;
    const uint16_t *columns = A.columns + fused_levels_place(&A, i, 0);
    const Real *values = (const Real *)A.values + fused_levels_place(&A, i, 0);
    int32_t length = A.lengths[i];
    Real sum = 0;
#pragma unroll 16
    for (int32_t k = 0; k < length; k++) {
        int64_t j = __ldg(columns + k * FUSED_LEVELS_SLICE);
        sum = fma(__ldg(values + k * FUSED_LEVELS_SLICE), __ldg(x + (j << shift) + c), sum);
    }
    y[e] = sum;
}

template <typename Real>
static void apply_columns(const struct state *state, const struct operands *operands)
{
    struct space_cuda *space = state->space;
    int shift = 1 + cuda_stride_place(operands->columns);
    multiply_columns<<<blocks_for(state->rows.n << shift), THREADS, 0, space->stream>>>(
        state->rows, shift, (const Real *)operands->x, (Real *)operands->y, space->base.ended);
}

/* A level of floats takes vectors of floats. */
static enum status apply(void *given, const struct operands *operands, struct error *error)
{
    const struct state *state = (const struct state *)given;
    if (operands->columns > 1)
        (operands->singles ? apply_columns<float> : apply_columns<double>)(state, operands);
    else if (operands->singles)
        apply_one<float>(state, operands);
    else
        apply_one<double>(state, operands);
    return cuda_check_launch("a product with a small level", error);
}

static void destroy(void *given)
{
    struct state *state = (struct state *)given;
    if (state) {
        cuda_free(state->space, (void *)state->rows.slices);
        cuda_free(state->space, (void *)state->rows.lengths);
        cuda_free(state->space, (void *)state->rows.columns);
        cuda_free(state->space, (void *)state->rows.values);
    }
    memory_free(state);
}

static const struct operator_table table = {.apply = apply, .destroy = destroy};

const struct fused_rows *fused_rows_of(const struct linear_operator *A)
{
    return A->table == &table ? &((const struct state *)A->state)->rows : NULL;
}
CUDA_PUT(fused_rows_of)

/* --- set-up ----------------------------------------------------------------------------------- */

enum { SLICES_THREADS = 1024, SLICES_MAX = FUSED_ROWS_MAX / FUSED_LEVELS_SLICE };

struct sizes {
    int32_t steps, longest; /* of all slices; of the rows */
};

/* Zeroed before. */
__global__ static void __launch_bounds__(THREADS)
    count_entries(const struct csr A, int32_t *lengths)
{
    int64_t i = own_row();
    if (i >= A.n)
        return;
    int64_t first = A.offsets[i], end = A.offsets[i + 1];
    atomicAdd(&lengths[i], (int32_t)(end - first));
    for (int64_t k = first + 1; k < end; k++)
        atomicAdd(&lengths[A.columns[k]], 1);
}

/* By one block. */
__global__ static void __launch_bounds__(SLICES_THREADS)
    place_slices(int64_t n, const int32_t *lengths, int32_t *slices, struct sizes *sizes)
{
    __shared__ int32_t widths[SLICES_MAX];
    int count = (int)((n + FUSED_LEVELS_SLICE - 1) / FUSED_LEVELS_SLICE);
    for (int s = threadIdx.x; s < count; s += SLICES_THREADS) {
        int32_t width = 0;
        for (int64_t i = (int64_t)s * FUSED_LEVELS_SLICE;
             i < n && i < (int64_t)(s + 1) * FUSED_LEVELS_SLICE; i++)
            width = max(width, lengths[i]);
        widths[s] = width;
    }
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    int32_t steps = 0, longest = 0;
    for (int s = 0; s < count; s++) {
        slices[s] = steps;
        steps += widths[s];
        longest = max(longest, widths[s]);
    }
    *sizes = {steps, longest};
}

/* What is mirrored into a row, in any order: from which row, and the entry. */
struct mirrored {
    int32_t *from, *entry; /* as the columns lie */
    int32_t *count;        /* [n], zeroed before */
};

__global__ static void __launch_bounds__(THREADS)
    mirror_entries(const struct csr A, const struct fused_rows rows, const struct mirrored mirrored)
{
    int64_t i = own_row();
    if (i >= A.n)
        return;
    for (int64_t k = A.offsets[i] + 1; k < A.offsets[i + 1]; k++) {
        int32_t j = A.columns[k];
        int64_t at = fused_levels_place(&rows, j, atomicAdd(&mirrored.count[j], 1));
        mirrored.from[at] = (int32_t)i;
        mirrored.entry[at] = (int32_t)k;
    }
}

/* A warp a row: the mirrored entries each to where so many come from rows above theirs, and then
 * the row's own. */
template <typename Real>
__global__ static void __launch_bounds__(THREADS)
    fill_rows(const struct csr A, const struct fused_rows rows, const struct mirrored mirrored,
              uint16_t *columns, Real *values)
{
    int64_t i = own_row() / WARP;
    if (i >= A.n)
        return;
    int32_t count = mirrored.count[i], lane = threadIdx.x % WARP;
    for (int32_t k = lane; k < count; k += WARP) {
        int64_t at = fused_levels_place(&rows, i, k);
        int32_t from = mirrored.from[at], before = 0;
        for (int32_t m = 0; m < count; m++)
            before += mirrored.from[fused_levels_place(&rows, i, m)] < from;
        int64_t to = fused_levels_place(&rows, i, before);
        columns[to] = (uint16_t)from;
        values[to] = (Real)A.values[mirrored.entry[at]];
    }
    int64_t first = A.offsets[i];
    for (int32_t k = lane; k < A.offsets[i + 1] - first; k += WARP) {
        int64_t to = fused_levels_place(&rows, i, count + k);
        columns[to] = (uint16_t)A.columns[first + k];
        values[to] = (Real)A.values[first + k];
    }
}

static const char *const what = "the rows of a small level";

static enum status measure(struct space_cuda *space, const struct csr *A, struct fused_rows *rows,
                           struct sizes *host, struct error *error)
{
    struct sizes *device = NULL;
    int32_t *lengths = NULL, *slices = NULL;
    enum status status = zeros(space, A->n, sizeof *lengths, what, (void **)&lengths, error);
    rows->n = A->n;
    rows->lengths = lengths;
    if (!status)
        status = cuda_array(space, (A->n + FUSED_LEVELS_SLICE - 1) / FUSED_LEVELS_SLICE,
                            sizeof *slices, what, (void **)&slices, error);
    rows->slices = slices;
    if (!status)
        status = cuda_array(space, 1, sizeof *device, what, (void **)&device, error);
    if (!status) {
        count_entries<<<blocks_for(A->n), THREADS, 0, space->stream>>>(*A, lengths);
        place_slices<<<1, SLICES_THREADS, 0, space->stream>>>(A->n, lengths, slices, device);
        status = bring(space, what, device, host, error);
    }
    cuda_free(space, device);
    return status;
}

template <typename Real>
static enum status fill(struct space_cuda *space, const struct csr *A, int64_t entries,
                        struct fused_rows *rows, struct error *error)
{
    struct mirrored mirrored = {};
    uint16_t *columns = NULL;
    Real *values = NULL;
    enum status status =
        cuda_array(space, entries, sizeof *mirrored.from, what, (void **)&mirrored.from, error);
    if (!status)
        status = cuda_array(space, entries, sizeof *mirrored.entry, what, (void **)&mirrored.entry,
                            error);
    if (!status)
        status = zeros(space, A->n, sizeof *mirrored.count, what, (void **)&mirrored.count, error);
    if (!status)
        status = cuda_array(space, entries, sizeof *columns, what, (void **)&columns, error);
    rows->columns = columns;
    if (!status)
        status = cuda_array(space, entries, sizeof *values, what, (void **)&values, error);
    rows->values = values;
    if (!status) {
        mirror_entries<<<blocks_for(A->n), THREADS, 0, space->stream>>>(*A, *rows, mirrored);
        fill_rows<<<blocks_for(A->n * WARP), THREADS, 0, space->stream>>>(*A, *rows, mirrored,
                                                                          columns, values);
        status = cuda_check_launch(what, error);
    }
    cuda_free(space, mirrored.from);
    cuda_free(space, mirrored.entry);
    cuda_free(space, mirrored.count);
    return status;
}

static enum status make(struct state *state, const struct csr *A, bool single,
                        struct linear_operator *made, bool *suits, struct error *error)
{
    struct sizes sizes;
    enum status status = measure(state->space, A, &state->rows, &sizes, error);
    *suits = !status && sizes.longest <= FUSED_LEVELS_LONGEST;
    if (!status && *suits && single)
        status = cuda_sym_single_check(state->space, A, error);
    if (status || !*suits)
        return status;
    int64_t entries = (int64_t)sizes.steps * FUSED_LEVELS_SLICE;
    int64_t entry = (int64_t)(sizeof(uint16_t) + (single ? sizeof(float) : sizeof(double)));
    int64_t lists =
        (A->n + (A->n + FUSED_LEVELS_SLICE - 1) / FUSED_LEVELS_SLICE) * (int64_t)sizeof(int32_t);
    made->memory_bytes = entries * entry + lists;
    made->bytes_per_apply = csr_nnz_full(A) * entry + lists + cuda_vector_bytes(made);
    return (single ? fill<float> : fill<double>)(state->space, A, entries, &state->rows, error);
}

enum status fused_rows_create(struct space *space, const struct csr *A, bool single,
                              struct linear_operator *made, bool *suits, struct error *error)
{
    *made = {.name = "the rows of a small level",
             .can =
                 single ? 0u + OPERATOR_SINGLES + OPERATOR_SINGLE_COLUMNS : 0u + OPERATOR_COLUMNS,
             .space = space,
             .n = A->n,
             .width = A->n,
             .products = 1};
    *suits = false;
    struct state *state = cuda_state_create<struct state>(&table, made, error);
    enum status status = state ? make(state, A, single, made, suits, error) : STATUS_MEMORY;
    if (status || !*suits)
        operator_destroy(made);
    return status;
}
CUDA_PUT(fused_rows_create)

/* y = A x from full rows on a GPU, 1 to 32 threads a row.
 *
 * Thread l of the T that share a row takes its entries l, l + T, l + 2 T, ..., so that neighbouring
 * threads load neighbouring entries; then the T partial sums are added in a tree of shuffles:
 *
 *     s_l = fma(a_ij, x_j, s_l)                        for each of its entries, in order
 *     for (h = T / 2; h >= 1; h /= 2)  for l < h:  s_l = s_l + s_{l+h}
 *
 * T follows from the matrix alone, so the order does, and the bits are the same on every device.
 * Few threads suit short rows (none idles), many suit long ones (loads are coalesced). Moves 12
 * bytes an entry of the full matrix, 4 or 8 a row's offset, x and y once while x's reuse stays in
 * the cache. */
#include "base/memory.h"
#include "cgsolve/kernel.h"
#include "space/cuda.h"

extern "C" const struct kernel kernel_cuda_csr_subwarp;

enum { THREADS = 256, ENTRIES_A_THREAD = 4 };

static const struct kernel_parameter parameters[] = {
    {"threads_per_row", "1, 2, 4, 8, 16 or 32 threads; 0: by the mean row length", 0, 32, 0},
    {nullptr, nullptr, 0, 0, 0},
};

struct subwarp {
    struct space_cuda *space;
    int64_t n, nnz;
    int threads_per_row;
    bool wide; /* 64-bit offsets: from 2^31 entries on */
    void *offsets;
    int32_t *columns;
    double *values;
};

template <int T, typename Offset>
__global__ static void __launch_bounds__(THREADS)
    multiply(int64_t n, const Offset *offsets, const int32_t *columns, const double *values,
             const double *x, double *y, const int64_t *ended)
{
    if (ended && *ended)
        return;
    int64_t row = (blockIdx.x * (int64_t)THREADS + threadIdx.x) / T;
    int lane = threadIdx.x % T;
    double sum = 0;
    if (row < n) {
        Offset end = offsets[row + 1];
        for (Offset k = offsets[row] + lane; k < end; k += T)
            sum = fma(values[k], x[columns[k]], sum);
    }
    for (int half = T / 2; half >= 1; half /= 2)
        sum = sum + __shfl_down_sync(~0u, sum, half, T);
    if (row < n && lane == 0)
        y[row] = sum;
}

template <int T> static void launch(const struct subwarp *state, const double *x, double *y)
{
    int64_t rows_a_block = THREADS / T;
    unsigned int blocks = (unsigned int)((state->n + rows_a_block - 1) / rows_a_block);
    cudaStream_t stream = state->space->stream;
    const int64_t *ended = state->space->base.ended;
    if (state->wide)
        multiply<T><<<blocks, THREADS, 0, stream>>>(state->n, (const int64_t *)state->offsets,
                                                    state->columns, state->values, x, y, ended);
    else
        multiply<T><<<blocks, THREADS, 0, stream>>>(state->n, (const int32_t *)state->offsets,
                                                    state->columns, state->values, x, y, ended);
}

static enum status apply(void *state, const double *x, double *y, struct error *error)
{
    const struct subwarp *subwarp = (const struct subwarp *)state;
    switch (subwarp->threads_per_row) {
    case 1:
        launch<1>(subwarp, x, y);
        break;
    case 2:
        launch<2>(subwarp, x, y);
        break;
    case 4:
        launch<4>(subwarp, x, y);
        break;
    case 8:
        launch<8>(subwarp, x, y);
        break;
    case 16:
        launch<16>(subwarp, x, y);
        break;
    default:
        launch<32>(subwarp, x, y);
        break;
    }
    return cuda_check_launch("cuda_csr_subwarp", error);
}

static void destroy(void *state)
{
    struct subwarp *subwarp = (struct subwarp *)state;
    if (!subwarp)
        return;
    cudaFree(subwarp->offsets);
    cudaFree(subwarp->columns);
    cudaFree(subwarp->values);
    memory_free(subwarp);
}

/* The largest power of two that leaves each thread ENTRIES_A_THREAD entries of a row of mean
 * length. */
static int choose_threads(const struct csr *full)
{
    int threads = 1;
    while (threads < 32 && 2 * threads * ENTRIES_A_THREAD * full->n <= full->nnz)
        threads *= 2;
    return threads;
}

static enum status put_offsets(struct subwarp *subwarp, const struct csr *full, struct error *error)
{
    if (subwarp->wide)
        return cuda_put(subwarp->space, full->offsets, full->n + 1, sizeof(int64_t),
                        "the row offsets", &subwarp->offsets, error);
    int32_t *narrow =
        (int32_t *)memory_array(full->n + 1, sizeof *narrow, "the row offsets", error);
    if (!narrow)
        return STATUS_MEMORY;
    for (int64_t i = 0; i <= full->n; i++)
        narrow[i] = (int32_t)full->offsets[i];
    enum status status = cuda_put(subwarp->space, narrow, full->n + 1, sizeof *narrow,
                                  "the row offsets", &subwarp->offsets, error);
    memory_free(narrow);
    return status;
}

static enum status fill(struct subwarp *subwarp, const struct csr *A, struct error *error)
{
    struct csr full;
    enum status status = csr_expand(A, &full, error);
    if (status)
        return status;
    subwarp->n = full.n;
    subwarp->nnz = full.nnz;
    subwarp->wide = full.nnz > INT32_MAX - 32; /* the last step of a row may pass its end by 31 */
    if (subwarp->threads_per_row == 0)
        subwarp->threads_per_row = choose_threads(&full);
    status = put_offsets(subwarp, &full, error);
    if (!status)
        status = cuda_put(subwarp->space, full.columns, full.nnz, sizeof(int32_t), "the columns",
                          (void **)&subwarp->columns, error);
    if (!status)
        status = cuda_put(subwarp->space, full.values, full.nnz, sizeof(double), "the values",
                          (void **)&subwarp->values, error);
    csr_free(&full);
    return status;
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    *state = nullptr;
    int threads = (int)options->values[0];
    if (threads & (threads - 1))
        return error_set(error, STATUS_CONFIG,
                         "cuda_csr_subwarp: threads_per_row = %d is not 1, 2, 4, 8, 16 or 32",
                         threads);
    struct subwarp *subwarp =
        (struct subwarp *)memory_zeros(1, sizeof *subwarp, "the kernel's state", error);
    if (!subwarp)
        return STATUS_MEMORY;
    subwarp->space = space_cuda_of(space);
    subwarp->threads_per_row = threads;
    enum status status = fill(subwarp, A, error);
    if (status)
        destroy(subwarp);
    else
        *state = subwarp;
    return status;
}

static int64_t memory_bytes(const void *state)
{
    const struct subwarp *subwarp = (const struct subwarp *)state;
    return subwarp->nnz * 12 + (subwarp->n + 1) * (subwarp->wide ? 8 : 4);
}

static int64_t bytes_per_apply(const void *state)
{
    const struct subwarp *subwarp = (const struct subwarp *)state;
    return memory_bytes(state) + subwarp->n * 16;
}

const struct kernel kernel_cuda_csr_subwarp = {
    .name = "cuda_csr_subwarp",
    .summary = "full rows, 1 to 32 threads a row and a tree of shuffles",
    .space = SPACE_CUDA,
    .storage = STORAGE_FULL,
    .kinds = CSR_SYMMETRIC | CSR_SKEW | CSR_GENERAL,
    .guarantee = GUARANTEE_BITWISE,
    .parameters = parameters,
    .unavailable = cuda_unavailable,
    .setup = setup,
    .apply = apply,
    .apply_dot = nullptr,
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = memory_bytes,
    .destroy = destroy,
};

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
 * bytes an entry of the full matrix (8 where the values are single), 4 or 8 a row's offset, x and y
 * once while x's reuse stays in the cache. */
#include "spmv/cuda_rows.h"

extern "C" const struct kernel kernel_cuda_csr_subwarp;

static const struct kernel_parameter parameters[] = {
    CUDA_ROWS_PARAMETERS,
    KERNEL_PARAMETER_PRECISION,
    {},
};

/* Entries that a thread loads before it uses the first. */
enum { STEP = 4 };

/* sum and the products of the next COUNT entries of a thread, or of those that there are. */
template <int T, int COUNT, typename Sum, typename Offset, typename Value, typename Vector>
__device__ static Sum add_entries(Sum sum, Offset k, Offset end, const int32_t *columns,
                                  const Value *values, const Vector *x)
{
    int32_t j[COUNT];
    Value a[COUNT];
    Vector xs[COUNT];
    cuda_rows_load<T>(k, end, columns, values, j, a);
    cuda_rows_gather(x, j, xs);
#pragma unroll
    for (int u = 0; u < COUNT; u++)
        if (k + u * T < end)
            sum = fma((Sum)a[u], (Sum)xs[u], sum);
    return sum;
}

template <int T, typename Sum, typename Offset, typename Value, typename Vector>
__global__ static void __launch_bounds__(CUDA_ROWS_THREADS)
    multiply(int64_t n, const Offset *offsets, const int32_t *columns, const Value *values,
             const Vector *x, Vector *y, const int64_t *ended)
{
    if (ended && *ended)
        return;
    int64_t row = (blockIdx.x * (int64_t)CUDA_ROWS_THREADS + threadIdx.x) / T;
    int lane = threadIdx.x % T;
    Sum sum = 0;
    if (row < n) {
        Offset end = offsets[row + 1];
        Offset k = offsets[row] + lane;
#pragma unroll 1
        for (; k + (STEP - 1) * T < end; k += STEP * T)
            sum = add_entries<T, STEP>(sum, k, end, columns, values, x);
        if (k < end)
            sum = add_entries<T, STEP - 1>(sum, k, end, columns, values, x);
    }
    for (int half = T / 2; half >= 1; half /= 2)
        sum = sum + __shfl_down_sync(~0u, sum, half, T);
    if (row < n && lane == 0)
        y[row] = sum;
}

template <typename Sum, typename Value, typename Vector>
static enum status launch(const struct cuda_rows *rows, const Value *values, const Vector *x,
                          Vector *y, struct error *error)
{
    const struct cuda_csr &A = rows->A;
    cuda_rows_launch(rows, [&](auto threads, auto offsets, unsigned int blocks) {
        constexpr int T = decltype(threads)::value;
        multiply<T, Sum><<<blocks, CUDA_ROWS_THREADS, 0, rows->space->stream>>>(
            A.n, offsets, A.columns, values, x, y, rows->space->base.ended);
    });
    return cuda_check_launch("cuda_csr_subwarp", error);
}

static enum status apply(void *state, const double *x, double *y, struct error *error)
{
    const struct cuda_rows *rows = (const struct cuda_rows *)state;
    return cuda_csr_typed(&rows->A, [&](auto values, auto zero) {
        return launch<decltype(zero)>(rows, values, x, y, error);
    });
}

static enum status apply_float(void *state, const float *x, float *y, struct error *error)
{
    const struct cuda_rows *rows = (const struct cuda_rows *)state;
    return launch<float>(rows, (const float *)rows->A.values, x, y, error);
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    return cuda_rows_setup(&kernel_cuda_csr_subwarp, sizeof(struct cuda_rows), A, options, space,
                           state, error);
}

static int64_t bytes_per_apply(const void *state)
{
    const struct cuda_rows *rows = (const struct cuda_rows *)state;
    return cuda_csr_bytes(&rows->A) + (rows->A.n + rows->A.width) * (int64_t)sizeof(double);
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
    .setup_bytes = cuda_rows_setup_bytes_full,
    .setup = setup,
    .apply = apply,
    .apply_float = apply_float,
    .apply_dot = nullptr,
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = cuda_rows_memory_bytes,
    .destroy = cuda_rows_destroy,
};

/* y = A x from the upper triangle on a GPU, atomic additions.
 *
 * 1 to 32 threads share a row as in cuda_csr_subwarp. Each entry is used twice: for the sum of its
 * row, which a tree of shuffles completes and one atomicAdd adds to y_i, and for y_j, by an atomicAdd
 * of the rounded product a_ij x_i. The order in which they arrive differs from run to run, and so do
 * the last bits. It reads half of what cuda_csr_subwarp reads (12 bytes an upper entry, 4 or 8 a
 * row's offset), moves x once, and y three times (zeroed, read, written) while the band between a row
 * and its farthest column stays in the cache, where the atomics are done.
 * y is complete only at the end, so x . y is a pass of its own. */
#include "spmv/cuda_rows.h"

extern "C" const struct kernel kernel_cuda_sym_atomic;

static const struct kernel_parameter parameters[] = {
    CUDA_ROWS_PARAMETERS,
    {},
};

/* Entries that a thread loads before it uses the first. */
enum { STEP = 4 };

template <int T, typename Offset>
__global__ static void __launch_bounds__(CUDA_ROWS_THREADS)
    multiply(int64_t n, const Offset *offsets, const int32_t *columns, const double *values,
             double sign, const double *x, double *y, const int64_t *ended)
{
    if (ended && *ended)
        return;
    int64_t row = (blockIdx.x * (int64_t)CUDA_ROWS_THREADS + threadIdx.x) / T;
    int lane = threadIdx.x % T;
    double sum = 0;
    if (row < n) {
        Offset begin = offsets[row], end = offsets[row + 1];
        double mirrored = sign * x[row];
#pragma unroll 1
        for (Offset k = begin + lane; k < end; k += STEP * T) {
            int32_t j[STEP];
            double a[STEP], xs[STEP];
            cuda_rows_load<T>(k, end, columns, values, j, a);
#pragma unroll
            for (int u = 0; u < STEP; u++)
                if (k + u * T < end && k + u * T != begin)
                    atomicAdd(&y[j[u]], a[u] * mirrored);
            cuda_rows_gather(x, j, xs);
#pragma unroll
            for (int u = 0; u < STEP; u++)
                if (k + u * T < end)
                    sum = fma(a[u], xs[u], sum);
        }
    }
    for (int half = T / 2; half >= 1; half /= 2)
        sum = sum + __shfl_down_sync(~0u, sum, half, T);
    if (row < n && lane == 0)
        atomicAdd(&y[row], sum);
}

static enum status apply(void *state, const double *x, double *y, struct error *error)
{
    const struct cuda_rows *rows = (const struct cuda_rows *)state;
    const struct cuda_csr &A = rows->A;
    enum status status = cuda_check(
        cudaMemsetAsync(y, 0, (size_t)A.n * sizeof *y, rows->space->stream), "zeroing y", error);
    if (status)
        return status;
    cuda_rows_launch(rows, [&](auto threads, auto offsets, unsigned int blocks) {
        constexpr int T = decltype(threads)::value;
        multiply<T><<<blocks, CUDA_ROWS_THREADS, 0, rows->space->stream>>>(
            A.n, offsets, A.columns, A.values, A.sign, x, y, rows->space->base.ended);
    });
    return cuda_check_launch("cuda_sym_atomic", error);
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    return cuda_rows_setup("cuda_sym_atomic", STORAGE_UPPER, sizeof(struct cuda_rows), A, options,
                           space, state, error);
}

static int64_t bytes_per_apply(const void *state)
{
    const struct cuda_rows *rows = (const struct cuda_rows *)state;
    return cuda_csr_bytes(&rows->A) + 4 * rows->A.n * (int64_t)sizeof(double);
}

const struct kernel kernel_cuda_sym_atomic = {
    .name = "cuda_sym_atomic",
    .summary = "upper triangle, atomic additions in the order in which they arrive",
    .space = SPACE_CUDA,
    .storage = STORAGE_UPPER,
    .kinds = CSR_SYMMETRIC | CSR_SKEW,
    .guarantee = GUARANTEE_NONE,
    .parameters = parameters,
    .unavailable = cuda_unavailable,
    .setup_bytes = cuda_rows_setup_bytes_upper,
    .setup = setup,
    .apply = apply,
    .apply_dot = nullptr,
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = cuda_rows_memory_bytes,
    .destroy = cuda_rows_destroy,
};

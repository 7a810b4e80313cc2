/* y = A x from full rows on a GPU, one thread a row: the first kernel of every textbook (Bell and
 * Garland, "Implementing sparse matrix-vector multiplication on throughput-oriented processors", SC
 * 2009, section 4.3), here as the baseline for others.
 *
 * The order is that of cpu_csr, one chain a row in ascending column order, and so are the bits:
 *
 *     s = 0;  for k = offsets[i], ..., offsets[i + 1] - 1:  s = fma(a_k, x_{j_k}, s);     y_i = s
 *
 * Neighbouring threads read entries that lie a row apart, so a warp's load touches up to 32
 * sectors, and the warp waits for its longest row; block_size decides only how many rows share a
 * multiprocessor. It suits rows of few entries, all alike. cuda_csr_subwarp with
 * threads_per_row = 1 does the same with several loads on their way, and is the better one. Moves
 * 12 bytes an entry of the full matrix (8 where the values are single), 4 or 8 a row's offset, x
 * and y once while x's reuse stays in the cache. */
#include "spmv/full/cuda_textbook.h"

extern "C" const struct kernel kernel_cuda_csr_scalar;

static const struct kernel_parameter parameters[] = {
    CUDA_TEXTBOOK_PARAMETERS,
    {},
};

template <typename Sum, typename Offset, typename Value, typename Vector>
__global__ static void __launch_bounds__(1024)
    multiply(int64_t n, const Offset *offsets, const int32_t *columns, const Value *values,
             const Vector *x, Vector *y, const int64_t *ended)
{
    int64_t row = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (row >= n || (ended && *ended))
        return;
    Sum sum = 0;
    for (Offset k = offsets[row]; k < offsets[row + 1]; k++)
        sum = fma((Sum)values[k], (Sum)x[columns[k]], sum);
    y[row] = sum;
}

template <typename Sum, typename Offset, typename Value, typename Vector>
static enum status launch(const struct cuda_textbook *kept, const Offset *offsets,
                          const Value *values, const Vector *x, Vector *y, struct error *error)
{
    const struct cuda_csr &A = kept->A;
    unsigned int threads = kept->block_size;
    unsigned int blocks = (unsigned int)((A.n + threads - 1) / threads);
    multiply<Sum><<<blocks, threads, 0, kept->space->stream>>>(A.n, offsets, A.columns, values, x,
                                                               y, kept->space->base.ended);
    return cuda_check_launch("cuda_csr_scalar", error);
}

static enum status apply(void *state, const double *x, double *y, struct error *error)
{
    const struct cuda_textbook *kept = (const struct cuda_textbook *)state;
    return cuda_textbook_typed(&kept->A, [&](auto values, auto zero, auto offsets) {
        return launch<decltype(zero)>(kept, offsets, values, x, y, error);
    });
}

static enum status apply_float(void *state, const float *x, float *y, struct error *error)
{
    const struct cuda_textbook *kept = (const struct cuda_textbook *)state;
    const struct cuda_csr &A = kept->A;
    const float *values = (const float *)A.values;
    return A.wide ? launch<float>(kept, (const int64_t *)A.offsets, values, x, y, error)
                  : launch<float>(kept, (const int32_t *)A.offsets, values, x, y, error);
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    return cuda_textbook_setup(&kernel_cuda_csr_scalar, A, options, space, state, error);
}

const struct kernel kernel_cuda_csr_scalar = {
    .name = "cuda_csr_scalar",
    .summary = "full rows, one thread a row: the textbook's baseline",
    .space = SPACE_CUDA,
    .storage = STORAGE_FULL,
    .kinds = CSR_SYMMETRIC | CSR_SKEW | CSR_GENERAL,
    .guarantee = GUARANTEE_BITWISE,
    .parameters = parameters,
    .unavailable = cuda_unavailable,
    .setup_bytes = cuda_textbook_setup_bytes,
    .setup = setup,
    .apply = apply,
    .apply_float = apply_float,
    .apply_dot = nullptr,
    .bytes_per_apply = cuda_textbook_bytes_per_apply,
    .memory_bytes = cuda_textbook_memory_bytes,
    .destroy = cuda_textbook_destroy,
};

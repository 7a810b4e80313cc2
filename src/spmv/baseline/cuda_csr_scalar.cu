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
#include "spmv/cuda_rows.h"

extern "C" const struct kernel kernel_cuda_csr_scalar;

static const struct parameter parameters[] = {
    CUDA_ROWS_BY_BLOCKS,
    KERNEL_PRECISION(CUDA_ROWS_PRECISION),
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

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct cuda_rows *rows = (const struct cuda_rows *)state;
    const struct cuda_csr &A = rows->A;
    unsigned int threads = (unsigned int)rows->threads;
    unsigned int blocks = (unsigned int)((A.n + threads - 1) / threads);
    auto launch = [&]<typename Value, typename Sum, typename Vector>() {
        cuda_csr_with_offsets(&A, [&](auto offsets) {
            multiply<Sum><<<blocks, threads, 0, rows->space->stream>>>(
                A.n, offsets, A.columns, (const Value *)A.values, (const Vector *)operands->x,
                (Vector *)operands->y, rows->space->base.ended);
        });
    };
    cuda_with_types(A.precision, operands, launch);
    return cuda_check_launch("cuda_csr_scalar", error);
}

static const struct operator_table table = {.apply = apply, .destroy = cuda_rows_destroy};

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    return cuda_rows_setup(&kernel_cuda_csr_scalar, &table, A, options, made, error);
}

const struct kernel kernel_cuda_csr_scalar = {
    .component = KERNEL_COMPONENT(
        "cuda_csr_scalar", "full rows, one thread a row: the textbook's baseline", parameters),
    .space = SPACE_CUDA,
    .storage = STORAGE_FULL,
    .kinds = CSR_SYMMETRIC | CSR_SKEW | CSR_GENERAL,
    .guarantee = GUARANTEE_BITWISE,
    .unavailable = cuda_unavailable,
    .setup_bytes = cuda_rows_setup_bytes_full,
    .setup = setup,
};
CUDA_PUT_CONSTANT(kernel_cuda_csr_scalar)

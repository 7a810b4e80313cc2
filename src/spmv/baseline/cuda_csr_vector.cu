/* y = A x from full rows on a GPU, one warp of 32 threads a row: the second kernel of every
 * textbook (Bell and Garland, "Implementing sparse matrix-vector multiplication on
 * throughput-oriented processors", SC 2009, section 4.3, their "vector" kernel), here as the
 * baseline for others.
 *
 * Thread l of a row's warp takes its entries l, l + 32, l + 64, ..., so that the warp reads
 * neighbouring entries; the partial sums then meet in shared memory, in a tree:
 *
 *     s_l = fma(a_k, x_{j_k}, s_l)                     for each of its entries, in order
 *     for (h = 16; h >= 1; h /= 2)  for l < h:  s_l = s_l + s_{l+h};                     y_i = s_0
 *
 * It is the order of cuda_csr_subwarp with threads_per_row = 32, and so are the bits, whatever
 * block_size, which decides only how many rows share a block. The textbook's kernel trusts the
 * threads of a warp to go in step; they do not since Volta. So each step ends at a __syncwarp, and
 * a thread reads the other half before another thread writes to it. A row of fewer than 32 entries
 * leaves threads idle: it suits long rows. cuda_csr_subwarp adapts the threads to the rows and
 * exchanges in registers, and is the better one. Moves 12 bytes an entry of the full matrix (8
 * where the values are single), 4 or 8 a row's offset, x and y once while x's reuse stays in the
 * cache. */
#include "spmv/cuda_rows.h"

extern "C" const struct kernel kernel_cuda_csr_vector;

enum { WARP = 32, BLOCK_MAX = 1024 };

static const struct parameter parameters[] = {
    CUDA_ROWS_BY_BLOCKS,
    KERNEL_PRECISION(CUDA_ROWS_PRECISION),
    {},
};

template <typename Sum, typename Offset, typename Value, typename Vector>
__global__ static void __launch_bounds__(BLOCK_MAX)
    multiply(int64_t n, const Offset *offsets, const int32_t *columns, const Value *values,
             const Vector *x, Vector *y, const int64_t *ended)
{
    extern __shared__ __align__(sizeof(double)) unsigned char shared[]; /* Sum[blockDim.x] */
    int64_t row = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) / WARP;
    int lane = threadIdx.x % WARP;
    Sum *s = (Sum *)shared + (threadIdx.x - lane); /* of this warp alone */
    if (row >= n || (ended && *ended))
        return; /* all threads of the warp */
    Sum sum = 0;
    for (Offset k = offsets[row] + lane; k < offsets[row + 1]; k += WARP)
        sum = fma((Sum)values[k], (Sum)x[columns[k]], sum);
    s[lane] = sum;
    __syncwarp();
    for (int half = WARP / 2; half >= 1; half /= 2) {
        if (lane < half)
            s[lane] = s[lane] + s[lane + half]; /* this thread alone writes to these two now */
        __syncwarp();
    }
    if (lane == 0)
        y[row] = s[0];
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct cuda_rows *rows = (const struct cuda_rows *)state;
    const struct cuda_csr &A = rows->A;
    unsigned int threads = (unsigned int)rows->threads;
    int64_t at_once = threads / WARP; /* rows of a block */
    unsigned int blocks = (unsigned int)((A.n + at_once - 1) / at_once);
    auto launch = [&]<typename Value, typename Sum, typename Vector>() {
        cuda_csr_with_offsets(&A, [&](auto offsets) {
            multiply<Sum><<<blocks, threads, threads * sizeof(Sum), rows->space->stream>>>(
                A.n, offsets, A.columns, (const Value *)A.values, (const Vector *)operands->x,
                (Vector *)operands->y, rows->space->base.ended);
        });
    };
    cuda_with_types(A.precision, operands, launch);
    return cuda_check_launch("cuda_csr_vector", error);
}

static const struct operator_table table = {.apply = apply, .destroy = cuda_rows_destroy};

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    return cuda_rows_setup(&kernel_cuda_csr_vector, &table, A, options, made, error);
}

const struct kernel kernel_cuda_csr_vector = {
    .component = KERNEL_COMPONENT(
        "cuda_csr_vector",
        "full rows, one warp a row, partial sums in shared memory: the textbook's baseline",
        parameters),
    .space = SPACE_CUDA,
    .storage = STORAGE_FULL,
    .kinds = CSR_SYMMETRIC | CSR_SKEW | CSR_GENERAL,
    .guarantee = GUARANTEE_BITWISE,
    .unavailable = cuda_unavailable,
    .setup_bytes = cuda_rows_setup_bytes_full,
    .setup = setup,
};
CUDA_PUT_CONSTANT(kernel_cuda_csr_vector)

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
#include "spmv/cuda_csr.h"

extern "C" const struct kernel kernel_cuda_csr_subwarp;

enum { THREADS = 256 };

static const struct kernel_parameter parameters[] = {
    {"threads_per_row", "1, 2, 4, 8, 16 or 32 threads; 0: by the mean row length", 0, 32, 0},
    {nullptr, nullptr, 0, 0, 0},
};

struct subwarp {
    struct space_cuda *space;
    struct cuda_csr A;
    int threads_per_row;
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

static enum status apply(void *state, const double *x, double *y, struct error *error)
{
    const struct subwarp *subwarp = (const struct subwarp *)state;
    const struct cuda_csr &A = subwarp->A;
    cuda_csr_dispatch(&A, subwarp->threads_per_row, [&](auto threads, auto offsets) {
        constexpr int T = decltype(threads)::value;
        unsigned int blocks = (unsigned int)((A.n + THREADS / T - 1) / (THREADS / T));
        multiply<T><<<blocks, THREADS, 0, subwarp->space->stream>>>(
            A.n, offsets, A.columns, A.values, x, y, subwarp->space->base.ended);
    });
    return cuda_check_launch("cuda_csr_subwarp", error);
}

static void destroy(void *state)
{
    if (state)
        cuda_csr_free(&((struct subwarp *)state)->A);
    memory_free(state);
}

static enum status fill(struct subwarp *subwarp, const struct csr *A, struct error *error)
{
    struct csr full;
    enum status status = csr_expand(A, &full, error);
    if (status)
        return status;
    status = cuda_csr_create(subwarp->space, &full, &subwarp->A, error);
    csr_free(&full);
    if (!status && subwarp->threads_per_row == 0)
        subwarp->threads_per_row = cuda_csr_threads_per_row(&subwarp->A);
    return status;
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    *state = nullptr;
    enum status status = cuda_csr_check_threads("cuda_csr_subwarp", options->values[0], error);
    if (status)
        return status;
    struct subwarp *subwarp =
        (struct subwarp *)memory_zeros(1, sizeof *subwarp, "the kernel's state", error);
    if (!subwarp)
        return STATUS_MEMORY;
    subwarp->space = space_cuda_of(space);
    subwarp->threads_per_row = (int)options->values[0];
    status = fill(subwarp, A, error);
    if (status)
        destroy(subwarp);
    else
        *state = subwarp;
    return status;
}

static int64_t memory_bytes(const void *state)
{
    return cuda_csr_bytes(&((const struct subwarp *)state)->A);
}

static int64_t bytes_per_apply(const void *state)
{
    const struct subwarp *subwarp = (const struct subwarp *)state;
    return cuda_csr_bytes(&subwarp->A) + 2 * subwarp->A.n * (int64_t)sizeof(double);
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

/* y = A x from the upper triangle on a GPU, atomic additions.
 *
 * 1 to 32 threads share a row as in cuda_csr_subwarp. Each entry is used twice: for the sum of its
 * row, which a tree of shuffles completes and one atomicAdd adds to y_i, and for y_j, by an atomicAdd
 * of the rounded product a_ij x_i. The order in which they arrive differs from run to run, and so do
 * the last bits. It reads half of what cuda_csr_subwarp reads (12 bytes an upper entry, 4 or 8 a
 * row's offset), moves x once, and y three times (zeroed, read, written) while the band between a row
 * and its farthest column stays in the cache, where the atomics are done. */
#include "base/memory.h"
#include "cgsolve/kernel.h"
#include "spmv/cuda_csr.h"

extern "C" const struct kernel kernel_cuda_sym_atomic;

enum { THREADS = 256 };

static const struct kernel_parameter parameters[] = {
    {"threads_per_row", "1, 2, 4, 8, 16 or 32 threads; 0: by the mean row length", 0, 32, 0},
    {nullptr, nullptr, 0, 0, 0},
};

struct atomic {
    struct space_cuda *space;
    struct cuda_csr A;
    int threads_per_row;
};

template <int T, typename Offset>
__global__ static void __launch_bounds__(THREADS)
    multiply(int64_t n, const Offset *offsets, const int32_t *columns, const double *values,
             double sign, const double *x, double *y, const int64_t *ended)
{
    if (ended && *ended)
        return;
    int64_t row = (blockIdx.x * (int64_t)THREADS + threadIdx.x) / T;
    int lane = threadIdx.x % T;
    double sum = 0;
    if (row < n) {
        Offset begin = offsets[row], end = offsets[row + 1];
        double mirrored = sign * x[row];
        for (Offset k = begin + lane; k < end; k += T) {
            double a = values[k];
            int32_t j = columns[k];
            sum = fma(a, x[j], sum);
            if (k != begin)
                atomicAdd(&y[j], a * mirrored);
        }
    }
    for (int half = T / 2; half >= 1; half /= 2)
        sum = sum + __shfl_down_sync(~0u, sum, half, T);
    if (row < n && lane == 0)
        atomicAdd(&y[row], sum);
}

static enum status apply(void *state, const double *x, double *y, struct error *error)
{
    const struct atomic *atomic = (const struct atomic *)state;
    const struct cuda_csr &A = atomic->A;
    enum status status = cuda_check(
        cudaMemsetAsync(y, 0, (size_t)A.n * sizeof *y, atomic->space->stream), "zeroing y", error);
    if (status)
        return status;
    cuda_csr_dispatch(&A, atomic->threads_per_row, [&](auto threads, auto offsets) {
        constexpr int T = decltype(threads)::value;
        unsigned int blocks = (unsigned int)((A.n + THREADS / T - 1) / (THREADS / T));
        multiply<T><<<blocks, THREADS, 0, atomic->space->stream>>>(
            A.n, offsets, A.columns, A.values, A.sign, x, y, atomic->space->base.ended);
    });
    return cuda_check_launch("cuda_sym_atomic", error);
}

static void destroy(void *state)
{
    if (state)
        cuda_csr_free(&((struct atomic *)state)->A);
    memory_free(state);
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    *state = nullptr;
    enum status status = cuda_csr_check_threads("cuda_sym_atomic", options->values[0], error);
    if (status)
        return status;
    struct atomic *atomic =
        (struct atomic *)memory_zeros(1, sizeof *atomic, "the kernel's state", error);
    if (!atomic)
        return STATUS_MEMORY;
    atomic->space = space_cuda_of(space);
    status = cuda_csr_create(atomic->space, A, &atomic->A, error);
    atomic->threads_per_row =
        options->values[0] ? (int)options->values[0] : cuda_csr_threads_per_row(&atomic->A);
    if (status)
        destroy(atomic);
    else
        *state = atomic;
    return status;
}

static int64_t memory_bytes(const void *state)
{
    return cuda_csr_bytes(&((const struct atomic *)state)->A);
}

static int64_t bytes_per_apply(const void *state)
{
    const struct atomic *atomic = (const struct atomic *)state;
    return cuda_csr_bytes(&atomic->A) + 4 * atomic->A.n * (int64_t)sizeof(double);
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
    .setup = setup,
    .apply = apply,
    .apply_dot = nullptr,
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = memory_bytes,
    .destroy = destroy,
};

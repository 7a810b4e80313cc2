/* y = A x from the upper triangle on a GPU, atomic additions with their errors kept.
 *
 * As cuda_sym_atomic, but every atomicAdd hands back the value that it found, from which its rounding
 * error follows exactly (Knuth's TwoSum); that error, and the one of the product (TwoProduct), go by
 * another atomicAdd into a correction vector c, and a last pass makes y += c. What is left of the
 * order's influence is the rounding in c: usually no bit of y, but nothing promises it. An atomic
 * whose result is used takes a round trip to the cache, and there are twice as many of them: about
 * twice the time of cuda_sym_atomic. Beside the matrix and x, y and c are zeroed, read and written,
 * and c read and y read and written again. */
#include "base/memory.h"
#include "cgsolve/kernel.h"
#include "spmv/cuda_csr.h"

extern "C" const struct kernel kernel_cuda_sym_compensated;

enum { THREADS = 256 };

static const struct kernel_parameter parameters[] = {
    {"threads_per_row", "1, 2, 4, 8, 16 or 32 threads; 0: by the mean row length", 0, 32, 0},
    {nullptr, nullptr, 0, 0, 0},
};

struct compensated_state {
    struct space_cuda *space;
    struct cuda_csr A;
    int threads_per_row;
    double *corrections; /* c[n] */
};

/* What a + b lost when it was rounded to `sum`. */
__device__ static double lost(double a, double b, double sum)
{
    double part = sum - a;
    return (a - (sum - part)) + (b - part);
}

/* *y += value, and *c += what that addition, and `error` before it, lost. */
__device__ static void add(double *y, double *c, double value, double error)
{
    double before = atomicAdd(y, value);
    atomicAdd(c, error + lost(before, value, before + value));
}

template <int T, typename Offset>
__global__ static void __launch_bounds__(THREADS)
    multiply(int64_t n, const Offset *offsets, const int32_t *columns, const double *values,
             double sign, const double *x, double *y, double *c, const int64_t *ended)
{
    if (ended && *ended)
        return;
    int64_t row = (blockIdx.x * (int64_t)THREADS + threadIdx.x) / T;
    int lane = threadIdx.x % T;
    double sum = 0, error = 0;
    if (row < n) {
        Offset begin = offsets[row], end = offsets[row + 1];
        double mirrored = sign * x[row];
        for (Offset k = begin + lane; k < end; k += T) {
            double a = values[k];
            int32_t j = columns[k];
            double product = a * x[j];
            double next = sum + product;
            error += fma(a, x[j], -product) + lost(sum, product, next);
            sum = next;
            if (k != begin) {
                product = a * mirrored;
                add(&y[j], &c[j], product, fma(a, mirrored, -product));
            }
        }
    }
    for (int half = T / 2; half >= 1; half /= 2) {
        double other = __shfl_down_sync(~0u, sum, half, T);
        double next = sum + other;
        error = error + (__shfl_down_sync(~0u, error, half, T) + lost(sum, other, next));
        sum = next;
    }
    if (row < n && lane == 0)
        add(&y[row], &c[row], sum, error);
}

__global__ static void combine(int64_t n, const double *c, double *y, const int64_t *ended)
{
    int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (i < n && !(ended && *ended))
        y[i] += c[i];
}

static enum status zero(const struct compensated_state *state, double *v, struct error *error)
{
    return cuda_check(cudaMemsetAsync(v, 0, (size_t)state->A.n * sizeof *v, state->space->stream),
                      "zeroing", error);
}

static enum status apply(void *opaque, const double *x, double *y, struct error *error)
{
    const struct compensated_state *state = (const struct compensated_state *)opaque;
    const struct cuda_csr &A = state->A;
    cudaStream_t stream = state->space->stream;
    const int64_t *ended = state->space->base.ended;
    enum status status = zero(state, y, error);
    if (!status)
        status = zero(state, state->corrections, error);
    if (status)
        return status;
    cuda_csr_dispatch(&A, state->threads_per_row, [&](auto threads, auto offsets) {
        constexpr int T = decltype(threads)::value;
        unsigned int blocks = (unsigned int)((A.n + THREADS / T - 1) / (THREADS / T));
        multiply<T><<<blocks, THREADS, 0, stream>>>(A.n, offsets, A.columns, A.values, A.sign, x, y,
                                                    state->corrections, ended);
    });
    status = cuda_check_launch("cuda_sym_compensated", error);
    if (status)
        return status;
    unsigned int blocks = (unsigned int)((A.n + THREADS - 1) / THREADS);
    combine<<<blocks, THREADS, 0, stream>>>(A.n, state->corrections, y, ended);
    return cuda_check_launch("cuda_sym_compensated", error);
}

static void destroy(void *opaque)
{
    struct compensated_state *state = (struct compensated_state *)opaque;
    if (!state)
        return;
    cuda_csr_free(&state->A);
    cudaFree(state->corrections);
    memory_free(state);
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **opaque, struct error *error)
{
    *opaque = nullptr;
    enum status status = cuda_csr_check_threads("cuda_sym_compensated", options->values[0], error);
    if (status)
        return status;
    struct compensated_state *state =
        (struct compensated_state *)memory_zeros(1, sizeof *state, "the kernel's state", error);
    if (!state)
        return STATUS_MEMORY;
    state->space = space_cuda_of(space);
    status = cuda_csr_create(state->space, A, &state->A, error);
    if (!status)
        status = cuda_array(A->n, sizeof(double), "the correction vector",
                            (void **)&state->corrections, error);
    state->threads_per_row =
        options->values[0] ? (int)options->values[0] : cuda_csr_threads_per_row(&state->A);
    if (status)
        destroy(state);
    else
        *opaque = state;
    return status;
}

static int64_t memory_bytes(const void *opaque)
{
    const struct compensated_state *state = (const struct compensated_state *)opaque;
    return cuda_csr_bytes(&state->A) + state->A.n * (int64_t)sizeof(double);
}

static int64_t bytes_per_apply(const void *opaque)
{
    const struct compensated_state *state = (const struct compensated_state *)opaque;
    return cuda_csr_bytes(&state->A) + 10 * state->A.n * (int64_t)sizeof(double);
}

const struct kernel kernel_cuda_sym_compensated = {
    .name = "cuda_sym_compensated",
    .summary = "upper triangle, atomic additions whose rounding errors are kept and added",
    .space = SPACE_CUDA,
    .storage = STORAGE_UPPER,
    .kinds = CSR_SYMMETRIC | CSR_SKEW,
    .guarantee = GUARANTEE_ACCURATE,
    .parameters = parameters,
    .unavailable = cuda_unavailable,
    .setup = setup,
    .apply = apply,
    .apply_dot = nullptr,
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = memory_bytes,
    .destroy = destroy,
};

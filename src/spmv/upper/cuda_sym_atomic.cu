/* y = A x from the upper triangle on a GPU, atomic additions.
 *
 * 1 to 32 threads share a row as in cuda_csr_subwarp. Each entry is used twice: for the sum of its
 * row, which a tree of shuffles completes and one atomicAdd adds to y_i, and for y_j, by an
 * atomicAdd of the rounded product a_ij x_i. The order in which they arrive differs from run to
 * run, and so do the last bits. It reads half of what cuda_csr_subwarp reads (12 bytes an upper
 * entry, 4 or 8 a row's offset), moves x once, and y three times (zeroed, read, written) while the
 * band between a row and its farthest column stays in the cache, where the atomics are done. y is
 * complete only at the end, so x . y is a pass of its own. In single precision the additions go to
 * a vector of singles, from which y is copied. */
#include "spmv/cuda_rows.h"

extern "C" const struct kernel kernel_cuda_sym_atomic;

static const struct kernel_parameter parameters[] = {
    CUDA_ROWS_PARAMETERS,
    KERNEL_PARAMETER_PRECISION,
    {},
};

struct atomic_rows {
    struct cuda_rows rows;
    float *sums; /* [n] what becomes y in single precision, else NULL */
};

/* Entries that a thread loads before it uses the first. */
enum { STEP = 4 };

template <int T, typename Sum, typename Offset, typename Value, typename Vector>
__global__ static void __launch_bounds__(CUDA_ROWS_THREADS)
    multiply(int64_t n, const Offset *offsets, const int32_t *columns, const Value *values,
             Sum sign, const Vector *x, Sum *y, const int64_t *ended)
{
    if (ended && *ended)
        return;
    int64_t row = (blockIdx.x * (int64_t)CUDA_ROWS_THREADS + threadIdx.x) / T;
    int lane = threadIdx.x % T;
    Sum sum = 0;
    if (row < n) {
        Offset begin = offsets[row], end = offsets[row + 1];
        Sum mirrored = sign * (Sum)x[row];
#pragma unroll 1
        for (Offset k = begin + lane; k < end; k += STEP * T) {
            int32_t j[STEP];
            Value a[STEP];
            Vector xs[STEP];
            cuda_rows_load<T>(k, end, columns, values, j, a);
#pragma unroll
            for (int u = 0; u < STEP; u++)
                if (k + u * T < end && k + u * T != begin)
                    atomicAdd(&y[j[u]], (Sum)a[u] * mirrored);
            cuda_rows_gather(x, j, xs);
#pragma unroll
            for (int u = 0; u < STEP; u++)
                if (k + u * T < end)
                    sum = fma((Sum)a[u], (Sum)xs[u], sum);
        }
    }
    for (int half = T / 2; half >= 1; half /= 2)
        sum = sum + __shfl_down_sync(~0u, sum, half, T);
    if (row < n && lane == 0)
        atomicAdd(&y[row], sum);
}

template <typename Sum, typename Value, typename Vector>
static enum status launch(const struct cuda_rows *rows, const Value *values, const Vector *x,
                          Sum *y, struct error *error)
{
    const struct cuda_csr &A = rows->A;
    enum status status = cuda_check(
        cudaMemsetAsync(y, 0, (size_t)A.n * sizeof *y, rows->space->stream), "zeroing y", error);
    if (status)
        return status;
    cuda_rows_launch(rows, [&](auto threads, auto offsets, unsigned int blocks) {
        constexpr int T = decltype(threads)::value;
        multiply<T><<<blocks, CUDA_ROWS_THREADS, 0, rows->space->stream>>>(
            A.n, offsets, A.columns, values, (Sum)A.sign, x, y, rows->space->base.ended);
    });
    return cuda_check_launch("cuda_sym_atomic", error);
}

__global__ static void widen(int64_t n, const float *sums, double *y, const int64_t *ended)
{
    int64_t i = blockIdx.x * (int64_t)CUDA_ROWS_THREADS + threadIdx.x;
    if (i < n && !(ended && *ended))
        y[i] = sums[i];
}

static enum status apply(void *state, const double *x, double *y, struct error *error)
{
    const struct atomic_rows *atomic = (const struct atomic_rows *)state;
    const struct cuda_rows *rows = &atomic->rows;
    const struct cuda_csr &A = rows->A;
    if (A.precision == PRECISION_DOUBLE)
        return launch(rows, (const double *)A.values, x, y, error);
    if (A.precision == PRECISION_FLOAT_DOUBLE)
        return launch(rows, (const float *)A.values, x, y, error);
    enum status status = launch(rows, (const float *)A.values, x, atomic->sums, error);
    if (status)
        return status;
    unsigned int blocks = (unsigned int)((A.n + CUDA_ROWS_THREADS - 1) / CUDA_ROWS_THREADS);
    widen<<<blocks, CUDA_ROWS_THREADS, 0, rows->space->stream>>>(A.n, atomic->sums, y,
                                                                 rows->space->base.ended);
    return cuda_check_launch("cuda_sym_atomic", error);
}

static enum status apply_float(void *state, const float *x, float *y, struct error *error)
{
    const struct cuda_rows *rows = (const struct cuda_rows *)state;
    return launch(rows, (const float *)rows->A.values, x, y, error);
}

static void destroy(void *state)
{
    if (state)
        cudaFree(((struct atomic_rows *)state)->sums);
    cuda_rows_destroy(state);
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    enum status status = cuda_rows_setup(&kernel_cuda_sym_atomic, sizeof(struct atomic_rows), A,
                                         options, space, state, error);
    struct atomic_rows *atomic = (struct atomic_rows *)*state;
    if (status || atomic->rows.A.precision != PRECISION_FLOAT)
        return status;
    status = cuda_array(A->n, sizeof *atomic->sums, "y in single precision", (void **)&atomic->sums,
                        error);
    if (status) {
        destroy(atomic);
        *state = nullptr;
    }
    return status;
}

static int64_t setup_bytes(const struct csr *A, const struct kernel_options *options)
{
    bool sums = kernel_precision(&kernel_cuda_sym_atomic, options) == PRECISION_FLOAT;
    return cuda_rows_setup_bytes_upper(A, options) + (sums ? A->n * (int64_t)sizeof(float) : 0);
}

static int64_t memory_bytes(const void *state)
{
    const struct atomic_rows *atomic = (const struct atomic_rows *)state;
    return cuda_rows_memory_bytes(state) +
           (atomic->sums ? atomic->rows.A.n * (int64_t)sizeof *atomic->sums : 0);
}

/* y is zeroed, then read and written; the sums in single precision likewise, and then read, and y
 * written. */
static int64_t bytes_per_apply(const void *state)
{
    const struct atomic_rows *atomic = (const struct atomic_rows *)state;
    const struct cuda_csr &A = atomic->rows.A;
    int64_t row = atomic->sums ? 2 * sizeof(double) + 4 * sizeof(float) : 4 * sizeof(double);
    return cuda_csr_bytes(&A) + A.n * row;
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
    .setup_bytes = setup_bytes,
    .setup = setup,
    .apply = apply,
    .apply_float = apply_float,
    .apply_dot = nullptr,
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = memory_bytes,
    .destroy = destroy,
};

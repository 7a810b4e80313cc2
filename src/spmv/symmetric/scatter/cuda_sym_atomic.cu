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

static const struct parameter parameters[] = {
    CUDA_ROWS_BY_THREADS,
    KERNEL_PRECISION(CUDA_ROWS_PRECISION),
    {},
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

__global__ static void widen(int64_t n, const float *sums, double *y, const int64_t *ended)
{
    int64_t i = blockIdx.x * (int64_t)CUDA_ROWS_THREADS + threadIdx.x;
    if (i < n && !(ended && *ended))
        y[i] = sums[i];
}

template <typename Value, typename Sum, typename Vector>
static enum status multiply_and_widen(const struct cuda_rows *rows, const struct operands *operands,
                                      struct error *error)
{
    const struct cuda_csr &A = rows->A;
    cudaStream_t stream = rows->space->stream;
    const int64_t *ended = rows->space->base.ended;
    constexpr bool WIDENED = sizeof(Sum) < sizeof(Vector);
    Sum *y = (Sum *)(WIDENED ? rows->sums : operands->y);
    enum status status =
        cuda_check(cudaMemsetAsync(y, 0, (size_t)A.n * sizeof *y, stream), "zeroing y", error);
    if (status)
        return status;
    cuda_rows_launch(rows, [&](auto threads, auto offsets, unsigned int blocks) {
        constexpr int T = decltype(threads)::value;
        multiply<T><<<blocks, CUDA_ROWS_THREADS, 0, stream>>>(
            A.n, offsets, A.columns, (const Value *)A.values, (Sum)A.sign,
            (const Vector *)operands->x, y, ended);
    });
    status = cuda_check_launch("cuda_sym_atomic", error);
    if (status || !WIDENED)
        return status;
    unsigned int blocks = (unsigned int)((A.n + CUDA_ROWS_THREADS - 1) / CUDA_ROWS_THREADS);
    widen<<<blocks, CUDA_ROWS_THREADS, 0, stream>>>(A.n, (const float *)rows->sums,
                                                    (double *)operands->y, ended);
    return cuda_check_launch("cuda_sym_atomic", error);
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct cuda_rows *rows = (const struct cuda_rows *)state;
    enum status status = STATUS_OK;
    cuda_with_types(rows->A.precision, operands, [&]<typename... Types>() {
        status = multiply_and_widen<Types...>(rows, operands, error);
    });
    return status;
}

static const struct operator_table table = {.apply = apply, .destroy = cuda_rows_destroy};

static bool has_sums(const struct kernel_options *options)
{
    return options->values[CUDA_ROWS_PRECISION] == PRECISION_FLOAT;
}

/* In single precision the sums are what becomes y. */
static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    enum status status = cuda_rows_setup(&kernel_cuda_sym_atomic, &table, A, options, made, error);
    if (!status && has_sums(options))
        status = cuda_rows_add_sums(made, sizeof(float), "y in single precision", error);
    /* y is zeroed and read besides; or the sums are zeroed, read and written, and then read. */
    made->bytes_per_apply +=
        A->n * (int64_t)(has_sums(options) ? 4 * sizeof(float) : 2 * sizeof(double));
    return status;
}

static int64_t setup_bytes(const struct csr *A, const struct kernel_options *options)
{
    return cuda_rows_setup_bytes_upper(A, options) +
           (has_sums(options) ? A->n * (int64_t)sizeof(float) : 0);
}

const struct kernel kernel_cuda_sym_atomic = {
    .component = KERNEL_COMPONENT(
        "cuda_sym_atomic", "upper triangle, atomic additions in the order in which they arrive",
        parameters),
    .space = SPACE_CUDA,
    .storage = STORAGE_UPPER,
    .kinds = CSR_SYMMETRIC | CSR_SKEW,
    .guarantee = GUARANTEE_NONE,
    .unavailable = cuda_unavailable,
    .setup_bytes = setup_bytes,
    .setup = setup,
};
CUDA_PUT_CONSTANT(kernel_cuda_sym_atomic)

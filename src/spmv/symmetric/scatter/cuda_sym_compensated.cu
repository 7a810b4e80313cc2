/* y = A x from the upper triangle on a GPU, atomic additions with their errors kept.
 *
 * As cuda_sym_atomic, but every atomicAdd hands back the value that it found, from which its
 * rounding error follows exactly (Knuth's TwoSum); that error goes by another atomicAdd into a
 * correction vector c, and a last pass makes y += c. What is left of the order's influence is the
 * rounding in c: usually no bit of y, but nothing promises it. With compensate = "all" the errors
 * of the products, of the additions within a row, and of the tree that ends it go there too
 * (spmv/symmetric/scatter/compensate.h). An atomic whose result is used takes a round trip to the
 * cache, and there are twice as many of them: about twice the time of cuda_sym_atomic, with either
 * choice. Beside the matrix and x, y and c are zeroed, read and written, and c read and y read and
 * written again. */
#include "spmv/cuda_rows.h"
#include "spmv/symmetric/scatter/compensate.h"

extern "C" const struct kernel kernel_cuda_sym_compensated;

enum { PARAMETER_COMPENSATE = CUDA_ROWS_MORE };

static const struct parameter parameters[] = {
    CUDA_ROWS_BY_THREADS,
    KERNEL_PRECISION_OF_VALUES(CUDA_ROWS_PRECISION),
    KERNEL_COMPENSATE(PARAMETER_COMPENSATE),
    {},
};

/* What a + b lost when it was rounded to `sum`. */
__device__ static double lost(double a, double b, double sum)
{
    double part = sum - a;
    return (a - (sum - part)) + (b - part);
}

/* *c += error: what an addition to y lost. Often there is nothing to add. */
__device__ static void keep(double *c, double error)
{
    if (error != 0)
        atomicAdd(c, error);
}

/* y_i += value and c_i += what that, and `error` before it, lost. */
__device__ static void add(double *y, double *c, double value, double error)
{
    double before = atomicAdd(y, value);
    keep(c, error + lost(before, value, before + value));
}

/* Entries that a thread loads before it uses the first; more would keep too many registers. */
enum { STEP = 2 };

template <int T, enum compensate COMPENSATE, typename Offset, typename Value>
__global__ static void __launch_bounds__(CUDA_ROWS_THREADS)
    multiply(int64_t n, const Offset *offsets, const int32_t *columns, const Value *values,
             double sign, const double *x, double *y, double *c, const int64_t *ended)
{
    if (ended && *ended)
        return;
    constexpr bool ALL = COMPENSATE == COMPENSATE_ALL;
    int64_t row = (blockIdx.x * (int64_t)CUDA_ROWS_THREADS + threadIdx.x) / T;
    int lane = threadIdx.x % T;
    double sum = 0, error = 0;
    if (row < n) {
        Offset begin = offsets[row], end = offsets[row + 1];
        double mirrored = sign * x[row];
#pragma unroll 1
        for (Offset k = begin + lane; k < end; k += STEP * T) {
            int32_t j[STEP];
            Value a[STEP];
            double xs[STEP], before[STEP];
            cuda_rows_load<T>(k, end, columns, values, j, a);
            cuda_rows_gather(x, j, xs);
#pragma unroll
            for (int u = 0; u < STEP; u++)
                if (k + u * T < end && k + u * T != begin)
                    before[u] = atomicAdd(&y[j[u]], (double)a[u] * mirrored);
#pragma unroll
            for (int u = 0; u < STEP; u++) {
                if (k + u * T >= end)
                    continue;
                double value = a[u], product = value * xs[u];
                double next = ALL ? sum + product : fma(value, xs[u], sum);
                if (ALL)
                    error += fma(value, xs[u], -product) + lost(sum, product, next);
                sum = next;
                if (k + u * T == begin)
                    continue;
                product = value * mirrored;
                keep(&c[j[u]], (ALL ? fma(value, mirrored, -product) : 0) +
                                   lost(before[u], product, before[u] + product));
            }
        }
    }
    for (int half = T / 2; half >= 1; half /= 2) {
        double other = __shfl_down_sync(~0u, sum, half, T);
        double next = sum + other;
        if (ALL)
            error = error + (__shfl_down_sync(~0u, error, half, T) + lost(sum, other, next));
        sum = next;
    }
    if (row < n && lane == 0)
        add(&y[row], &c[row], sum, error);
}

__global__ static void combine(int64_t n, const double *c, double *y, const int64_t *ended)
{
    int64_t i = blockIdx.x * (int64_t)CUDA_ROWS_THREADS + threadIdx.x;
    if (i < n && !(ended && *ended))
        y[i] += c[i];
}

static enum status zero(const struct cuda_rows *rows, double *v, struct error *error)
{
    return cuda_check(cudaMemsetAsync(v, 0, (size_t)rows->A.n * sizeof *v, rows->space->stream),
                      "zeroing", error);
}

template <enum compensate COMPENSATE>
static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct cuda_rows *rows = (const struct cuda_rows *)state;
    const struct cuda_csr &A = rows->A;
    double *y = (double *)operands->y, *corrections = (double *)rows->sums;
    cudaStream_t stream = rows->space->stream;
    const int64_t *ended = rows->space->base.ended;
    enum status status = zero(rows, y, error);
    if (!status)
        status = zero(rows, corrections, error);
    if (status)
        return status;
    auto launch = [&](auto values) {
        cuda_rows_launch(rows, [&](auto threads, auto offsets, unsigned int blocks) {
            constexpr int T = decltype(threads)::value;
            multiply<T, COMPENSATE><<<blocks, CUDA_ROWS_THREADS, 0, stream>>>(
                A.n, offsets, A.columns, values, A.sign, (const double *)operands->x, y,
                corrections, ended);
        });
    };
    if (A.precision == PRECISION_DOUBLE)
        launch((const double *)A.values);
    else
        launch((const float *)A.values);
    status = cuda_check_launch("cuda_sym_compensated", error);
    if (status)
        return status;
    unsigned int blocks = (unsigned int)((A.n + CUDA_ROWS_THREADS - 1) / CUDA_ROWS_THREADS);
    combine<<<blocks, CUDA_ROWS_THREADS, 0, stream>>>(A.n, corrections, y, ended);
    return cuda_check_launch("cuda_sym_compensated", error);
}

/* Of each enum compensate. */
static const struct operator_table tables[] = {
    {.apply = apply<COMPENSATE_ATOMICS>, .destroy = cuda_rows_destroy},
    {.apply = apply<COMPENSATE_ALL>, .destroy = cuda_rows_destroy},
};

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    enum status status =
        cuda_rows_setup(&kernel_cuda_sym_compensated,
                        &tables[options->values[PARAMETER_COMPENSATE]], A, options, made, error);
    if (!status)
        status = cuda_rows_add_sums(made, sizeof(double), "the correction vector", error);
    made->bytes_per_apply += 8 * A->n * (int64_t)sizeof(double);
    return status;
}

static int64_t setup_bytes(const struct csr *A, const struct kernel_options *options)
{
    return cuda_rows_setup_bytes_upper(A, options) + A->n * (int64_t)sizeof(double);
}

const struct kernel kernel_cuda_sym_compensated = {
    .component = KERNEL_COMPONENT(
        "cuda_sym_compensated",
        "upper triangle, atomic additions whose rounding errors are kept and added", parameters),
    .space = SPACE_CUDA,
    .storage = STORAGE_UPPER,
    .kinds = CSR_SYMMETRIC | CSR_SKEW,
    .guarantee = GUARANTEE_NONE,
    .promises = compensate_promises,
    .unavailable = cuda_unavailable,
    .setup_bytes = setup_bytes,
    .setup = setup,
};
CUDA_PUT_CONSTANT(kernel_cuda_sym_compensated)

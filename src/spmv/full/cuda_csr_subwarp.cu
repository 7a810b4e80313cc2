/* y = A x from full rows on a GPU, 1 to 32 threads a row.
 *
 * Thread l of the T that share a row takes its entries l, l + T, l + 2 T, ..., so that neighbouring
 * threads load neighbouring entries; then the T partial sums are added in a tree of shuffles:
 *
 *     s_l = fma(a_ij, x_j, s_l)                        for each of its entries, in order
 *     for (h = T / 2; h >= 1; h /= 2)  for l < h:  s_l = s_l + s_{l+h}
 *
 * T follows from the matrix alone, so the order does, and the bits are the same on every device.
 * There are two loops with this order: one by steps of four entries, whose loads are all on their
 * way before the first is used (spmv/cuda_rows.h), and the plain one, entry after entry, as it is
 * written first. Few threads suit short rows (none idles), many suit long ones (loads are
 * coalesced). Moves 12 bytes an entry of the full matrix (8 where the values are single), 4 or 8 a
 * row's offset, x and y once while x's reuse stays in the cache. */
#include "spmv/cuda_rows.h"

extern "C" const struct kernel kernel_cuda_csr_subwarp;

enum { PARAMETER_LOOP = CUDA_ROWS_PARAMETER_PRECISION + 1 };
enum { LOOP_STEPS, LOOP_PLAIN };
static const char *const loops[] = {"steps", "plain", nullptr};

static const struct kernel_parameter parameters[] = {
    CUDA_ROWS_PARAMETERS,
    KERNEL_PARAMETER_PRECISION,
    {.name = "loop",
     .meaning = "of a thread: steps, of four loads at once; plain, entry after entry",
     .minimum = 0,
     .maximum = LOOP_PLAIN,
     .standard = LOOP_STEPS,
     .choices = loops},
    {},
};

/* The kernel's state. */
struct subwarp_rows {
    struct cuda_rows rows;
    bool plain;
};

/* Entries that a thread loads before it uses the first. */
enum { STEP = 4 };

/* sum and the products of the next COUNT entries of a thread, or of those that there are. */
template <int T, int COUNT, typename Sum, typename Offset, typename Value, typename Vector>
__device__ static Sum add_entries(Sum sum, Offset k, Offset end, const int32_t *columns,
                                  const Value *values, const Vector *x)
{
    int32_t j[COUNT];
    Value a[COUNT];
    Vector xs[COUNT];
    cuda_rows_load<T>(k, end, columns, values, j, a);
    cuda_rows_gather(x, j, xs);
#pragma unroll
    for (int u = 0; u < COUNT; u++)
        if (k + u * T < end)
            sum = fma((Sum)a[u], (Sum)xs[u], sum);
    return sum;
}

/* The products of a thread's entries of a row, in order. */
template <int T, bool PLAIN, typename Sum, typename Offset, typename Value, typename Vector>
__device__ static Sum add_row(Offset k, Offset end, const int32_t *columns, const Value *values,
                              const Vector *x)
{
    Sum sum = 0;
    if constexpr (PLAIN) {
        for (; k < end; k += T)
            sum = fma((Sum)values[k], (Sum)x[columns[k]], sum);
    } else {
#pragma unroll 1
        for (; k + (STEP - 1) * T < end; k += STEP * T)
            sum = add_entries<T, STEP>(sum, k, end, columns, values, x);
        if (k < end)
            sum = add_entries<T, STEP - 1>(sum, k, end, columns, values, x);
    }
    return sum;
}

template <int T, bool PLAIN, typename Sum, typename Offset, typename Value, typename Vector>
__global__ static void __launch_bounds__(CUDA_ROWS_THREADS)
    multiply(int64_t n, const Offset *offsets, const int32_t *columns, const Value *values,
             const Vector *x, Vector *y, const int64_t *ended)
{
    if (ended && *ended)
        return;
    int64_t row = (blockIdx.x * (int64_t)CUDA_ROWS_THREADS + threadIdx.x) / T;
    int lane = threadIdx.x % T;
    Sum sum = 0;
    if (row < n)
        sum = add_row<T, PLAIN, Sum>(offsets[row] + lane, offsets[row + 1], columns, values, x);
    for (int half = T / 2; half >= 1; half /= 2)
        sum = sum + __shfl_down_sync(~0u, sum, half, T);
    if (row < n && lane == 0)
        y[row] = sum;
}

template <bool PLAIN, typename Sum, typename Value, typename Vector>
static void launch_loop(const struct cuda_rows *rows, const Value *values, const Vector *x,
                        Vector *y)
{
    const struct cuda_csr &A = rows->A;
    cuda_rows_launch(rows, [&](auto threads, auto offsets, unsigned int blocks) {
        constexpr int T = decltype(threads)::value;
        multiply<T, PLAIN, Sum><<<blocks, CUDA_ROWS_THREADS, 0, rows->space->stream>>>(
            A.n, offsets, A.columns, values, x, y, rows->space->base.ended);
    });
}

template <typename Sum, typename Value, typename Vector>
static enum status launch(const struct subwarp_rows *kept, const Value *values, const Vector *x,
                          Vector *y, struct error *error)
{
    if (kept->plain)
        launch_loop<true, Sum>(&kept->rows, values, x, y);
    else
        launch_loop<false, Sum>(&kept->rows, values, x, y);
    return cuda_check_launch("cuda_csr_subwarp", error);
}

static enum status apply(void *state, const double *x, double *y, struct error *error)
{
    const struct subwarp_rows *kept = (const struct subwarp_rows *)state;
    return cuda_csr_typed(&kept->rows.A, [&](auto values, auto zero) {
        return launch<decltype(zero)>(kept, values, x, y, error);
    });
}

static enum status apply_float(void *state, const float *x, float *y, struct error *error)
{
    const struct subwarp_rows *kept = (const struct subwarp_rows *)state;
    return launch<float>(kept, (const float *)kept->rows.A.values, x, y, error);
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    enum status status = cuda_rows_setup(&kernel_cuda_csr_subwarp, sizeof(struct subwarp_rows), A,
                                         options, space, state, error);
    if (!status)
        ((struct subwarp_rows *)*state)->plain = options->values[PARAMETER_LOOP] == LOOP_PLAIN;
    return status;
}

static int64_t bytes_per_apply(const void *state)
{
    const struct cuda_rows *rows = (const struct cuda_rows *)state;
    return cuda_csr_bytes(&rows->A) + (rows->A.n + rows->A.width) * (int64_t)sizeof(double);
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
    .setup_bytes = cuda_rows_setup_bytes_full,
    .setup = setup,
    .apply = apply,
    .apply_float = apply_float,
    .apply_dot = nullptr,
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = cuda_rows_memory_bytes,
    .destroy = cuda_rows_destroy,
};

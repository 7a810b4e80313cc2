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

enum { PARAMETER_LOOP = CUDA_ROWS_MORE };
static const char *const loops[] = {"steps", "plain", nullptr};

static const struct parameter parameters[] = {
    CUDA_ROWS_BY_THREADS,
    KERNEL_PRECISION(CUDA_ROWS_PRECISION),
    KERNEL_CHOICE(PARAMETER_LOOP, "loop",
                  "the loads of a thread: steps, four at once; plain, entry after entry", "steps",
                  loops),
    {},
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

template <bool PLAIN>
static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct cuda_rows *rows = (const struct cuda_rows *)state;
    const struct cuda_csr &A = rows->A;
    auto launch = [&]<typename Value, typename Sum, typename Vector>() {
        cuda_rows_launch(rows, [&](auto threads, auto offsets, unsigned int blocks) {
            constexpr int T = decltype(threads)::value;
            multiply<T, PLAIN, Sum><<<blocks, CUDA_ROWS_THREADS, 0, rows->space->stream>>>(
                A.n, offsets, A.columns, (const Value *)A.values, (const Vector *)operands->x,
                (Vector *)operands->y, rows->space->base.ended);
        });
    };
    cuda_with_types(A.precision, operands, launch);
    return cuda_check_launch("cuda_csr_subwarp", error);
}

/* Of each loop. */
static const struct operator_table tables[] = {
    {.apply = apply<false>, .destroy = cuda_rows_destroy},
    {.apply = apply<true>, .destroy = cuda_rows_destroy},
};

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    return cuda_rows_setup(&kernel_cuda_csr_subwarp, &tables[options->values[PARAMETER_LOOP]], A,
                           options, made, error);
}

const struct kernel kernel_cuda_csr_subwarp = {
    .component = KERNEL_COMPONENT(
        "cuda_csr_subwarp", "full rows, 1 to 32 threads a row and a tree of shuffles", parameters),
    .space = SPACE_CUDA,
    .storage = STORAGE_FULL,
    .kinds = CSR_SYMMETRIC | CSR_SKEW | CSR_GENERAL,
    .guarantee = GUARANTEE_BITWISE,
    .sums_by_matrix = true, /* threads a row, from their mean length */
    .unavailable = cuda_unavailable,
    .setup_bytes = cuda_rows_setup_bytes_full,
    .setup = setup,
};
CUDA_PUT_CONSTANT(kernel_cuda_csr_subwarp)

/* y = A x from full storage by a segmented scan: every warp has the same number of entries,
 * wherever rows end, so nothing is out of balance, and no thread takes another way than its
 * neighbours.
 *
 * Segmented scans for this product are of Blelloch, Heroux and Zagha (1993, "Segmented operations
 * for sparse matrix computation on vector multiprocessors"), on GPUs of Sengupta, Harris, Zhang and
 * Owens (2007, "Scan primitives for GPU computing"). V entries to a thread in a transposed layout,
 * and the ends and offsets of rows in the high bits of the columns, are Sean Baxter's (Modern GPU's
 * sparse library, 2011, github.com/seanbaxter/mgpu_old). There a second launch joins what crosses
 * warps; here shared memory and, from block to block, slots do it in the same one
 * (spmv/baseline/cuda_shares.cuh), and a ballot tells the distances of the scan, which are in those
 * bits there.
 *
 * The order of additions, with shares and blocks as in spmv/baseline/segscan.h:
 *
 *     a lane     s = 0; for its V entries  s = fma(a, x_j, s), and where a row ends, s is its part,
 *                and then 0 again; what is left at the end is the lane's tail
 *     a warp     t_l = the tail of lane l, c_l = the number of lanes since the last one in which a
 *                row ends, 0 where l is that, l where there is none;
 *                for d = 1, 2, 4, 8, 16, all lanes at once:  if d <= c_l, t_l = t_{l-d} + t_l;
 *                the first part of a lane l > 0 becomes t_{l-1} + it, and t_31 is the warp's tail
 *     a block    carry = 0; for the warps before: carry = their tail where a row ends in them,
 *                else carry + their tail. Where none does, and the row began in blocks before,
 *                carry = (the tails of these, in the order of cuda_take_parts) + carry;
 *                the first part of a warp becomes carry + it
 *
 * and these parts are y. It depends on the matrix and V alone.
 *
 * Moves 12 bytes an entry and a place left free (8 where values are single), 4 a warp, 4 a block
 * and 24 for its slot, x and y once, and 4 for each empty row and for the rows that end in a warp's
 * share with such between them. Most blocks begin and end with a row, so they wait for no other
 * one: that waiting, with the registers of a whole block taken, cost more than the places left free
 * do. All that a thread loads is on its way at once, and then all of its x_j; y is collected in
 * shared memory and leaves in one piece. One barrier a block. */
#include "spmv/baseline/cuda_shares.cuh"
#include "spmv/baseline/segscan.h"
#include "spmv/cuda_kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <type_traits>

extern "C" const struct kernel kernel_cuda_segscan;

enum { VALUES_PER_THREAD, PRECISION }; /* the parameters */
enum { THREADS = SEGSCAN_WARPS * SEGSCAN_LANES };

static_assert((int)SEGSCAN_LANES == (int)CUDA_WARP, "a share is a warp's");

static const struct parameter parameters[] = {
    KERNEL_INTEGER(VALUES_PER_THREAD, "values_per_thread",
                   "4, 6, 8, 10, 12 or 16 entries to each thread; 0: by their number and precision",
                   "0", 0, SEGSCAN_VALUES_MAX),
    KERNEL_PRECISION(PRECISION),
    {},
};

/* The arrays of struct segscan, on the device. By value into the kernel. */
struct on_device {
    const uint32_t *words;
    const void *values;
    const int32_t *first;
    const uint32_t *joins;
    const int32_t *rows;
    const int32_t *empty;
    double *slots; /* [blocks] the tail of a block whose last row ends in a later one */
    int64_t empties;
    int ends_max;
};

struct scanned_rows {
    struct space_cuda *space;
    struct segscan sizes; /* without its arrays */
    enum precision precision;
    struct on_device A;
};

/* A lane's V numbers of a share. */
template <int V, typename T> __device__ static void load(const T *share, int lane, T (&numbers)[V])
{
    constexpr int GROUP = SEGSCAN_GROUP(V, (int)sizeof(T));
#pragma unroll
    for (int g = 0; g < V / GROUP; g++)
        cuda_load_once<GROUP>(share + segscan_group_place(GROUP, lane, g), numbers + g * GROUP);
}

/* The tails of the warps, and whether a row ends in them, a byte each. */
template <typename Sum> struct tails {
    Sum tail[SEGSCAN_WARPS];
    union {
        uint8_t ends[SEGSCAN_WARPS];
        uint64_t all_ends;
    };
};

static_assert(SEGSCAN_WARPS == sizeof(uint64_t), "one byte a warp");

/* What the warps before this one in its block leave to it; *open: no row ends in them. */
template <typename Sum>
__device__ static Sum carry_of_warps(const struct tails<Sum> *of, int warp, bool *open)
{
    uint64_t before = of->all_ends & ((UINT64_C(1) << 8 * warp) - 1);
    int w = (63 - __clzll((long long)before)) >> 3; /* the last of them with an end, or -1 */
    *open = w < 0;
    Sum carry = w < 0 ? 0 : of->tail[w];
#pragma unroll 1
    for (w++; w < warp; w++)
        carry = carry + of->tail[w];
    return carry;
}

template <typename Vector>
__device__ static void zero_empty_rows(const struct on_device &A, Vector *y)
{
#pragma unroll 1
    for (int64_t e = blockIdx.x * (int64_t)THREADS + threadIdx.x; e < A.empties;
         e += gridDim.x * (int64_t)THREADS)
        y[A.empty[e]] = 0;
}

/* How many blocks a multiprocessor is to hold at least: so many that all loads of a thread still
 * fit into its registers, of which the compiler would take more. */
template <typename Sum, typename Vector> constexpr int blocks_at_once(int V)
{
    if (sizeof(Sum) == sizeof(float) && sizeof(Vector) == sizeof(float))
        return V > 12 ? 5 : 6;
    return V > 12 ? 1 : 4;
}

template <typename Value, typename Sum, typename Vector, int V>
__global__ static void __launch_bounds__(THREADS, blocks_at_once<Sum, Vector>(V))
    multiply(struct on_device A, const Vector *x, Vector *y, const int64_t *ended)
{
    extern __shared__ double memory[]; /* [SEGSCAN_WARPS][ends_max], of type Sum */
    __shared__ struct tails<Sum> tails;
    if (ended && *ended)
        return;
    int warp = threadIdx.x / CUDA_WARP, lane = threadIdx.x % CUDA_WARP;
    int64_t share = blockIdx.x * (int64_t)SEGSCAN_WARPS + warp;
    uint32_t words[V];
    Value a[V];
    Sum xs[V];
    load<V>(A.words + share * segscan_share(V), lane, words);
    load<V>((const Value *)A.values + share * segscan_share(V), lane, a);
    int32_t first = A.first[share];
    uint32_t joins = A.joins[blockIdx.x];
    cuda_loads_first();
    uint32_t flags = 0; /* bit V - 1 - v: segscan_ends(words[v]). So the words need not be kept. */
#pragma unroll
    for (int v = 0; v < V; v++) {
        xs[v] = (Sum)x[segscan_column(words[v])];
        flags = __funnelshift_l(words[v], flags, 1);
    }
    int offset = segscan_offset(words);
    cuda_loads_first();
    zero_empty_rows(A, y);

    Sum *part = (Sum *)memory + warp * A.ends_max;
    Sum *begin = part + offset, *end = begin; /* of this lane's parts */
    Sum sum = 0;
#pragma unroll
    for (int v = 0; v < V; v++) {
        sum = cuda_fma((Sum)a[v], xs[v], sum);
        if (flags >> (V - 1 - v) & 1) {
            *end++ = sum;
            sum = 0;
        }
    }

    uint32_t lanes = __ballot_sync(~0u, end > begin); /* in which a row ends */
    int reach = segscan_reach(lanes, lane);
    if (lanes != ~0u) {
#pragma unroll
        for (int distance = 1; distance < CUDA_WARP; distance *= 2) {
            Sum other = __shfl_up_sync(~0u, sum, distance);
            if (distance <= reach)
                sum = other + sum;
        }
    }
    Sum before = __shfl_up_sync(~0u, sum, 1);
    if (end > begin && lane > 0)
        *begin = before + *begin;
    if (lane == CUDA_WARP - 1) {
        tails.tail[warp] = sum;
        tails.ends[warp] = lanes != 0;
    }
    int ends = __shfl_sync(~0u, (int)(end - part), CUDA_WARP - 1);
    __syncthreads();

    bool open;
    Sum carry = carry_of_warps(&tails, warp, &open);
    if (warp == SEGSCAN_WARPS - 1 && lane == CUDA_WARP - 1 && joins & SEGSCAN_CONTINUES)
        cuda_slot_put(A.slots + blockIdx.x, (double)(lanes ? sum : carry + sum));
    int64_t joined = segscan_joined(joins);
    if (open && lanes && joined)
        carry = cuda_take_parts<Sum>(A.slots + blockIdx.x - joined, joined) + carry;
    for (int r = lane; r < ends; r += CUDA_WARP)
        y[segscan_row(first, A.rows, r)] = (Vector)(r ? part[r] : carry + part[r]);
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static void destroy(void *state)
{
    struct scanned_rows *kept = (struct scanned_rows *)state;
    if (!kept)
        return;
    cuda_free(kept->space, (void *)kept->A.words);
    cuda_free(kept->space, (void *)kept->A.values);
    cuda_free(kept->space, (void *)kept->A.first);
    cuda_free(kept->space, (void *)kept->A.joins);
    cuda_free(kept->space, (void *)kept->A.rows);
    cuda_free(kept->space, (void *)kept->A.empty);
    cuda_free(kept->space, kept->A.slots);
    memory_free(kept);
}

static enum status put(const struct segscan *scan, struct scanned_rows *kept, struct error *error)
{
    static const char *const what = "the shares of the entries";
    struct space_cuda *space = kept->space;
    struct on_device *A = &kept->A;
    int64_t places = scan->blocks * segscan_block(scan->values_per_thread);
    A->empties = scan->empties;
    A->ends_max = scan->ends_max;
    const struct cuda_piece pieces[] = {
        {scan->words, places, sizeof *scan->words, &A->words},
        {scan->values, places, scan->narrow ? sizeof(float) : sizeof(double), &A->values},
        {scan->first, scan->blocks * SEGSCAN_WARPS, sizeof *scan->first, &A->first},
        {scan->joins, scan->blocks, sizeof *scan->joins, &A->joins},
        {scan->rows, scan->listed, sizeof *scan->rows, &A->rows},
        {scan->empty, scan->empties, sizeof *scan->empty, &A->empty}};
    enum status status = cuda_put_pieces(space, pieces, what, error);
    if (!status)
        status = cuda_slots_create(space, scan->blocks, what, &A->slots, error);
    return status;
}

static int values_per_thread(int64_t nnz, const struct kernel_options *options)
{
    int64_t V = options->values[VALUES_PER_THREAD];
    return V ? (int)V
             : segscan_values_per_thread(nnz, options->values[PRECISION] == PRECISION_FLOAT);
}

/* ---- products -------------------------------------------------------------------------------- */

template <typename Value, typename Sum, typename Vector>
static void launch(const struct scanned_rows *kept, const struct operands *operands)
{
    auto with = [&](auto values) {
        constexpr int V = decltype(values)::value;
        multiply<Value, Sum, Vector, V>
            <<<(unsigned int)kept->sizes.blocks, THREADS,
               SEGSCAN_WARPS *(size_t)kept->A.ends_max * sizeof(Sum), kept->space->stream>>>(
                kept->A, (const Vector *)operands->x, (Vector *)operands->y,
                kept->space->base.ended);
    };
    switch (kept->sizes.values_per_thread) {
    case 4:
        with(std::integral_constant<int, 4>());
        break;
    case 6:
        with(std::integral_constant<int, 6>());
        break;
    case 8:
        with(std::integral_constant<int, 8>());
        break;
    case 10:
        with(std::integral_constant<int, 10>());
        break;
    case 12:
        with(std::integral_constant<int, 12>());
        break;
    default:
        with(std::integral_constant<int, 16>());
    }
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct scanned_rows *kept = (const struct scanned_rows *)state;
    cuda_with_types(kept->precision, operands,
                    [&]<typename... Types>() { launch<Types...>(kept, operands); });
    return cuda_check_launch("cuda_segscan", error);
}

static const struct operator_table table = {.apply = apply, .destroy = destroy};

/* ---- the kernel ------------------------------------------------------------------------------ */

static enum status check(const struct csr *A, const struct kernel_options *options,
                         struct error *error)
{
    return segscan_check(A, options->values[VALUES_PER_THREAD], error);
}

static enum status fill(const struct csr *A, const struct kernel_options *options,
                        struct scanned_rows *kept, struct error *error)
{
    struct csr full;
    struct segscan scan;
    enum status status = csr_expand(A, &full, error);
    if (status)
        return status;
    status = segscan_create(&full, values_per_thread(full.nnz, options),
                            options->values[PRECISION] != PRECISION_DOUBLE, &scan, error);
    csr_free(&full);
    if (!status)
        status = put(&scan, kept, error);
    kept->sizes = scan; /* whose arrays go */
    segscan_free(&scan);
    return status;
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    struct scanned_rows *kept = cuda_state_create<struct scanned_rows>(&table, made, error);
    if (!kept)
        return STATUS_MEMORY;
    kept->precision = (enum precision)options->values[PRECISION];
    made->can = precision_can(kept->precision);
    enum status status = fill(A, options, kept, error);
    const struct segscan *sizes = &kept->sizes;
    int64_t slots = sizes->blocks * (int64_t)sizeof(double);
    made->memory_bytes = segscan_bytes(sizes) + slots;
    made->bytes_per_apply = segscan_bytes(sizes) + 3 * slots + cuda_vector_bytes(made);
    snprintf(made->description, sizeof made->description,
             "%" PRId64 " blocks of %d entries, %d to a thread", sizes->blocks,
             segscan_block(sizes->values_per_thread), sizes->values_per_thread);
    return status;
}

static int64_t setup_bytes(const struct csr *A, const struct kernel_options *options)
{
    int64_t nnz = csr_nnz_full(A);
    return segscan_bytes_of(nnz, values_per_thread(nnz, options),
                            options->values[PRECISION] != PRECISION_DOUBLE);
}

const struct kernel kernel_cuda_segscan = {
    .component = KERNEL_COMPONENT(
        "cuda_segscan", "full rows in equal shares of the entries, joined by a segmented scan",
        parameters),
    .space = SPACE_CUDA,
    .storage = STORAGE_FULL,
    .kinds = CSR_SYMMETRIC | CSR_SKEW | CSR_GENERAL,
    .guarantee = GUARANTEE_BITWISE,
    .sums_by_matrix = true,
    .unavailable = cuda_unavailable,
    .check = check,
    .setup_bytes = setup_bytes,
    .setup = setup,
};
CUDA_PUT_CONSTANT(kernel_cuda_segscan)

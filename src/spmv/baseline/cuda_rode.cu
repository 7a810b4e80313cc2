/* y = A x from full storage with every row taken apart: regular parts, whose length is a multiple
 * of N_B and at most N_S, and a residual part of what is left (RoDe: Pang et al., "A Row
 * Decomposition-based Approach for Sparse Matrix Multiplication on GPUs", PPoPP 2024, with N_B = 32
 * and N_S = 512; there for products with several vectors, and with atomic additions where a row has
 * several parts). Parts of one length lie together (spmv/row_parts.h), so a warp does the same for
 * all of its parts: no lane waits for a longer row, the regular parts need no test for their end,
 * and a part's number tells where its entries are. One launch, the longest parts first.
 *
 * The order of additions, for a part that T lanes share (spmv/baseline/rode.h): lane l adds to 0,
 * one after the other,
 *
 *     s_l = fma(a_ij, x_j, s_l)   regular, T = 8: entries 16 k + 2 l and 16 k + 2 l + 1, k from 0
 *                                 residual: entries l, l + T, l + 2 T, ..., as far as they go
 *     for (h = T / 2; h >= 1; h /= 2)  for l < h:  s_l = s_l + s_{l+h}
 *
 * A row of one part has its y then. Of two: y = the first part + the second one; of more: y = (all
 * but the last, in the order of cuda_take_parts) + the last one. The warp with the last part finds
 * the others in slots (spmv/baseline/cuda_shares.cuh). It depends on the matrix, N_S and N_B alone.
 *
 * Moves 12 bytes an entry (8 where values are single), 8 a part, 24 a slot, x and y once. All of a
 * lane's loads of 4 or 8 entries are on their way at once, and then all of its x_j. The paper's
 * pipeline: spmv/baseline/cuda_rode_sums.cuh. Several vectors: spmv/baseline/cuda_rode_columns.cuh.
 * */
#include "spmv/baseline/cuda_rode_columns.cuh"
#include "spmv/baseline/cuda_rode_sums.cuh"
#include "spmv/baseline/cuda_shares.cuh"
#include "spmv/baseline/rode.h"
#include "spmv/cuda_kernel.h"

#include <inttypes.h>

extern "C" const struct kernel kernel_cuda_rode;

enum { WARPS = (int)RODE_THREADS / (int)RODE_WARP }; /* of a block, of one vector */

enum { SPLIT, BLOCK, PRECISION, PIPELINE }; /* places of the parameters */
static const char *const pipelines[] = {"off", "on", nullptr};

static const struct parameter parameters[] = {
    KERNEL_INTEGER(SPLIT, "split", "entries of a regular part at most, N_S: a multiple of block",
                   "512", RODE_BLOCK_UNIT, RODE_SPLIT_MAX),
    KERNEL_INTEGER(BLOCK, "block",
                   "the length of a regular part is a multiple of this, N_B: a multiple of 16",
                   "32", RODE_BLOCK_UNIT, RODE_BLOCK_MAX),
    KERNEL_PRECISION(PRECISION),
    KERNEL_CHOICE(PIPELINE, "pipeline",
                  "on: regular parts through shared memory, the next entries while these are added",
                  "off", pipelines),
    {},
};

/* The arrays of struct row_parts, on the device. By value into the kernel. */
struct on_device {
    struct rode_classes classes;
    const struct row_part *parts;
    const int32_t *columns;
    const void *values;
    const struct row_join *joins;
    double *slots;
};

struct decomposed_rows {
    struct space_cuda *space;
    struct row_parts sizes; /* without its arrays */
    enum precision precision;
    struct on_device A;
    double *slots[CUDA_STRIDES]; /* of multivectors, row by row like these; NULL: not needed yet */
};

/* What is in the one other slot of a row of two parts, as soon as something is. */
template <typename Sum> __device__ static Sum take_part(double *slot)
{
    unsigned long long word;
    do
        word = cuda_slot_look(slot);
    while (word == CUDA_SUM_EMPTY);
    cuda_slot_write(slot, CUDA_SUM_EMPTY);
    return (Sum)__longlong_as_double((long long)word);
}

/* The sum of a row, of which this lane has the last part, or of its part alone. A warp's parts are
 * in the slots before it waits for others. */
template <typename Sum>
__device__ static Sum join(const struct on_device &A, bool leads, int32_t link, Sum sum)
{
    if (leads && link < 0)
        cuda_slot_put(A.slots + ~link, (double)sum);
    __syncwarp();
    if (leads && link > 0 && link % 2)
        sum = take_part<Sum>(A.slots + link / 2) + sum;
    uint32_t many = __ballot_sync(~0u, leads && link > 0 && link % 2 == 0);
    for (; many; many &= many - 1) {
        int lane = __ffs((int)many) - 1;
        struct row_join joins = A.joins[__shfl_sync(~0u, link, lane) / 2 - 1];
        Sum others = cuda_take_parts<Sum>(A.slots + joins.first, joins.count);
        others = __shfl_sync(~0u, others, 0);
        if ((int)threadIdx.x % RODE_WARP == lane)
            sum = others + sum;
    }
    return sum;
}

/* A team is a thread, and has one lane of one part. */
static constexpr struct rode_form ONE_VECTOR = {RODE_WARP, 1, 1, 1};

template <bool PIPELINED, typename Value, typename Sum, typename Vector>
__global__ static void __launch_bounds__(RODE_THREADS)
    multiply(const __grid_constant__ struct on_device A, const Vector *x, Vector *y,
             const int64_t *ended)
{
    if (ended && *ended)
        return;
    int64_t warp = blockIdx.x * (int64_t)WARPS + threadIdx.x / RODE_WARP;
    if (warp >= rode_warps(&A.classes))
        return;
    struct rode_share share = rode_share(&A.classes, ONE_VECTOR, warp, threadIdx.x % RODE_WARP);
    int member = rode_member(&share, 0);
    struct row_part part = A.parts[share.part + member];
    int64_t entry = share.entry + member * share.length;
    const int32_t *columns = A.columns + entry;
    const Value *values = (const Value *)A.values + entry;
    Sum sum = 0;
    if (share.regular)
        sum = rode_sum_regular<PIPELINED, Value, Sum>(share, columns, values, x);
    else if (share.length > 0)
        sum = rode_sum_residual<Value, Sum>(share, columns, values, x);
#pragma unroll
    for (int half = RODE_LANES_MAX / 2; half >= 1; half /= 2) {
        Sum other = __shfl_down_sync(~0u, sum, half);
        if (half < share.lanes)
            sum = sum + other;
    }
    bool leads = rode_is_there(&share, 0) && share.lane == 0;
    sum = join(A, leads, part.link, sum);
    if (leads && part.link >= 0)
        y[part.row] = (Vector)sum;
}

/* ---- several vectors ------------------------------------------------------------------------- */

/* What the team's thread has to know of a part, asked for before its sum is made. */
struct columns_part {
    struct row_part part;
    bool leads;                 /* it is of the first team of a part that is there */
    unsigned long long seen[2]; /* in the one other slot of each of its columns */
};

/* The first look at the slots of one other part: most often they are filled long before. */
__device__ static void look_columns(const double *slots, struct columns_part *of)
{
    for (int c = 0; c < 2; c++)
        of->seen[c] = cuda_slot_look(slots + c);
}

template <typename Sum>
__device__ static cuda_pair<Sum> take_columns(double *slots, struct columns_part of)
{
    while (of.seen[0] == CUDA_SUM_EMPTY || of.seen[1] == CUDA_SUM_EMPTY)
        for (int c = 0; c < 2; c++)
            of.seen[c] = cuda_slot_look(slots + c);
    for (int c = 0; c < 2; c++)
        cuda_slot_write(slots + c, CUDA_SUM_EMPTY);
    return {(Sum)__longlong_as_double((long long)of.seen[0]),
            (Sum)__longlong_as_double((long long)of.seen[1])};
}

/* What `join` does, for two columns of a thread. Columns of slots are next to each other. */
template <typename Teams, typename Sum>
__device__ static cuda_pair<Sum> join_columns(const struct on_device &A,
                                              const struct columns_part &of, cuda_pair<Sum> sum)
{
    enum { COLUMNS = Teams::COLUMNS, AT_ONCE = COLUMNS < 4 ? COLUMNS : 4 };
    int thread = (int)threadIdx.x % RODE_WARP, own = thread % Teams::THREADS * 2;
    int32_t link = of.part.link;
    if (of.leads && link < 0) {
        double *slots = A.slots + ~link * (int64_t)COLUMNS + own;
        cuda_slot_put(slots, (double)sum.first);
        cuda_slot_put(slots + 1, (double)sum.second);
    }
    __syncwarp();
    if (of.leads && link > 0 && link % 2) {
        cuda_pair<Sum> other = take_columns<Sum>(A.slots + link / 2 * (int64_t)COLUMNS + own, of);
        other.add(sum);
        sum = other;
    }
    uint32_t many = __ballot_sync(~0u, of.leads && own == 0 && link > 0 && link % 2 == 0);
    for (; many; many &= many - 1) {
        int leader = __ffs((int)many) - 1;
        struct row_join joins = A.joins[__shfl_sync(~0u, link, leader) / 2 - 1];
        for (int column = 0; column < COLUMNS; column += AT_ONCE) {
            Sum others[AT_ONCE];
            cuda_take_columns<AT_ONCE, 1>(A.slots + joins.first * (int64_t)COLUMNS + column,
                                          joins.count, COLUMNS, others);
#pragma unroll
            for (int c = 0; c < AT_ONCE; c += 2) {
                Sum first = __shfl_sync(~0u, others[c], 0);
                Sum second = __shfl_sync(~0u, others[c + 1], 0);
                if (thread == leader + (column + c) / 2)
                    sum = {first + sum.first, second + sum.second};
            }
        }
    }
    return sum;
}

template <typename Teams, typename Value, typename Sum>
__global__ static void __launch_bounds__(RODE_COLUMNS_THREADS, Teams::BLOCKS)
    multiply_columns(const __grid_constant__ struct on_device A, const double2 *X, double2 *Y,
                     const int64_t *ended)
{
    if (ended && *ended)
        return;
    int thread = (int)threadIdx.x % RODE_WARP, pair = thread % Teams::THREADS;
    int64_t warp = blockIdx.x * (int64_t)RODE_COLUMNS_WARPS + threadIdx.x / RODE_WARP;
    if (warp >= rode_warps(&A.classes))
        return;
    __shared__ rode_stage<Teams::EACH, Value> stages[RODE_COLUMNS_WARPS];
    struct rode_share share =
        rode_share(&A.classes, Teams::form(), warp, thread / (int)Teams::THREADS);
    const struct row_part *parts = A.parts + share.part;
    struct row_part next = parts[rode_member(&share, 0)];
    struct columns_part of = {};
    auto slots = [&] { return A.slots + of.part.link / 2 * (int64_t)Teams::COLUMNS + 2 * pair; };
    auto begin = [&](int round) {
        of = {next,
              rode_is_there(&share, round) && share.lane == 0,
              {CUDA_SUM_EMPTY, CUDA_SUM_EMPTY}};
        if (of.leads && of.part.link > 0 && of.part.link % 2)
            look_columns(slots(), &of);
        next = parts[rode_member(&share, round + 1)];
    };
    auto end = [&](cuda_pair<Sum> sum) {
        sum = join_columns<Teams>(A, of, sum);
        if (of.leads && of.part.link >= 0)
            Y[of.part.row * (int64_t)Teams::THREADS + pair] = sum.as_double();
    };
    rode_walk_columns<Teams, Sum>(share, stages[threadIdx.x / RODE_WARP], A.columns + share.entry,
                                  (const Value *)A.values + share.entry, X + pair, begin, end);
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static void destroy(void *state)
{
    struct decomposed_rows *kept = (struct decomposed_rows *)state;
    if (!kept)
        return;
    cuda_free(kept->space, (void *)kept->A.parts);
    cuda_free(kept->space, (void *)kept->A.columns);
    cuda_free(kept->space, (void *)kept->A.values);
    cuda_free(kept->space, (void *)kept->A.joins);
    cuda_free(kept->space, kept->A.slots);
    for (double *slots : kept->slots)
        cuda_free(kept->space, slots);
    memory_free(kept);
}

static enum status put(const struct row_parts *parts, struct decomposed_rows *kept,
                       struct error *error)
{
    static const char *const what = "the parts of the rows";
    struct space_cuda *space = kept->space;
    struct on_device *A = &kept->A;
    A->classes = rode_classes_of(parts, ONE_VECTOR);
    const struct cuda_piece pieces[] = {
        {parts->parts, row_parts_count(parts), sizeof *parts->parts, &A->parts},
        {parts->columns, parts->nnz, sizeof *parts->columns, &A->columns},
        {parts->values, parts->nnz, parts->narrow ? sizeof(float) : sizeof(double), &A->values},
        {parts->joins, parts->joined, sizeof *parts->joins, &A->joins}};
    enum status status = cuda_put_pieces(space, pieces, what, error);
    if (!status)
        status = cuda_slots_create(space, parts->slots, what, &A->slots, error);
    return status;
}

/* ---- products -------------------------------------------------------------------------------- */

static enum status prepare(void *state, int columns, struct error *error)
{
    struct decomposed_rows *kept = (struct decomposed_rows *)state;
    double **slots = &kept->slots[cuda_stride_place(columns)];
    if (*slots)
        return STATUS_OK;
    enum status status = cuda_slots_create(kept->space, kept->sizes.slots * columns,
                                           "the parts of the rows", slots, error);
    if (status) {
        cuda_free(kept->space, *slots);
        *slots = nullptr;
    }
    return status;
}

template <bool PIPELINED, typename Value, typename Sum, typename Vector>
static void launch(const struct decomposed_rows *kept, const struct operands *operands)
{
    int64_t blocks = (rode_warps(&kept->A.classes) + WARPS - 1) / WARPS;
    multiply<PIPELINED, Value, Sum, Vector>
        <<<(unsigned int)blocks, RODE_THREADS, 0, kept->space->stream>>>(
            kept->A, (const Vector *)operands->x, (Vector *)operands->y, kept->space->base.ended);
}

template <bool PIPELINED, typename Value, typename Sum>
static void launch_columns(const struct decomposed_rows *kept, const struct operands *operands)
{
    auto launch = [&]<int COLUMNS>() {
        using Teams = rode_teams<COLUMNS, PIPELINED>;
        struct on_device A = kept->A;
        A.classes = rode_classes_of(&kept->sizes, Teams::form());
        A.slots = kept->slots[cuda_stride_place(COLUMNS)];
        int64_t blocks = (rode_warps(&A.classes) + RODE_COLUMNS_WARPS - 1) / RODE_COLUMNS_WARPS;
        multiply_columns<Teams, Value, Sum>
            <<<(unsigned int)blocks, RODE_COLUMNS_THREADS, 0, kept->space->stream>>>(
                A, (const double2 *)operands->x, (double2 *)operands->y, kept->space->base.ended);
    };
    cuda_with_columns(operands->columns, launch);
}

template <bool PIPELINED>
static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct decomposed_rows *kept = (const struct decomposed_rows *)state;
    auto with = [&]<typename Value, typename Sum, typename Vector>() {
        if (operands->columns > 1)
            launch_columns<PIPELINED, Value, Sum>(kept, operands);
        else
            launch<PIPELINED, Value, Sum, Vector>(kept, operands);
    };
    cuda_with_types(kept->precision, operands, with);
    return cuda_check_launch("cuda_rode", error);
}

/* Without and with the pipeline. */
static const struct operator_table tables[] = {
    {.apply = apply<false>, .prepare = prepare, .destroy = destroy},
    {.apply = apply<true>, .prepare = prepare, .destroy = destroy}};

/* ---- the kernel ------------------------------------------------------------------------------ */

static enum status check(const struct csr *, const struct kernel_options *options,
                         struct error *error)
{
    char text[128];
    if (!rode_complaint(options->values[SPLIT], options->values[BLOCK], text, sizeof text))
        return STATUS_OK;
    return error_set(error, STATUS_CONFIG, "%s", text);
}

static enum status fill(const struct csr *A, const struct kernel_options *options,
                        struct decomposed_rows *kept, struct error *error)
{
    struct csr full;
    struct row_parts parts;
    enum status status = csr_expand(A, &full, error);
    if (status)
        return status;
    status = row_parts_create(&full, rode_cuts(options->values[SPLIT], options->values[BLOCK]),
                              options->values[PRECISION] != PRECISION_DOUBLE, &parts, error);
    csr_free(&full);
    if (!status)
        status = put(&parts, kept, error);
    kept->sizes = parts; /* whose arrays go */
    row_parts_free(&parts);
    return status;
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    struct decomposed_rows *kept =
        cuda_state_create<struct decomposed_rows>(&tables[options->values[PIPELINE]], made, error);
    if (!kept)
        return STATUS_MEMORY;
    kept->precision = (enum precision)options->values[PRECISION];
    made->can = OPERATOR_COLUMNS | precision_can(kept->precision);
    enum status status = fill(A, options, kept, error);
    if (status)
        return status;
    const struct row_parts *sizes = &kept->sizes;
    int64_t slots = sizes->slots * (int64_t)sizeof(double);
    int64_t regular = sizes->first_part[sizes->cuts.regular];
    made->memory_bytes = row_parts_bytes(sizes) + slots;
    made->bytes_per_column = 3 * slots; /* filled, looked at, emptied */
    made->bytes_per_apply =
        row_parts_bytes(sizes) + made->bytes_per_column + cuda_vector_bytes(made);
    snprintf(made->description, sizeof made->description,
             "%" PRId64 " regular parts, %" PRId64 " residual ones", regular,
             row_parts_count(sizes) - regular);
    return STATUS_OK;
}

static int64_t setup_bytes(const struct csr *A, const struct kernel_options *options)
{
    return row_parts_bytes_least(A->n, csr_nnz_full(A),
                                 options->values[PRECISION] != PRECISION_DOUBLE);
}

const struct kernel kernel_cuda_rode = {
    .component = KERNEL_COMPONENT(
        "cuda_rode", "full rows in regular and residual parts, those of one length together",
        parameters),
    .space = SPACE_CUDA,
    .storage = STORAGE_FULL,
    .kinds = CSR_SYMMETRIC | CSR_SKEW | CSR_GENERAL,
    .guarantee = GUARANTEE_BITWISE,
    .unavailable = cuda_unavailable,
    .check = check,
    .setup_bytes = setup_bytes,
    .setup = setup,
};
CUDA_PUT_CONSTANT(kernel_cuda_rode)

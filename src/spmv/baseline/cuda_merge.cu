/* y = A x from full rows along the merge path (spmv/baseline/merge_path.h) on a GPU: a block of
 * threads takes as many items, ends of rows and entries together, as every other one. One launch,
 * however the entries spread.
 *
 * Merrill, Garland: Merge-based parallel sparse matrix-vector multiplication, SC 2016, section
 * IV.B. What is done otherwise here:
 *
 *   - a tile's borders are searched by two warps, 64 rows at a time, first around where they would
 *     be if rows were equally long;
 *   - no thread searches within a tile: every end marks the byte of its item, a thread reads its
 *     own bytes, and a sum over the lanes tells it how many rows ended before. What it will read is
 *     then known before it reads anything, so that its loads are all on their way at once;
 *   - the sums of a tile's rows are put after its products, and written side by side;
 *   - a row that tiles cut is put together by the block that brings its last part (merge_bring in
 *     spmv/baseline/cuda_merge_slots.cuh): no second launch, no fence, no block waits for one
 *     that has not begun.
 *
 * Order of the additions, from the matrix and items_per_thread alone, so that the bits are the same
 * on every device:
 *
 *     thread    its items in order, s = s + fl(a_ij x_j) from s = 0, anew after each end
 *     warp      what lane l holds of a row that is open at its end, and the lanes before it back to
 *               one with an end:  for (d = 1; d < 32; d *= 2)  s_l = s_{l-d} + s_l;
 *               a lane's first row gets what the lane before holds:  s_{l-1} + row
 *     tile      a warp's first row gets ((w_a + w_{a+1}) + ...) + row from the warps before it back
 *               to one with an end
 *     matrix    the parts of a row that tiles cut: see merge_bring
 *
 * Moves 12 bytes an entry of the full matrix (8 where the values are single), 4 or 8 a row's
 * offset, x and y once while x's reuse stays in the cache; some 30 bytes a tile for borders and
 * slots.
 *
 * What bounds it: a tile waits for its borders, then for its entries, then for x, and then goes six
 * times through shared memory and five barriers; the blocks beside it, nine on a multiprocessor,
 * have to fill those gaps. Entries go to registers at once: copied into shared memory by the
 * copying units of compute capability 9.0, with the products made from there, nine matrices took 12
 * % longer (H200, geometric mean, 11 items; two more accesses to shared memory an entry).
 * borders = "table" saves the search, 3 %. docs/results/products.md has the figures.
 *
 * Several vectors: spmv/baseline/cuda_merge_columns.cuh. */
#include "base/threads.h"
#include "spmv/baseline/cuda_merge_columns.cuh"
#include "spmv/baseline/cuda_merge_tile.cuh"
#include "spmv/cuda_csr.h"
#include "spmv/cuda_kernel.h"

#include <type_traits>

extern "C" const struct kernel kernel_cuda_merge;

#define ITEMS_TEXT(items) #items,
static const char *const items_choices[] = {CUDA_MERGE_ITEMS(ITEMS_TEXT) nullptr};
#define ITEMS_NUMBER(items) items,
static const int items_numbers[] = {CUDA_MERGE_ITEMS(ITEMS_NUMBER)};
static const char *const border_choices[] = {"search", "table", nullptr};

/* In the order of `parameters`. */
enum { OPTION_ITEMS, OPTION_BORDERS, OPTION_PRECISION, OPTION_WIDE };

static const struct parameter parameters[] = {
    KERNEL_CHOICE(OPTION_ITEMS, "items_per_thread",
                  "rows' ends and entries of a thread; a tile is 128 times as many", "11",
                  items_choices),
    KERNEL_CHOICE(
        OPTION_BORDERS, "borders",
        "where tiles begin and end: search in every product; table: once, in set-up; the same bits",
        "search", border_choices),
    KERNEL_PRECISION(OPTION_PRECISION),
    CUDA_CSR_WIDE(OPTION_WIDE),
    {},
};

struct merge {
    struct space_cuda *space;
    struct cuda_csr A;
    int64_t tiles;
    int items;        /* of a thread */
    int32_t *borders; /* [tiles + 1], or NULL */
    merge_slots slots;
    merge_slots slots_of[CUDA_STRIDES]; /* of multivectors; NULL: not needed yet */
};

static void free_slots(struct space_cuda *space, merge_slots *slots)
{
    cuda_free(space, slots->tails);
    cuda_free(space, slots->arrived);
    *slots = {};
}

static void destroy(void *state)
{
    struct merge *merge = (struct merge *)state;
    if (!merge)
        return;
    cuda_csr_free(merge->space, &merge->A);
    cuda_free(merge->space, merge->borders);
    free_slots(merge->space, &merge->slots);
    for (merge_slots &slots : merge->slots_of)
        free_slots(merge->space, &slots);
    memory_free(merge);
}

static int64_t slots_bytes(int64_t tiles)
{
    return tiles * (int64_t)(2 * sizeof(double) + sizeof(unsigned));
}

/* For that many columns. */
static enum status make_slots(struct merge *merge, int columns, merge_slots *slots,
                              struct error *error)
{
    static const char *const what = "the parts of cut rows";
    int64_t count = merge->tiles * columns;
    enum status status = cuda_slots_create(merge->space, 2 * count, what, &slots->tails, error);
    if (!status)
        status = cuda_array(merge->space, merge->tiles, sizeof(unsigned), what,
                            (void **)&slots->arrived, error);
    if (status)
        return status;
    slots->heads = slots->tails + count;
    return cuda_check(cudaMemsetAsync(slots->arrived, 0, (size_t)merge->tiles * sizeof(unsigned),
                                      merge->space->stream),
                      "cuda_merge", error);
}

/* A is the full matrix, on the host. */
static enum status make_borders(struct merge *merge, const struct csr *A, struct error *error)
{
    int64_t count = merge->tiles + 1, tile = (int64_t)CUDA_MERGE_THREADS * merge->items;
    int32_t *borders =
        (int32_t *)memory_array(count, sizeof *borders, "the borders of the tiles", error);
    if (!borders)
        return STATUS_MEMORY;
    each_index(count, [&](int64_t b) {
        borders[b] = (int32_t)merge_rows_before(A->offsets, A->n, A->nnz, b * tile);
    });
    enum status status = cuda_put(merge->space, borders, count, sizeof *borders,
                                  "the borders of the tiles", (void **)&merge->borders, error);
    memory_free(borders);
    return status;
}

static enum status fill(struct merge *merge, const struct csr *full,
                        const struct kernel_options *options, struct error *error)
{
    bool wide = options->values[OPTION_WIDE];
    enum status status =
        cuda_csr_create(merge->space, full, wide, (enum precision)options->values[OPTION_PRECISION],
                        &merge->A, error);
    if (!status && options->values[OPTION_BORDERS])
        status = make_borders(merge, full, error);
    return status ? status : make_slots(merge, 1, &merge->slots, error);
}

/* `slots` are for as many columns. */
template <typename Value, typename Vector, typename Offsets>
static merge_product<Value, Vector, Offsets> product_of(const struct merge *merge, Offsets offsets,
                                                        const merge_slots &slots,
                                                        const struct operands *operands)
{
    const struct cuda_csr &A = merge->A;
    return {A.n,
            A.nnz,
            (double)A.n / (double)(A.n + A.nnz),
            offsets,
            A.columns,
            (const Value *)A.values,
            merge->borders,
            slots,
            (const Vector *)operands->x,
            (Vector *)operands->y,
            merge->space->base.ended};
}

template <int ITEMS, typename Value, typename Sum, typename Vector>
static void launch(const struct merge *merge, const struct operands *operands)
{
    cuda_csr_with_offsets(&merge->A, [&](auto offsets) {
        merge_multiply<ITEMS, Sum>
            <<<(unsigned)merge->tiles, CUDA_MERGE_THREADS, 0, merge->space->stream>>>(
                product_of<Value, Vector>(merge, offsets, merge->slots, operands));
    });
}

static enum status prepare(void *state, int columns, struct error *error)
{
    struct merge *merge = (struct merge *)state;
    merge_slots *slots = &merge->slots_of[cuda_stride_place(columns)];
    if (slots->tails)
        return STATUS_OK;
    enum status status = make_slots(merge, columns, slots, error);
    if (status)
        free_slots(merge->space, slots);
    return status;
}

template <int ITEMS, typename Value, typename Sum>
static void launch_columns(const struct merge *merge, const struct operands *operands)
{
    auto launch = [&]<int STRIDE>() {
        constexpr int MAX = merge_columns_max<ITEMS>, COLUMNS = STRIDE < MAX ? STRIDE : MAX;
        merge_multiply_columns<ITEMS, COLUMNS, Sum, Value>
            <<<(unsigned)merge->tiles, CUDA_MERGE_THREADS, 0, merge->space->stream>>>(
                product_of<Value, double>(merge, merge_offsets{merge->A.offsets, merge->A.wide},
                                          merge->slots_of[cuda_stride_place(STRIDE)], operands),
                STRIDE);
    };
    cuda_with_columns(operands->columns, launch);
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct merge *merge = (const struct merge *)state;
    auto with = [&]<typename Value, typename Sum, typename Vector>() {
        switch (merge->items) {
#define ITEMS_LAUNCH(items)                                                                        \
    case items:                                                                                    \
        if (operands->columns > 1)                                                                 \
            launch_columns<items, Value, Sum>(merge, operands);                                    \
        else                                                                                       \
            launch<items, Value, Sum, Vector>(merge, operands);                                    \
        break;
            CUDA_MERGE_ITEMS(ITEMS_LAUNCH)
        }
    };
    cuda_with_types(merge->A.precision, operands, with);
    return cuda_check_launch("cuda_merge", error);
}

static const struct operator_table table = {.apply = apply, .prepare = prepare, .destroy = destroy};

static int64_t borders_bytes(int64_t tiles, bool table)
{
    return table ? (tiles + 1) * (int64_t)sizeof(int32_t) : 0;
}

static int64_t setup_bytes(const struct csr *A, const struct kernel_options *options)
{
    int64_t nnz = csr_nnz_full(A);
    int64_t tiles = cuda_merge_tiles(A->n, nnz, items_numbers[options->values[OPTION_ITEMS]]);
    return cuda_csr_bytes_of(A->n, nnz, options->values[OPTION_WIDE],
                             kernel_precision(&kernel_cuda_merge, options)) +
           slots_bytes(tiles) + borders_bytes(tiles, options->values[OPTION_BORDERS]);
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    struct merge *merge = cuda_state_create<struct merge>(&table, made, error);
    if (!merge)
        return STATUS_MEMORY;
    made->can = OPERATOR_COLUMNS | precision_can(kernel_precision(&kernel_cuda_merge, options));
    struct csr full;
    enum status status = csr_expand(A, &full, error);
    if (status)
        return status;
    merge->items = items_numbers[options->values[OPTION_ITEMS]];
    merge->tiles = cuda_merge_tiles(full.n, full.nnz, merge->items);
    status = fill(merge, &full, options, error);
    csr_free(&full);
    int64_t matrix = cuda_csr_bytes(&merge->A) + borders_bytes(merge->tiles, merge->borders);
    made->memory_bytes = matrix + slots_bytes(merge->tiles);
    made->bytes_per_apply = matrix + cuda_vector_bytes(made);
    return status;
}

const struct kernel kernel_cuda_merge = {
    .component = KERNEL_COMPONENT(
        "cuda_merge", "full rows, equal tiles of rows' ends and entries together (merge path)",
        parameters),
    .space = SPACE_CUDA,
    .storage = STORAGE_FULL,
    .kinds = CSR_SYMMETRIC | CSR_SKEW | CSR_GENERAL,
    .guarantee = GUARANTEE_BITWISE,
    .sums_by_matrix = true,
    .unavailable = cuda_unavailable,
    .setup_bytes = setup_bytes,
    .setup = setup,
};
CUDA_PUT_CONSTANT(kernel_cuda_merge)

/* The form of cpu_sym_bitwise for matrices of k x k blocks (spmv/upper/sym_blocks.h), as finite
 * elements with k unknowns a node give them: one index for k k values, and k chains at a time, of k
 * rows below each other. The parts of spmv/upper/sym_parts.h, with a block for an entry.
 *
 * Moves the blocks and their indices once, what crosses from one part to another a second time, and
 * x and y once. */
#include "spmv/upper/cpu_sym_forms.h"

#include "base/memory.h"
#include "base/multiversion.h"
#include "spmv/upper/sym_blocks.h"
#include "spmv/upper/sym_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct by_blocks {
    struct sym_blocks A; /* its values are NULL when there are codes */
    struct sym_codes codes;
    const void *values; /* codes, or A's values */
    struct sym_parts parts;
};

static void destroy(void *state)
{
    struct by_blocks *kept = state;
    if (!kept)
        return;
    sym_blocks_free(&kept->A);
    sym_codes_free(&kept->codes);
    sym_parts_free(&kept->parts);
    memory_free(kept);
}

static int64_t block_values(const struct sym_blocks *A)
{
    return A->offsets[A->rows] * A->k * A->k;
}

static enum status fill_state(struct by_blocks *kept, const struct csr *matrix,
                              const struct sym_choice *choice, struct threads *threads,
                              struct error *error)
{
    struct sym_blocks *A = &kept->A;
    enum status status = sym_blocks_create(matrix, choice->k, A, error);
    if (!status)
        status = sym_codes_choose(choice, A->values, 1, block_values(A), &kept->codes, error);
    if (status)
        return status;
    size_t width = kept->codes.width ? (size_t)kept->codes.width : sizeof *A->values;
    kept->values = kept->codes.width ? kept->codes.codes : A->values;
    if (kept->codes.width) {
        memory_free(A->values);
        A->values = NULL;
    }
    struct sym_graph graph = {A->rows, A->k, A->offsets, A->columns};
    return sym_parts_create(threads, &graph, kept->values, (size_t)(A->k * A->k) * width,
                            &kept->parts, error);
}

#define INLINE static inline __attribute__((always_inline))

/* The values of block p: where they are, or decoded. */
INLINE const double *block_at(const void *values, const double *table, int64_t p, int k, int width,
                              double *decoded)
{
    if (width == 0)
        return (const double *)values + p * k * k;
    for (int m = 0; m < k * k; m++)
        decoded[m] = cpu_sym_value(values, table, width, p * k * k + m);
    return decoded;
}

/* The rows of the block on the diagonal, which y has met from the left so far: sum = their chains
 * up to its last column. */
INLINE void begin_sums(const double *triangle, double sign, int k, const double *x, const double *y,
                       double *sum)
{
#pragma GCC unroll 6
    for (int r = 0; r < k; r++)
        sum[r] = y[r];
#pragma GCC unroll 6
    for (int c = 0; c < k; c++) {
#pragma GCC unroll 6
        for (int r = 0; r < k; r++) {
            int first = r < c ? r : c, second = r < c ? c : r;
            double value = triangle[first * k - first * (first - 1) / 2 + second - first];
            sum[r] = fma(r <= c ? value : sign * value, x[c], sum[r]);
        }
    }
}

/* sum += block x, the columns one after the other. */
INLINE void add_block(const double *block, int k, const double *x, double *sum)
{
#pragma GCC unroll 6
    for (int c = 0; c < k; c++) {
#pragma GCC unroll 6
        for (int r = 0; r < k; r++)
            sum[r] = fma(block[r * k + c], x[c], sum[r]);
    }
}

/* y += block' x, the rows one after the other. */
INLINE void add_mirrored(const double *block, int k, const double *x, double *y)
{
    double sum[SYM_BLOCK_MAX];
#pragma GCC unroll 6
    for (int c = 0; c < k; c++)
        sum[c] = y[c];
#pragma GCC unroll 6
    for (int r = 0; r < k; r++) {
#pragma GCC unroll 6
        for (int c = 0; c < k; c++)
            sum[c] = fma(block[r * k + c], x[r], sum[c]);
    }
#pragma GCC unroll 6
    for (int c = 0; c < k; c++)
        y[c] = sum[c];
}

/* Ask for the values a few blocks ahead: the loop is too long for the processor to look there
 * itself in time. */
INLINE void fetch_ahead(const void *values, int64_t p, int k, int width)
{
    enum { AHEAD = 2048, LINE = 64 };
    int bytes = k * k * (width ? width : (int)sizeof(double));
    uintptr_t there = (uintptr_t)values + (uintptr_t)(p * bytes + AHEAD);
    for (int m = 0; m < bytes; m += LINE)
        __builtin_prefetch((const void *)(there + (uintptr_t)m));
}

INLINE void walk(const struct by_blocks *kept, int64_t begin, int64_t end, int64_t part_end,
                 const double *restrict x, double *restrict y, int k, int width)
{
    const struct sym_blocks *A = &kept->A;
    const void *values = kept->values;
    const double *table = kept->codes.table;
    for (int64_t i = begin; i < end; i++) {
        double decoded[SYM_BLOCK_MAX * SYM_BLOCK_MAX], sum[SYM_BLOCK_MAX], mirrored[SYM_BLOCK_MAX];
        for (int r = 0; r < k; r++)
            mirrored[r] = A->sign * x[i * k + r];
        begin_sums(A->diagonals + i * sym_blocks_triangle(k), A->sign, k, x + i * k, y + i * k,
                   sum);
        int64_t p = A->offsets[i], row_end = A->offsets[i + 1];
        int32_t j;
        for (; p < row_end && (j = A->columns[p]) < part_end; p++) {
            fetch_ahead(values, p, k, width);
            const double *block = block_at(values, table, p, k, width, decoded);
            add_block(block, k, x + (int64_t)j * k, sum);
            add_mirrored(block, k, mirrored, y + (int64_t)j * k);
        }
        for (; p < row_end; p++)
            add_block(block_at(values, table, p, k, width, decoded), k,
                      x + (int64_t)A->columns[p] * k, sum);
        for (int r = 0; r < k; r++)
            y[i * k + r] = sum[r];
    }
}

INLINE void cross(const struct by_blocks *kept, int64_t begin, int64_t end,
                  const double *restrict x, double *restrict y, int k, int width)
{
    const struct sym_crossing *crossing = &kept->parts.crossing;
    for (int64_t c = begin; c < end; c++)
        for (int64_t q = crossing->offsets[c]; q < crossing->offsets[c + 1]; q++) {
            double decoded[SYM_BLOCK_MAX * SYM_BLOCK_MAX], mirrored[SYM_BLOCK_MAX];
            for (int r = 0; r < k; r++)
                mirrored[r] = kept->A.sign * x[(int64_t)crossing->columns[q] * k + r];
            add_mirrored(block_at(crossing->values, kept->codes.table, q, k, width, decoded), k,
                         mirrored, y + (int64_t)crossing->row[c] * k);
        }
}

/* One function for each k and way to keep the values. */
#define WALK(k, width)                                                                             \
    MULTIVERSION static void walk_##k##_##width(const void *state, int64_t begin, int64_t end,     \
                                                int64_t part_end, const double *x, double *y)      \
    {                                                                                              \
        walk(state, begin, end, part_end, x, y, k, width);                                         \
    }                                                                                              \
    MULTIVERSION static void cross_##k##_##width(const void *state, int64_t begin, int64_t end,    \
                                                 const double *x, double *y)                       \
    {                                                                                              \
        cross(state, begin, end, x, y, k, width);                                                  \
    }

#define WALKS(k) WALK(k, 0) WALK(k, 1) WALK(k, 2) WALK(k, 4)
WALKS(2)
WALKS(3)
WALKS(4)
WALKS(5)
WALKS(6)

#define ENTRY(k, width)                                                                            \
    {                                                                                              \
        .add_crossing = cross_##k##_##width, .walk_rows = walk_##k##_##width                       \
    }
#define ENTRIES(k) [k] = {ENTRY(k, 0), ENTRY(k, 1), ENTRY(k, 2), [SYM_CODES_SINGLES] = ENTRY(k, 4)}

static enum status apply_dot(void *state, const struct operands *operands, double *dot,
                             struct error *error)
{
    (void)error;
    static const struct sym_walk walks[SYM_BLOCK_MAX + 1][SYM_CODES_SINGLES + 1] = {
        ENTRIES(2), ENTRIES(3), ENTRIES(4), ENTRIES(5), ENTRIES(6)};
    const struct by_blocks *kept = state;
    struct sym_walk walk = walks[kept->A.k][kept->codes.width];
    walk.state = state;
    sym_parts_multiply(&kept->parts, &walk, operands->x, operands->y, dot);
    return STATUS_OK;
}

static const struct operator_table table = {.apply_dot = apply_dot, .destroy = destroy};

/* What a product reads of the matrix, from memory that set-up allocated. */
static int64_t own_bytes(const struct by_blocks *kept)
{
    const struct sym_blocks *A = &kept->A;
    int64_t width = kept->codes.width ? kept->codes.width : (int64_t)sizeof(double);
    int64_t count = A->offsets[A->rows];
    return count * (int64_t)sizeof *A->columns + (A->rows + 1) * (int64_t)sizeof *A->offsets +
           A->rows * sym_blocks_triangle(A->k) * (int64_t)sizeof(double) +
           (count + sym_parts_crossing(&kept->parts)) * A->k * A->k * width +
           kept->codes.count * (int64_t)sizeof(double);
}

enum status cpu_sym_blocks_setup(const struct csr *A, const struct sym_choice *choice,
                                 struct linear_operator *made, struct error *error)
{
    struct by_blocks *kept = made->state =
        memory_zeros(1, sizeof *kept, "the kernel's state", error);
    if (!kept)
        return STATUS_MEMORY;
    made->table = &table;
    enum status status = fill_state(kept, A, choice, made->space->threads, error);
    if (status)
        return status;
    made->bytes_per_apply =
        own_bytes(kept) + sym_parts_moved(&kept->parts) + 2 * A->n * (int64_t)sizeof(double);
    made->memory_bytes = (int64_t)sizeof *kept + own_bytes(kept) + sym_parts_memory(&kept->parts);
    snprintf(made->description, sizeof made->description,
             "%d x %d blocks, %" PRId64 " parts with %" PRId64 " blocks between them%s", kept->A.k,
             kept->A.k, kept->parts.count, sym_parts_crossing(&kept->parts),
             sym_codes_text(kept->codes.width));
    return STATUS_OK;
}

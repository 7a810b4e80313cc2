/* The form of cpu_sym_bitwise for matrices of k x k blocks (spmv/symmetric/blocks/sym_blocks.h), as
 * finite elements with k unknowns a node give them: one index for k k values, and k chains at a
 * time, of k rows below each other. The parts of spmv/symmetric/row_partition.h, with a block for
 * an entry.
 *
 * Moves the blocks and their indices once, what crosses from one part to another a second time, and
 * x and y once. */
#include "spmv/symmetric/cpu_sym_forms.h"

#include "base/memory.h"
#include "base/multiversion.h"
#include "matrix/multiply.h"
#include "spmv/lanes.h"
#include "spmv/single.h"
#include "spmv/symmetric/blocks/sym_blocks.h"
#include "spmv/symmetric/row_partition.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

struct by_blocks {
    struct sym_blocks A; /* its values are NULL when there are codes */
    struct value_dictionary codes;
    const void *values; /* codes, or A's values */
    bool single_sums;
    float *single_diagonals; /* in place of A's, with single_sums */
    const void *diagonals;   /* these, or A's */
    struct row_partition parts;
};

static void destroy(void *state)
{
    struct by_blocks *kept = state;
    if (!kept)
        return;
    sym_blocks_free(&kept->A);
    value_dictionary_free(&kept->codes);
    memory_free(kept->single_diagonals);
    row_partition_free(&kept->parts);
    memory_free(kept);
}

static int64_t block_values(const struct sym_blocks *A)
{
    return A->offsets[A->rows] * A->k * A->k;
}

static int64_t diagonal_values(const struct sym_blocks *A)
{
    return A->rows * sym_blocks_triangle(A->k);
}

/* The diagonal blocks as the sums want them. */
static enum status keep_diagonals(struct by_blocks *kept, struct error *error)
{
    struct sym_blocks *A = &kept->A;
    kept->diagonals = A->diagonals;
    if (!kept->single_sums)
        return STATUS_OK;
    int64_t count = diagonal_values(A);
    kept->single_diagonals =
        memory_array(count, sizeof *kept->single_diagonals, "the diagonal blocks", error);
    if (!kept->single_diagonals)
        return STATUS_MEMORY;
    single_narrow(A->diagonals, count, kept->single_diagonals);
    memory_free(A->diagonals);
    A->diagonals = NULL;
    kept->diagonals = kept->single_diagonals;
    return STATUS_OK;
}

static enum status fill_state(struct by_blocks *kept, const struct csr *matrix,
                              const struct sym_choice *choice, struct space *space,
                              struct error *error)
{
    struct sym_blocks *A = &kept->A;
    enum status status = sym_blocks_create(matrix, choice->k, A, error);
    if (!status)
        status = keep_diagonals(kept, error);
    if (!status)
        status =
            value_dictionary_choose(choice, A->values, 1, block_values(A), &kept->codes, error);
    if (status)
        return status;
    size_t width = kept->codes.width ? (size_t)kept->codes.width : sizeof *A->values;
    kept->values = kept->codes.width ? kept->codes.codes : A->values;
    if (kept->codes.width) {
        memory_free(A->values);
        A->values = NULL;
    }
    struct sym_graph graph = {A->rows, A->k, A->offsets, A->columns};
    return row_partition_create(space, &graph, kept->values, (size_t)(A->k * A->k) * width,
                                &kept->parts, error);
}

/* Ask for the values a few blocks ahead: the loop is too long for the processor to look there
 * itself in time. */
INLINE void fetch_ahead(const void *values, int64_t p, int k, int width)
{
    enum { AHEAD = 2048, LINE_BYTES = 64 };
    int bytes = k * k * (width ? width : (int)sizeof(double));
    uintptr_t there = (uintptr_t)values + (uintptr_t)(p * bytes + AHEAD);
    for (int m = 0; m < bytes; m += LINE_BYTES)
        __builtin_prefetch((const void *)(there + (uintptr_t)m));
}

#define LOOPS "spmv/symmetric/blocks/cpu_sym_blocks_walk.h"
#include "spmv/symmetric/cpu_sym_loops.h"

/* A product with several vectors: the state of its walk. */
struct several {
    const struct by_blocks *kept;
    int64_t stride;
};

enum { LINE = 64 }; /* bytes */

#define LOOPS "spmv/symmetric/blocks/cpu_sym_blocks_columns.h"
#include "spmv/lanes_loops.h"

static enum status apply_columns(const struct by_blocks *kept, const struct operands *operands,
                                 struct error *error)
{
    const int64_t stride = operands->columns;
    const struct several several = {kept, stride};
    struct sym_walk walk =
        LANES_CHOOSE(columns, kept->single_sums, operands->singles, stride)[kept->A.k];
    walk.state = &several;
    size_t element = operands->singles ? sizeof(float) : sizeof(double);
    return row_partition_multiply(&kept->parts, &walk, (size_t)stride * element, operands->x,
                                  operands->y, NULL, error);
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct by_blocks *kept = state;
    if (operands->columns > 1)
        return apply_columns(kept, operands, error);
    if (operands->singles)
        return multiply_float_vectors(kept, operands->x, operands->y, NULL, error);
    return (kept->single_sums ? multiply_float : multiply_double)(kept, operands->x, operands->y,
                                                                  operands->dot, error);
}

static const struct operator_table table = {.apply = apply, .destroy = destroy};

/* What a product reads of the matrix, from memory that set-up allocated. */
static int64_t own_bytes(const struct by_blocks *kept)
{
    const struct sym_blocks *A = &kept->A;
    int64_t width = kept->codes.width ? kept->codes.width : (int64_t)sizeof(double);
    int64_t count = A->offsets[A->rows];
    return count * (int64_t)sizeof *A->columns + (A->rows + 1) * (int64_t)sizeof *A->offsets +
           diagonal_values(A) * (int64_t)(kept->single_sums ? sizeof(float) : sizeof(double)) +
           (count + row_partition_crossing(&kept->parts)) * A->k * A->k * width +
           value_dictionary_table_bytes(&kept->codes);
}

enum status cpu_sym_blocks_setup(const struct csr *A, const struct sym_choice *choice,
                                 struct linear_operator *made, struct error *error)
{
    struct by_blocks *kept = made->state =
        memory_zeros(1, sizeof *kept, "the kernel's state", error);
    if (!kept)
        return STATUS_MEMORY;
    made->table = &table;
    made->can = OPERATOR_DOT | precision_can_columns(choice->single_sums);
    kept->single_sums = choice->single_sums;
    enum status status = fill_state(kept, A, choice, made->space, error);
    if (status)
        return status;
    made->bytes_per_apply =
        own_bytes(kept) + row_partition_moved(&kept->parts) + 2 * A->n * (int64_t)sizeof(double);
    made->memory_bytes =
        (int64_t)sizeof *kept + own_bytes(kept) + row_partition_memory(&kept->parts);
    snprintf(made->description, sizeof made->description,
             "%d x %d blocks, %" PRId64 " parts with %" PRId64 " blocks between them%s", kept->A.k,
             kept->A.k, kept->parts.count, row_partition_crossing(&kept->parts),
             value_dictionary_text(kept->codes.width));
    return STATUS_OK;
}

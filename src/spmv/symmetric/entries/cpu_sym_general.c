/* The form of cpu_sym_bitwise for matrices of no special structure: rows of entries, walked by the
 * parts of spmv/symmetric/row_partition.h. The values are those of A itself, or codes. The indices
 * are a copy that is smaller than A's: for the rows of a tile one stream of numbers of 16 bits,
 * which for each row says how many entries there are right of the diagonal, and for each of them
 * how many columns it lies behind the one before it, the first behind the diagonal. A tile with a
 * number that needs more than 16 bits has 32 in its place.
 *
 * Moves the values and these indices once, what crosses from one part to another a second time, and
 * x and y once. */
#include "spmv/symmetric/cpu_sym_forms.h"

#include "base/memory.h"
#include "base/multiversion.h"
#include "base/threads.h"
#include "matrix/multiply.h"
#include "space/sum/sum_order.h"
#include "spmv/lanes.h"
#include "spmv/symmetric/row_partition.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

struct general {
    struct csr A; /* borrowed arrays; of the values only where there are no codes */
    double sign;  /* of a mirrored entry */
    struct value_dictionary codes;
    const void *values; /* codes, or A's values */
    bool single_sums;
    struct row_partition parts;
    int64_t *first_index; /* [tiles + 1], into indices */
    bool *wide;           /* [tiles]: 32 bits, which lie where two times 16 would */
    uint16_t *indices;    /* [first_index[tiles]] */
};

static void destroy(void *state)
{
    struct general *general = state;
    if (!general)
        return;
    value_dictionary_free(&general->codes);
    row_partition_free(&general->parts);
    memory_free(general->first_index);
    memory_free(general->wide);
    memory_free(general->indices);
    memory_free(general);
}

static int64_t tile_end(const struct csr *A, int64_t tile)
{
    return (tile + 1) * SUM_TILE < A->n ? (tile + 1) * SUM_TILE : A->n;
}

/* Call for every number of a tile's stream, in its order. */
#define EACH_INDEX(A, tile, number, ...)                                                           \
    for (int64_t i = (tile)*SUM_TILE; i < tile_end(A, tile); i++) {                                \
        int64_t number = (A)->offsets[i + 1] - (A)->offsets[i] - 1;                                \
        __VA_ARGS__;                                                                               \
        for (int64_t p = (A)->offsets[i] + 1; p < (A)->offsets[i + 1]; p++) {                      \
            number = (A)->columns[p] - (A)->columns[p - 1];                                        \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    }

static bool is_wide(const struct csr *A, int64_t tile)
{
    int64_t largest = 0;
    EACH_INDEX(A, tile, number, largest = number > largest ? number : largest);
    return largest > UINT16_MAX;
}

static void find_widths(void *context, int64_t tile, int64_t last)
{
    const struct general *general = context;
    for (; tile < last; tile++)
        general->wide[tile] = is_wide(&general->A, tile);
}

static void fill_indices(void *context, int64_t tile, int64_t last)
{
    const struct general *general = context;
    const struct csr *A = &general->A;
    for (; tile < last; tile++) {
        uint16_t *narrow = general->indices + general->first_index[tile];
        if (general->wide[tile]) {
            uint32_t *wide = (uint32_t *)(void *)narrow;
            EACH_INDEX(A, tile, number, *wide++ = (uint32_t)number);
        } else {
            EACH_INDEX(A, tile, number, *narrow++ = (uint16_t)number);
        }
    }
}

/* A tile's stream begins at an even place, so that its numbers may have 32 bits. */
static enum status make_indices(struct general *general, struct error *error)
{
    static const char *const what = "the indices";
    const struct csr *A = &general->A;
    int64_t tiles = general->parts.tiles;
    general->first_index = memory_array(tiles + 1, sizeof *general->first_index, what, error);
    general->wide = memory_array(tiles, sizeof *general->wide, what, error);
    if (!general->first_index || !general->wide)
        return STATUS_MEMORY;
    threads_each(threads_lent(), tiles, find_widths, general);
    general->first_index[0] = 0;
    for (int64_t tile = 0; tile < tiles; tile++) {
        int64_t numbers = A->offsets[tile_end(A, tile)] - A->offsets[tile * SUM_TILE];
        general->first_index[tile + 1] =
            general->first_index[tile] +
            (general->wide[tile] ? 2 * numbers : (numbers + 1) / 2 * 2);
    }
    int64_t length = general->first_index[tiles];
    enum status status = memory_fits(2.0 * (double)length, what, error);
    if (status)
        return status;
    general->indices = memory_array(length, sizeof *general->indices, what, error);
    if (!general->indices)
        return STATUS_MEMORY;
    threads_each(threads_lent(), tiles, fill_indices, general);
    return STATUS_OK;
}

static enum status fill_state(struct general *general, const struct sym_choice *choice,
                              struct space *space, struct error *error)
{
    const struct csr *A = &general->A;
    struct sym_graph graph = {A->n, 1, A->offsets, A->columns};
    enum status status =
        value_dictionary_choose(choice, A->values, 1, A->nnz, &general->codes, error);
    if (status)
        return status;
    int width = general->codes.width;
    general->values = width ? general->codes.codes : A->values;
    status =
        row_partition_create(space, &graph, general->values,
                             width ? (size_t)width : sizeof *A->values, &general->parts, error);
    return status ? status : make_indices(general, error);
}

enum { AHEAD = 256, LINE = 8 }; /* doubles: how far ahead a row's values are asked for */

#define LOOPS "spmv/symmetric/entries/cpu_sym_general_walk.h"
#include "spmv/symmetric/cpu_sym_loops.h"

/* A product with several vectors: the state of its walk. */
struct several {
    const struct general *general;
    int64_t stride;
};

/* A tile's indices. */
struct stream {
    const uint16_t *narrow;
    const uint32_t *wide; /* or NULL */
};

static struct stream stream_of(const struct general *general, int64_t tile)
{
    const uint16_t *narrow = general->indices + general->first_index[tile];
    return (struct stream){narrow,
                           general->wide[tile] ? (const uint32_t *)(const void *)narrow : NULL};
}

INLINE int64_t stream_number(const struct stream *stream, int64_t k)
{
    return stream->wide ? stream->wide[k] : stream->narrow[k];
}

#define LOOPS "spmv/symmetric/entries/cpu_sym_general_columns.h"
#include "spmv/lanes_loops.h"

static enum status apply_columns(const struct general *general, const struct operands *operands,
                                 struct error *error)
{
    const int64_t stride = operands->columns;
    const struct several several = {general, stride};
    struct sym_walk walk = LANES_CHOOSE(columns, general->single_sums, operands->singles, stride);
    walk.state = &several;
    size_t element = operands->singles ? sizeof(float) : sizeof(double);
    return row_partition_multiply(&general->parts, &walk, (size_t)stride * element, operands->x,
                                  operands->y, NULL, error);
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct general *general = state;
    if (operands->columns > 1)
        return apply_columns(general, operands, error);
    if (operands->singles)
        return multiply_float_vectors(general, operands->x, operands->y, NULL, error);
    return (general->single_sums ? multiply_float : multiply_double)(
        general, operands->x, operands->y, operands->dot, error);
}

static const struct operator_table table = {.apply = apply, .destroy = destroy};

/* Indices, codes, and the crossing entries with their values. */
static int64_t own_bytes(const struct general *general)
{
    int64_t width = general->codes.width ? general->codes.width : (int64_t)sizeof(double);
    return general->first_index[general->parts.tiles] * (int64_t)sizeof *general->indices +
           value_dictionary_bytes(&general->codes) +
           row_partition_crossing(&general->parts) * width;
}

enum status cpu_sym_general_setup(const struct csr *A, const struct sym_choice *choice,
                                  struct linear_operator *made, struct error *error)
{
    struct general *general = made->state =
        memory_zeros(1, sizeof *general, "the kernel's state", error);
    if (!general)
        return STATUS_MEMORY;
    made->table = &table;
    made->can = OPERATOR_DOT | precision_can_columns(choice->single_sums);
    general->single_sums = choice->single_sums;
    general->A = *A;
    general->sign = A->kind == CSR_SKEW ? -1 : 1;
    enum status status = fill_state(general, choice, made->space, error);
    if (status)
        return status;
    const struct row_partition *parts = &general->parts;
    int64_t values = general->codes.width ? 0 : A->nnz * (int64_t)sizeof(double);
    int64_t tile_bytes = (int64_t)(sizeof *general->first_index + sizeof *general->wide);
    made->bytes_per_apply = values + own_bytes(general) + row_partition_moved(parts) +
                            2 * A->n * (int64_t)sizeof(double);
    made->memory_bytes = (int64_t)sizeof *general + own_bytes(general) +
                         row_partition_memory(parts) + parts->tiles * tile_bytes;
    char split[80] = "";
    if (parts->count > 1)
        snprintf(split, sizeof split,
                 " in %" PRId64 " parts, with %" PRId64 " entries between them", parts->count,
                 row_partition_crossing(parts));
    snprintf(made->description, sizeof made->description, "rows%s%s", split,
             value_dictionary_text(general->codes.width));
    return STATUS_OK;
}

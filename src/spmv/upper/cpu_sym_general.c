/* The form of cpu_sym_bitwise for matrices of no special structure: rows of entries, walked by the
 * parts of spmv/upper/sym_parts.h. The values are those of A itself, or codes. The indices are a
 * copy that is smaller than A's: for the rows of a tile one stream of numbers of 16 bits, which for
 * each row says how many entries there are right of the diagonal, and for each of them how many
 * columns it lies behind the one before it, the first behind the diagonal. A tile with a number
 * that needs more than 16 bits has 32 in its place.
 *
 * Moves the values and these indices once, what crosses from one part to another a second time, and
 * x and y once. */
#include "spmv/upper/cpu_sym_forms.h"

#include "base/memory.h"
#include "base/multiversion.h"
#include "cgsolve/sum_order.h"
#include "spmv/upper/sym_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

struct general {
    struct csr A; /* borrowed arrays; of the values only where there are no codes */
    double sign;  /* of a mirrored entry */
    struct sym_codes codes;
    const void *values; /* codes, or A's values */
    struct sym_parts parts;
    int64_t *first_index; /* [tiles + 1], into indices */
    bool *wide;           /* [tiles]: 32 bits, which lie where two times 16 would */
    uint16_t *indices;    /* [first_index[tiles]] */
};

static void destroy(void *state)
{
    struct general *general = state;
    if (!general)
        return;
    sym_codes_free(&general->codes);
    sym_parts_free(&general->parts);
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

static void fill_indices(const struct general *general, int64_t tile)
{
    const struct csr *A = &general->A;
    uint16_t *narrow = general->indices + general->first_index[tile];
    if (general->wide[tile]) {
        uint32_t *wide = (uint32_t *)(void *)narrow;
        EACH_INDEX(A, tile, number, *wide++ = (uint32_t)number);
    } else {
        EACH_INDEX(A, tile, number, *narrow++ = (uint16_t)number);
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
#pragma omp parallel for schedule(static)
    for (int64_t tile = 0; tile < tiles; tile++)
        general->wide[tile] = is_wide(A, tile);
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
#pragma omp parallel for schedule(static)
    for (int64_t tile = 0; tile < tiles; tile++)
        fill_indices(general, tile);
    return STATUS_OK;
}

static enum status fill_state(struct general *general, const struct sym_choice *choice,
                              struct threads *threads, struct error *error)
{
    const struct csr *A = &general->A;
    struct sym_graph graph = {A->n, 1, A->offsets, A->columns};
    enum status status = sym_codes_choose(choice, A->values, 1, A->nnz, &general->codes, error);
    if (status)
        return status;
    int width = general->codes.width;
    general->values = width ? general->codes.codes : A->values;
    status = sym_parts_create(threads, &graph, general->values,
                              width ? (size_t)width : sizeof *A->values, &general->parts, error);
    return status ? status : make_indices(general, error);
}

enum { AHEAD = 256, LINE = 8 }; /* doubles: how far ahead a row's values are asked for */

/* The rows of a stretch, with everything constant that the loop would ask for at each entry: `all`
 * says that no column is part_end or above. */
static inline __attribute__((always_inline)) void walk(const struct general *general, int64_t begin,
                                                       int64_t end, int64_t part_end,
                                                       const double *restrict x, double *restrict y,
                                                       int width, bool wide, bool all)
{
    const void *values = general->values;
    const double *table = general->codes.table;
    const uint16_t *narrow_index = general->indices + general->first_index[begin / SUM_TILE];
    const uint32_t *wide_index = (const uint32_t *)(const void *)narrow_index;
    int64_t p = general->A.offsets[begin];
    for (int64_t i = begin; i < end; i++) {
        int64_t j = i, row_end = p + 1 + (wide ? *wide_index++ : *narrow_index++);
        double mirrored = general->sign * x[i];
        size_t size =
            width ? SYM_CODES_SINGLES : sizeof(double); /* codes are small: not asked for */
        for (int64_t m = p; (width == 0 || width == SYM_CODES_SINGLES) && m < row_end; m += LINE)
            __builtin_prefetch((const void *)((uintptr_t)values + size * (uintptr_t)(m + AHEAD)));
        double sum = fma(cpu_sym_value(values, table, width, p), x[i], y[i]);
        for (p++; p < row_end; p++) {
            double value = cpu_sym_value(values, table, width, p);
            j += wide ? *wide_index++ : *narrow_index++;
            sum = fma(value, x[j], sum);
            if (all || j < part_end)
                y[j] = fma(value, mirrored, y[j]);
        }
        y[i] = sum;
    }
}

#define WALK(name, width, wide)                                                                    \
    MULTIVERSION static void name(const struct general *general, int64_t begin, int64_t end,       \
                                  const double *x, double *y)                                      \
    {                                                                                              \
        walk(general, begin, end, 0, x, y, width, wide, true);                                     \
    }

WALK(walk_doubles, 0, false)
WALK(walk_doubles_wide, 0, true)
WALK(walk_bytes, 1, false)
WALK(walk_bytes_wide, 1, true)
WALK(walk_pairs, 2, false)
WALK(walk_pairs_wide, 2, true)
WALK(walk_singles, SYM_CODES_SINGLES, false)
WALK(walk_singles_wide, SYM_CODES_SINGLES, true)

/* The rows whose entries reach over the end of their part: few of many matrices, so written
 * once. */
MULTIVERSION static void walk_over(const struct general *general, int64_t begin, int64_t end,
                                   int64_t part_end, const double *x, double *y, bool wide)
{
    if (general->codes.width == 0) {
        if (wide)
            walk(general, begin, end, part_end, x, y, 0, true, false);
        else
            walk(general, begin, end, part_end, x, y, 0, false, false);
    } else {
        walk(general, begin, end, part_end, x, y, general->codes.width, wide, false);
    }
}

static void walk_rows(const void *state, int64_t begin, int64_t end, int64_t part_end,
                      const double *x, double *y)
{
    static void (*const walks[SYM_CODES_SINGLES + 1][2])(const struct general *, int64_t, int64_t,
                                                         const double *, double *) = {
        [0] = {walk_doubles, walk_doubles_wide},
        [1] = {walk_bytes, walk_bytes_wide},
        [2] = {walk_pairs, walk_pairs_wide},
        [SYM_CODES_SINGLES] = {walk_singles, walk_singles_wide}};
    const struct general *general = state;
    int64_t tile = begin / SUM_TILE;
    bool wide = general->wide[tile];
    if (general->parts.reach[tile] <= part_end)
        walks[general->codes.width][wide](general, begin, end, x, y);
    else
        walk_over(general, begin, end, part_end, x, y, wide);
}

static inline __attribute__((always_inline)) void cross(const struct general *general,
                                                        int64_t begin, int64_t end,
                                                        const double *restrict x,
                                                        double *restrict y, int width)
{
    const struct sym_crossing *crossing = &general->parts.crossing;
    for (int64_t c = begin; c < end; c++) {
        double sum = 0;
        for (int64_t q = crossing->offsets[c]; q < crossing->offsets[c + 1]; q++)
            sum = fma(cpu_sym_value(crossing->values, general->codes.table, width, q),
                      general->sign * x[crossing->columns[q]], sum);
        y[crossing->row[c]] = sum;
    }
}

MULTIVERSION static void add_crossing(const void *state, int64_t begin, int64_t end,
                                      const double *x, double *y)
{
    const struct general *general = state;
    if (general->codes.width == 0)
        cross(general, begin, end, x, y, 0);
    else if (general->codes.width == 1)
        cross(general, begin, end, x, y, 1);
    else if (general->codes.width == SYM_CODES_SINGLES)
        cross(general, begin, end, x, y, SYM_CODES_SINGLES);
    else
        cross(general, begin, end, x, y, 2);
}

static enum status apply_dot(void *state, const struct operands *operands, double *dot,
                             struct error *error)
{
    (void)error;
    const struct general *general = state;
    struct sym_walk walk = {state, add_crossing, walk_rows};
    sym_parts_multiply(&general->parts, &walk, operands->x, operands->y, dot);
    return STATUS_OK;
}

static const struct operator_table table = {.apply_dot = apply_dot, .destroy = destroy};

/* Indices, codes, and the crossing entries with their values. */
static int64_t own_bytes(const struct general *general)
{
    int64_t width = general->codes.width ? general->codes.width : (int64_t)sizeof(double);
    return general->first_index[general->parts.tiles] * (int64_t)sizeof *general->indices +
           sym_codes_bytes(&general->codes) + sym_parts_crossing(&general->parts) * width;
}

enum status cpu_sym_general_setup(const struct csr *A, const struct sym_choice *choice,
                                  struct linear_operator *made, struct error *error)
{
    struct general *general = made->state =
        memory_zeros(1, sizeof *general, "the kernel's state", error);
    if (!general)
        return STATUS_MEMORY;
    made->table = &table;
    general->A = *A;
    general->sign = A->kind == CSR_SKEW ? -1 : 1;
    enum status status = fill_state(general, choice, made->space->threads, error);
    if (status)
        return status;
    const struct sym_parts *parts = &general->parts;
    int64_t values = general->codes.width ? 0 : A->nnz * (int64_t)sizeof(double);
    int64_t tile_bytes = (int64_t)(sizeof *general->first_index + sizeof *general->wide);
    made->bytes_per_apply =
        values + own_bytes(general) + sym_parts_moved(parts) + 2 * A->n * (int64_t)sizeof(double);
    made->memory_bytes = (int64_t)sizeof *general + own_bytes(general) + sym_parts_memory(parts) +
                         parts->tiles * tile_bytes;
    snprintf(made->description, sizeof made->description,
             "rows in %" PRId64 " parts, with %" PRId64 " entries between them%s", parts->count,
             sym_parts_crossing(parts), sym_codes_text(general->codes.width));
    return STATUS_OK;
}

/* The form of cpu_sym_bitwise for matrices whose entries lie on few diagonals: no column is stored
 * or read. Threads have tiles of rows of their own and write nothing else. For a tile every
 * diagonal is a pass over neighbouring values in the first-level cache, the mirrored ones first,
 * and the dot product x . y takes the tile from there.
 *
 * Moves each value of the upper diagonals from memory once: the second use, d rows later, finds it
 * in a cache as long as that holds d rows. 8 bytes a diagonal and row, 4 for single values, or 1 or
 * 2 when they are kept as codes, and x and y once. */
#include "spmv/symmetric/cpu_sym_forms.h"

#include "base/memory.h"
#include "base/multiversion.h"
#include "base/threads.h"
#include "matrix/multiply.h"
#include "space/cpu/cpu.h"
#include "space/sum/cpu_sum.h"
#include "spmv/lanes.h"
#include "spmv/sweeps.h"
#include "spmv/symmetric/diagonals/sym_diagonals.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct by_diagonals {
    struct space *space;
    struct sym_diagonals A; /* its values are NULL when there are codes */
    struct value_dictionary codes;
    const char *values;          /* codes, or A's values: diagonal k begins */
    int64_t value_bytes, stride; /* k stride value_bytes behind the first */
    bool single_sums;
    int64_t tiles;
    double *tile_dots; /* [tiles] */
};

static void destroy(void *state)
{
    struct by_diagonals *kept = state;
    if (!kept)
        return;
    sym_diagonals_free(&kept->A);
    value_dictionary_free(&kept->codes);
    memory_free(kept->tile_dots);
    memory_free(kept);
}

/* Codes or singles in place of the values, where they are wanted. */
static enum status keep_values(struct by_diagonals *kept, const struct sym_choice *choice,
                               struct error *error)
{
    enum status status = value_dictionary_choose(choice, kept->A.values, kept->A.count, kept->A.n,
                                                 &kept->codes, error);
    kept->values = (const char *)kept->A.values;
    kept->value_bytes = (int64_t)sizeof(double);
    kept->stride = kept->A.n;
    if (kept->codes.width) {
        memory_free(kept->A.values);
        kept->A.values = NULL;
        kept->values = kept->codes.codes;
        kept->value_bytes = kept->codes.width;
        kept->stride = kept->codes.stride;
    }
    return status;
}

enum { STRETCH = 32 }; /* values that are decoded together */

/* Whether a stretch of codes, eight bytes to a word, is one code only. */
static inline bool is_uniform(const uint64_t *words, int width)
{
    uint64_t first = width == 1 ? (words[0] & 0xFF) * UINT64_C(0x0101010101010101)
                                : (words[0] & 0xFFFF) * UINT64_C(0x0001000100010001);
    uint64_t other = 0;
    for (int w = 0; w < STRETCH * width / 8; w++)
        other |= words[w] ^ first;
    return other == 0;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first code is a word's lowest");

#define LOOPS "spmv/symmetric/diagonals/cpu_sym_diagonals_rows.h"
#include "spmv/symmetric/cpu_sym_loops.h"

static void multiply_rows(const struct by_diagonals *kept, int64_t begin, int64_t end,
                          const double *x, double *y)
{
    if (kept->single_sums)
        multiply_rows_float(kept, begin, end, x, y);
    else
        multiply_rows_double(kept, begin, end, x, y);
}

/* The vectors are doubles, or singles. */
struct product {
    const struct by_diagonals *kept;
    const void *x;
    void *y;
    bool dot, singles;
    int64_t stride; /* of multivectors */
};

static void multiply_tiles(void *context, int64_t tile, int64_t last)
{
    const struct product *product = context;
    const struct by_diagonals *kept = product->kept;
    const double *x = product->x;
    double *y = product->y;
    for (int64_t n = kept->A.n; tile < last; tile++) {
        int64_t begin = tile * SUM_TILE, end = begin + SUM_TILE < n ? begin + SUM_TILE : n;
        multiply_rows(kept, begin, end, x, y + begin);
        if (product->dot)
            kept->tile_dots[tile] = sum_tile_dot(x + begin, y + begin, end - begin);
    }
}

static void multiply_tiles_of_floats(void *context, int64_t tile, int64_t last)
{
    const struct product *product = context;
    const struct by_diagonals *kept = product->kept;
    float *y = product->y;
    for (int64_t n = kept->A.n; tile < last; tile++) {
        int64_t begin = tile * SUM_TILE, end = begin + SUM_TILE < n ? begin + SUM_TILE : n;
        multiply_rows_float_vectors(kept, begin, end, product->x, y + begin);
    }
}

#define LOOPS "spmv/symmetric/diagonals/cpu_sym_diagonals_columns.h"
#include "spmv/lanes_loops.h"

static void multiply_columns(void *context, int64_t tile, int64_t last)
{
    const struct product *product = context;
    const struct by_diagonals *kept = product->kept;
    int64_t n = kept->A.n, end = last * SUM_TILE < n ? last * SUM_TILE : n;
    LANES_CHOOSE(columns, kept->single_sums, product->singles, product->stride)
    (kept, tile * SUM_TILE, end, product->stride, product->x, product->y);
}

struct product_then {
    const struct by_diagonals *kept;
    const double *x;
    const struct pass *pass;
    const void *work;
    struct pass_sum sum; /* result = NULL: none */
};

/* A tile of y stays in the first-level cache. */
static void multiply_tiles_then(void *context, int64_t tile, int64_t last)
{
    const struct product_then *product = context;
    const struct by_diagonals *kept = product->kept;
    const struct pass_sum *sum = &product->sum;
    double y[SUM_TILE];
    for (int64_t n = kept->A.n; tile < last; tile++) {
        int64_t begin = tile * SUM_TILE, end = begin + SUM_TILE < n ? begin + SUM_TILE : n;
        multiply_rows(kept, begin, end, product->x, y);
        product->pass->make_of(product->work, y, begin, end);
        if (sum->result)
            kept->tile_dots[tile] = sum_tile_dot(sum->x + begin, sum->y + begin, end - begin);
    }
}

static struct product_then then_of(const struct by_diagonals *kept, const struct operands *operands)
{
    const struct pass *pass = operands->pass;
    struct product_then product = {
        .kept = kept, .x = operands->x, .pass = pass, .work = operands->work};
    if (!pass->sum || !pass->sum(operands->work, 0, &product.sum))
        product.sum.result = NULL;
    return product;
}

static enum status apply_then(const struct by_diagonals *kept, const struct operands *operands,
                              struct error *error)
{
    struct product_then product = then_of(kept, operands);
    threads_each(kept->space->threads, kept->tiles, multiply_tiles_then, &product);
    return product.sum.result
               ? cpu_sum_end(kept->space, kept->tile_dots, kept->tiles, product.sum.result, error)
               : STATUS_OK;
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct by_diagonals *kept = state;
    double *dot = operands->dot;
    struct product product = {.kept = kept,
                              .x = operands->x,
                              .y = operands->y,
                              .stride = operands->columns,
                              .dot = dot != NULL,
                              .singles = operands->singles};
    if (operands->pass)
        return apply_then(kept, operands, error);
    threads_body *body = operands->columns > 1 ? multiply_columns
                         : operands->singles   ? multiply_tiles_of_floats
                                               : multiply_tiles;
    threads_each(kept->space->threads, kept->tiles, body, &product);
    return dot ? cpu_sum_end(kept->space, kept->tile_dots, kept->tiles, dot, error) : STATUS_OK;
}

/* Of several sweeps; a tile reads x of those within the farthest diagonal. */
struct chain {
    const struct by_diagonals *kept;
    const struct operands *sweeps;
};

static void make_tiles(const void *context, int sweep, int64_t tile, int64_t last)
{
    const struct chain *chain = context;
    const struct operands *of = &chain->sweeps[sweep];
    int64_t n = chain->kept->A.n, end = last * SUM_TILE < n ? last * SUM_TILE : n;
    struct product product = {.kept = chain->kept, .x = of->x, .y = of->y};
    if (of->elements) {
        of->pass->make(of->work, of->elements->begin[tile], of->elements->begin[last]);
    } else if (!of->x) {
        of->pass->make(of->work, tile * SUM_TILE, end);
    } else if (of->pass) {
        struct product_then then = then_of(chain->kept, of);
        multiply_tiles_then(&then, tile, last);
    } else {
        (of->singles ? multiply_tiles_of_floats : multiply_tiles)(&product, tile, last);
    }
}

static enum status apply_all(void *state, const struct operands *sweeps, int count,
                             struct error *error)
{
    const struct by_diagonals *kept = state;
    const struct chain chain = {kept, sweeps};
    const struct operands *last = &sweeps[count - 1];
    int64_t reach = sum_tiles(kept->A.distances[kept->A.count - 1]);
    for (int k = 0; k < count; k++)
        if (sweeps[k].elements && sweeps[k].elements->reach > reach)
            reach = sweeps[k].elements->reach;
    sweeps_run(kept->space->threads, &(struct sweeps){.count = count,
                                                      .tiles = kept->tiles,
                                                      .reach = reach,
                                                      .make = make_tiles,
                                                      .context = &chain});
    double *result = last->x && last->pass ? then_of(kept, last).sum.result : NULL;
    return result ? cpu_sum_end(kept->space, kept->tile_dots, kept->tiles, result, error)
                  : STATUS_OK;
}

static const struct operator_table table = {
    .apply = apply, .apply_all = apply_all, .destroy = destroy};

enum status cpu_sym_diagonals_setup(const struct csr *A, const struct sym_choice *choice,
                                    struct linear_operator *made, struct error *error)
{
    struct by_diagonals *kept = made->state =
        memory_zeros(1, sizeof *kept, "the kernel's state", error);
    if (!kept)
        return STATUS_MEMORY;
    made->table = &table;
    made->can = OPERATOR_DOT | OPERATOR_PASS | precision_can_columns(choice->single_sums);
    kept->single_sums = choice->single_sums;
    kept->space = made->space;
    enum status status = sym_diagonals_create(A, &kept->A, error);
    if (!status)
        status = keep_values(kept, choice, error);
    if (status)
        return status;
    kept->tiles = sum_tiles(A->n);
    kept->tile_dots = memory_array(kept->tiles, sizeof(double), "the tiles' sums", error);
    int64_t values = kept->codes.width ? value_dictionary_bytes(&kept->codes)
                                       : kept->A.count * A->n * (int64_t)sizeof(double);
    made->bytes_per_apply = values + 2 * A->n * (int64_t)sizeof(double);
    made->memory_bytes = (int64_t)sizeof *kept + values + kept->A.count * (int64_t)sizeof(int32_t) +
                         kept->tiles * (int64_t)sizeof(double);
    snprintf(made->description, sizeof made->description,
             "diagonals, %" PRId64 " in the upper triangle%s", kept->A.count,
             value_dictionary_text(kept->codes.width));
    return kept->tile_dots ? STATUS_OK : STATUS_MEMORY;
}

/* The form of cpu_sym_bitwise for matrices whose entries lie on few diagonals: no column is stored
 * or read. Threads have tiles of rows of their own and write nothing else. For a tile every
 * diagonal is a pass over neighbouring values in the first-level cache, the mirrored ones first,
 * and the dot product x . y takes the tile from there.
 *
 * Moves each value of the upper diagonals from memory once: the second use, d rows later, finds it
 * in a cache as long as that holds d rows. 8 bytes a diagonal and row, or 1 or 2 when the values
 * are kept as codes, and x and y once. */
#include "spmv/upper/cpu_sym_forms.h"

#include "base/memory.h"
#include "base/multiversion.h"
#include "base/threads.h"
#include "space/cpu_sum.h"
#include "spmv/upper/sym_diagonals.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct by_diagonals {
    struct threads *threads;
    struct sym_diagonals A; /* its values are NULL when there are codes */
    struct sym_codes codes;
    int64_t tiles;
    double *tile_dots; /* [tiles] */
};

static void destroy(void *state)
{
    struct by_diagonals *kept = state;
    if (!kept)
        return;
    sym_diagonals_free(&kept->A);
    sym_codes_free(&kept->codes);
    memory_free(kept->tile_dots);
    memory_free(kept);
}

/* Codes or singles in place of the values. */
static enum status compress(struct by_diagonals *kept, const struct sym_choice *choice,
                            struct error *error)
{
    enum status status =
        sym_codes_choose(choice, kept->A.values, kept->A.count, kept->A.n, &kept->codes, error);
    if (kept->codes.width) {
        memory_free(kept->A.values);
        kept->A.values = NULL;
    }
    return status;
}

/* y_i = fma(sign a_i, x_i, y_i); sign is 1 or -1 */
MULTIVERSION static void add_products(int64_t count, double sign, const double *a, const double *x,
                                      double *y)
{
    for (int64_t i = 0; i < count; i++)
        y[i] = fma(sign * a[i], x[i], y[i]);
}

MULTIVERSION static void add_singles(int64_t count, double sign, const float *a, const double *x,
                                     double *y)
{
    for (int64_t i = 0; i < count; i++)
        y[i] = fma(sign * a[i], x[i], y[i]);
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

/* The values of a stretch, taken out of the words one after the other: a vector of codes would have
 * to be taken apart again for the look-up. */
static inline void look_up(const uint64_t *words, const double *table, int width, double *values)
{
    for (int w = 0; w < STRETCH * width / 8; w++) {
        uint64_t word = words[w];
        for (int m = 0; m < 8 / width; m++, word >>= 8 * width)
            *values++ = table[word & (width == 1 ? 0xFF : 0xFFFF)];
    }
}

/* The same from codes. Neighbours on a diagonal are often equal: a stretch of one value is not
 * looked up value by value. */
static inline __attribute__((always_inline)) void add_coded(int64_t count, double sign,
                                                            const void *codes, const double *table,
                                                            int width, const double *x, double *y)
{
    int64_t i = 0;
    for (; i + STRETCH <= count; i += STRETCH) {
        uint64_t words[STRETCH * 2 / 8];
        memcpy(words, (const char *)codes + i * width, (size_t)(STRETCH * width));
        if (is_uniform(words, width)) {
            double value = sign * cpu_sym_value(codes, table, width, i);
            for (int m = 0; m < STRETCH; m++)
                y[i + m] = fma(value, x[i + m], y[i + m]);
            continue;
        }
        double values[STRETCH];
        look_up(words, table, width, values);
        for (int m = 0; m < STRETCH; m++)
            y[i + m] = fma(sign * values[m], x[i + m], y[i + m]);
    }
    for (; i < count; i++)
        y[i] = fma(sign * cpu_sym_value(codes, table, width, i), x[i], y[i]);
}

MULTIVERSION static void add_bytes(int64_t count, double sign, const void *codes,
                                   const double *table, const double *x, double *y)
{
    add_coded(count, sign, codes, table, 1, x, y);
}

MULTIVERSION static void add_pairs(int64_t count, double sign, const void *codes,
                                   const double *table, const double *x, double *y)
{
    add_coded(count, sign, codes, table, 2, x, y);
}

/* y_i = fma(sign a_(begin + i), x_i, y_i), 0 <= i < count, a = diagonal k. */
static void add_diagonal(const struct by_diagonals *kept, int64_t k, int64_t begin, int64_t count,
                         double sign, const double *x, double *y)
{
    const struct sym_codes *codes = &kept->codes;
    if (codes->width == 0) {
        add_products(count, sign, kept->A.values + k * kept->A.n + begin, x, y);
        return;
    }
    const char *there = (const char *)codes->codes + (k * codes->stride + begin) * codes->width;
    if (codes->width == SYM_CODES_SINGLES)
        add_singles(count, sign, (const float *)(const void *)there, x, y);
    else if (codes->width == 1)
        add_bytes(count, sign, there, codes->table, x, y);
    else
        add_pairs(count, sign, there, codes->table, x, y);
}

/* The rows begin <= i < end, y[i - begin]: the lower diagonals from the farthest on, then the upper
 * ones. */
static void multiply_rows(const struct by_diagonals *kept, int64_t begin, int64_t end,
                          const double *x, double *y)
{
    const struct sym_diagonals *A = &kept->A;
    memset(y, 0, (size_t)(end - begin) * sizeof *y);
    for (int64_t k = A->count - 1; k >= 1; k--) {
        int64_t d = A->distances[k], first = begin > d ? begin : d;
        if (first < end)
            add_diagonal(kept, k, first - d, end - first, A->sign, x + first - d,
                         y + (first - begin));
    }
    for (int64_t k = 0; k < A->count; k++) {
        int64_t d = A->distances[k], last = end < A->n - d ? end : A->n - d;
        if (begin < last)
            add_diagonal(kept, k, begin, last - begin, 1, x + begin + d, y);
    }
}

struct product {
    const struct by_diagonals *kept;
    const double *x;
    double *y;
    bool dot;
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

static enum status apply_dot(void *state, const struct operands *operands, double *dot,
                             struct error *error)
{
    (void)error;
    const struct by_diagonals *kept = state;
    threads_each(kept->threads, kept->tiles, multiply_tiles,
                 &(struct product){kept, operands->x, operands->y, dot != NULL});
    if (dot)
        *dot = sum_levels(kept->tile_dots, kept->tiles);
    return STATUS_OK;
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

static enum status apply_then(void *state, const struct operands *operands, const struct pass *pass,
                              const void *work, struct error *error)
{
    (void)error;
    const struct by_diagonals *kept = state;
    struct product_then product = {.kept = kept, .x = operands->x, .pass = pass, .work = work};
    if (!pass->sum || !pass->sum(work, 0, &product.sum))
        product.sum.result = NULL;
    threads_each(kept->threads, kept->tiles, multiply_tiles_then, &product);
    if (product.sum.result)
        *product.sum.result = sum_levels(kept->tile_dots, kept->tiles);
    return STATUS_OK;
}

static const struct operator_table table = {
    .apply_dot = apply_dot, .apply_then = apply_then, .destroy = destroy};

enum status cpu_sym_diagonals_setup(const struct csr *A, const struct sym_choice *choice,
                                    struct linear_operator *made, struct error *error)
{
    struct by_diagonals *kept = made->state =
        memory_zeros(1, sizeof *kept, "the kernel's state", error);
    if (!kept)
        return STATUS_MEMORY;
    made->table = &table;
    kept->threads = made->space->threads;
    enum status status = sym_diagonals_create(A, &kept->A, error);
    if (!status)
        status = compress(kept, choice, error);
    if (status)
        return status;
    kept->tiles = sum_tiles(A->n);
    kept->tile_dots = memory_array(kept->tiles, sizeof(double), "the tiles' sums", error);
    int64_t values = kept->codes.width ? sym_codes_bytes(&kept->codes)
                                       : kept->A.count * A->n * (int64_t)sizeof(double);
    made->bytes_per_apply = values + 2 * A->n * (int64_t)sizeof(double);
    made->memory_bytes = (int64_t)sizeof *kept + values + kept->A.count * (int64_t)sizeof(int32_t) +
                         kept->tiles * (int64_t)sizeof(double);
    snprintf(made->description, sizeof made->description,
             "diagonals, %" PRId64 " in the upper triangle%s", kept->A.count,
             sym_codes_text(kept->codes.width));
    return kept->tile_dots ? STATUS_OK : STATUS_MEMORY;
}

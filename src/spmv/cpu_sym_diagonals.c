/* The form of cpu_sym_bitwise for matrices whose entries lie on few diagonals: no column is stored or
 * read. Threads have tiles of rows of their own and write nothing else. For a tile every diagonal
 * is a pass over neighbouring values in the first-level cache, the mirrored ones first, and the dot
 * product x . y takes the tile from there.
 *
 * Moves each value of the upper diagonals from memory once: the second use, d rows later, finds it
 * in a cache as long as that holds d rows. 8 bytes a diagonal and row, or 1 or 2 when the values are
 * kept as codes, and x and y once. */
#include "spmv/cpu_sym_forms.h"

#include "base/memory.h"
#include "base/multiversion.h"
#include "space/cpu_sum.h"
#include "spmv/sym_diagonals.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct by_diagonals {
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

/* Codes in place of the values, where they save bytes. */
static enum status compress(struct by_diagonals *kept, struct error *error)
{
    enum status status =
        sym_codes_create(kept->A.values, kept->A.count, kept->A.n, &kept->codes, error);
    if (kept->codes.width) {
        memory_free(kept->A.values);
        kept->A.values = NULL;
    }
    return status;
}

static enum status setup(const struct csr *A, const struct sym_choice *choice, void **state,
                         struct error *error)
{
    *state = NULL;
    struct by_diagonals *kept = memory_zeros(1, sizeof *kept, "the kernel's state", error);
    if (!kept)
        return STATUS_MEMORY;
    enum status status = sym_diagonals_create(A, &kept->A, error);
    if (!status && choice->compress)
        status = compress(kept, error);
    if (!status) {
        kept->tiles = sum_tiles(A->n);
        kept->tile_dots = memory_array(kept->tiles, sizeof(double), "the tiles' sums", error);
        status = kept->tile_dots ? STATUS_OK : STATUS_MEMORY;
    }
    if (status)
        destroy(kept);
    else
        *state = kept;
    return status;
}

/* y_i = fma(sign a_i, x_i, y_i); sign is 1 or -1 */
MULTIVERSION static void add_products(int64_t count, double sign, const double *a, const double *x,
                                      double *y)
{
    for (int64_t i = 0; i < count; i++)
        y[i] = fma(sign * a[i], x[i], y[i]);
}

/* Values begin <= i < begin + count of a diagonal, decoded. */
MULTIVERSION static void decode(const struct sym_codes *codes, int64_t diagonal, int64_t begin,
                                int64_t count, double *values)
{
    int64_t first = diagonal * codes->stride + begin;
    if (codes->width == 1)
        for (int64_t i = 0; i < count; i++)
            values[i] = cpu_sym_value(codes->codes, codes->table, 1, first + i);
    else
        for (int64_t i = 0; i < count; i++)
            values[i] = cpu_sym_value(codes->codes, codes->table, 2, first + i);
}

/* y_i = fma(sign a_(begin + i), x_i, y_i), 0 <= i < count, a = diagonal k. */
static void add_diagonal(const struct by_diagonals *kept, int64_t k, int64_t begin, int64_t count,
                         double sign, const double *x, double *y)
{
    double values[SUM_TILE];
    if (kept->codes.width) {
        decode(&kept->codes, k, begin, count, values);
        add_products(count, sign, values, x, y);
    } else {
        add_products(count, sign, kept->A.values + k * kept->A.n + begin, x, y);
    }
}

/* The rows begin <= i < end: the lower diagonals from the farthest on, then the upper ones. */
static void multiply_rows(const struct by_diagonals *kept, int64_t begin, int64_t end,
                          const double *x, double *y)
{
    const struct sym_diagonals *A = &kept->A;
    memset(y + begin, 0, (size_t)(end - begin) * sizeof *y);
    for (int64_t k = A->count - 1; k >= 1; k--) {
        int64_t d = A->distances[k], first = begin > d ? begin : d;
        if (first < end)
            add_diagonal(kept, k, first - d, end - first, A->sign, x + first - d, y + first);
    }
    for (int64_t k = 0; k < A->count; k++) {
        int64_t d = A->distances[k], last = end < A->n - d ? end : A->n - d;
        if (begin < last)
            add_diagonal(kept, k, begin, last - begin, 1, x + begin + d, y + begin);
    }
}

static void multiply(const void *state, const double *x, double *y, double *dot)
{
    const struct by_diagonals *kept = state;
    int64_t n = kept->A.n;
#pragma omp parallel for schedule(static)
    for (int64_t tile = 0; tile < kept->tiles; tile++) {
        int64_t begin = tile * SUM_TILE, end = begin + SUM_TILE < n ? begin + SUM_TILE : n;
        multiply_rows(kept, begin, end, x, y);
        if (dot)
            kept->tile_dots[tile] = sum_tile_dot(x + begin, y + begin, end - begin);
    }
    if (dot)
        *dot = sum_levels(kept->tile_dots, kept->tiles);
}

static void describe(const void *state, char *text, size_t size)
{
    const struct by_diagonals *kept = state;
    snprintf(text, size, "diagonals, %" PRId64 " in the upper triangle%s", kept->A.count,
             cpu_sym_codes_text(kept->codes.width));
}

static int64_t value_bytes(const struct by_diagonals *kept)
{
    return kept->codes.width ? sym_codes_bytes(&kept->codes)
                             : kept->A.count * kept->A.n * (int64_t)sizeof(double);
}

static int64_t memory_bytes(const void *state)
{
    const struct by_diagonals *kept = state;
    return (int64_t)sizeof *kept + value_bytes(kept) + kept->A.count * (int64_t)sizeof(int32_t) +
           kept->tiles * (int64_t)sizeof(double);
}

static int64_t bytes_per_apply(const void *state)
{
    const struct by_diagonals *kept = state;
    return value_bytes(kept) + 2 * kept->A.n * (int64_t)sizeof(double);
}

const struct cpu_sym_form cpu_sym_diagonals = {
    .setup = setup,
    .multiply = multiply,
    .describe = describe,
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = memory_bytes,
    .destroy = destroy,
};

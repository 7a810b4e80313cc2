/* The form of cpu_sym_bitwise for matrices whose entries lie on few diagonals: no column is stored or
 * read. Threads have tiles of rows of their own and write nothing else. For a tile every diagonal
 * is a pass over neighbouring values in the first-level cache, the mirrored ones first, and the dot
 * product x . y takes the tile from there.
 *
 * Moves each value of the upper diagonals from memory once: the second use, d rows later, finds it
 * in a cache as long as that holds d rows. 8 bytes a diagonal and row, and x and y once. */
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
    struct sym_diagonals A;
    int64_t tiles;
    double *tile_dots; /* [tiles] */
};

static void destroy(void *state)
{
    struct by_diagonals *kept = state;
    if (!kept)
        return;
    sym_diagonals_free(&kept->A);
    memory_free(kept->tile_dots);
    memory_free(kept);
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    (void)options;
    (void)space;
    *state = NULL;
    struct by_diagonals *kept = memory_zeros(1, sizeof *kept, "the kernel's state", error);
    if (!kept)
        return STATUS_MEMORY;
    enum status status = sym_diagonals_create(A, &kept->A, error);
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

/* The rows begin <= i < end: the lower diagonals from the farthest on, then the upper ones. */
static void multiply_rows(const struct sym_diagonals *A, int64_t begin, int64_t end,
                          const double *x, double *y)
{
    memset(y + begin, 0, (size_t)(end - begin) * sizeof *y);
    for (int64_t k = A->count - 1; k >= 1; k--) {
        int64_t d = A->distances[k], first = begin > d ? begin : d;
        if (first < end)
            add_products(end - first, A->sign, A->values + k * A->n + first - d, x + first - d,
                         y + first);
    }
    for (int64_t k = 0; k < A->count; k++) {
        int64_t d = A->distances[k], last = end < A->n - d ? end : A->n - d;
        if (begin < last)
            add_products(last - begin, 1, A->values + k * A->n + begin, x + begin + d, y + begin);
    }
}

static enum status apply_dot(void *state, const double *x, double *y, double *dot,
                             struct error *error)
{
    (void)error;
    const struct by_diagonals *kept = state;
    int64_t n = kept->A.n;
#pragma omp parallel for schedule(static)
    for (int64_t tile = 0; tile < kept->tiles; tile++) {
        int64_t begin = tile * SUM_TILE, end = begin + SUM_TILE < n ? begin + SUM_TILE : n;
        multiply_rows(&kept->A, begin, end, x, y);
        if (dot)
            kept->tile_dots[tile] = sum_tile_dot(x + begin, y + begin, end - begin);
    }
    if (dot)
        *dot = sum_levels(kept->tile_dots, kept->tiles);
    return STATUS_OK;
}

static enum status apply(void *state, const double *x, double *y, struct error *error)
{
    return apply_dot(state, x, y, NULL, error);
}

static void describe(const void *state, char *text, size_t size)
{
    snprintf(text, size, "diagonals, %" PRId64 " in the upper triangle",
             ((const struct by_diagonals *)state)->A.count);
}

static int64_t memory_bytes(const void *state)
{
    const struct by_diagonals *kept = state;
    return (int64_t)sizeof *kept + kept->A.count * kept->A.n * (int64_t)sizeof(double) +
           kept->A.count * (int64_t)sizeof(int32_t) + kept->tiles * (int64_t)sizeof(double);
}

static int64_t bytes_per_apply(const void *state)
{
    const struct by_diagonals *kept = state;
    return (kept->A.count + 2) * kept->A.n * (int64_t)sizeof(double);
}

const struct kernel cpu_sym_diagonals = {
    .name = "diagonals",
    .setup = setup,
    .apply = apply,
    .apply_dot = apply_dot,
    .describe = describe,
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = memory_bytes,
    .destroy = destroy,
};

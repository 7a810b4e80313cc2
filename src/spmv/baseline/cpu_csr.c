/* y = A x from full rows, with threads: the reference that every kernel is held against.
 *
 * Every row is one chain in ascending column order, s = fma(a_ij, x_j, s) from s = 0, so the bits
 * follow from the matrix and the precision alone. A thread takes neighbouring tiles of
 * space/sum/sum_order.h, about as many entries as every other one, and a tile's part of the dot
 * product x . y while its x and y are in the first-level cache. It moves 12 bytes for each of the
 * full matrix's entries (8 where the values are single), 8 for a row's offset, and x and y once. */
#include "spmv/kernel.h"

#include "base/memory.h"
#include "base/threads.h"
#include "matrix/multiply.h"
#include "space/cpu/cpu.h"
#include "space/sum/cpu_sum.h"
#include "spmv/lanes.h"
#include "spmv/single.h"

#include <stdbool.h>

extern const struct kernel kernel_cpu_csr;

static const struct parameter parameters[] = {KERNEL_PRECISION(0), {0}};

struct full_rows {
    struct space *space;
    struct csr full; /* its values are NULL where there are singles */
    float *singles;
    enum precision precision;
    int64_t tiles;
    double *tile_dots; /* [tiles] */
};

static void destroy(void *state)
{
    struct full_rows *kept = state;
    if (!kept)
        return;
    csr_free(&kept->full);
    memory_free(kept->singles);
    memory_free(kept->tile_dots);
    memory_free(kept);
}

static enum status round_values(struct full_rows *kept, struct error *error)
{
    if (kept->precision == PRECISION_DOUBLE)
        return STATUS_OK;
    enum status status = single_values(&kept->full, &kept->singles, error);
    memory_free(kept->full.values);
    kept->full.values = NULL;
    return status;
}

/* The first tile that does not begin before that many entries. */
static int64_t tile_behind(const struct full_rows *kept, double entries)
{
    int64_t low = 0, high = kept->tiles;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if ((double)kept->full.offsets[middle * SUM_TILE] < entries)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A product, in as many shares as there are threads; the vectors are doubles, or singles. */
struct product {
    const struct full_rows *kept;
    int64_t shares;
    const void *x;
    void *y;
    bool dot, singles;
    int64_t stride; /* of multivectors */
};

/* The rows of these shares: the tiles *tile <= t < the result. */
static int64_t tiles_of(const struct product *product, int64_t first, int64_t last, int64_t *tile)
{
    const struct full_rows *kept = product->kept;
    double entries = (double)kept->full.nnz / (double)product->shares;
    *tile = first > 0 ? tile_behind(kept, entries * (double)first) : 0;
    return last < product->shares ? tile_behind(kept, entries * (double)last) : kept->tiles;
}

/* The same as rows. */
static int64_t rows_of(const struct product *product, int64_t first, int64_t last, int64_t *begin)
{
    int64_t n = product->kept->full.n, tile, behind = tiles_of(product, first, last, &tile);
    *begin = tile * SUM_TILE;
    return behind * SUM_TILE < n ? behind * SUM_TILE : n;
}

CSR_MULTIPLY_ROWS(rows_float, float, float, double)
CSR_MULTIPLY_ROWS(rows_float_double, float, double, double)
CSR_MULTIPLY_ROWS(rows_of_floats, float, float, float)

static void multiply_rows(const struct full_rows *kept, int64_t begin, int64_t end, const double *x,
                          double *y)
{
    switch (kept->precision) {
    case PRECISION_DOUBLE:
        csr_multiply_rows(&kept->full, begin, end, x, y);
        break;
    case PRECISION_FLOAT:
        rows_float(&kept->full, kept->singles, begin, end, x, y);
        break;
    case PRECISION_FLOAT_DOUBLE:
        rows_float_double(&kept->full, kept->singles, begin, end, x, y);
        break;
    }
}

static void multiply_shares(void *context, int64_t first, int64_t last)
{
    const struct product *product = context;
    const struct full_rows *kept = product->kept;
    const double *x = product->x;
    double *y = product->y;
    int64_t n = kept->full.n, tile, behind = tiles_of(product, first, last, &tile);
    for (; tile < behind; tile++) {
        int64_t begin = tile * SUM_TILE, end = begin + SUM_TILE < n ? begin + SUM_TILE : n;
        multiply_rows(kept, begin, end, x, y);
        if (product->dot)
            kept->tile_dots[tile] = sum_tile_dot(x + begin, y + begin, end - begin);
    }
}

static void multiply_floats(void *context, int64_t first, int64_t last)
{
    const struct product *product = context;
    const struct full_rows *kept = product->kept;
    int64_t begin, end = rows_of(product, first, last, &begin);
    rows_of_floats(&kept->full, kept->singles, begin, end, product->x, product->y);
}

#define LOOPS "spmv/baseline/cpu_csr_columns.h"
#include "spmv/lanes_loops.h"

static void multiply_columns(void *context, int64_t first, int64_t last)
{
    const struct product *product = context;
    const struct full_rows *kept = product->kept;
    int64_t begin, end = rows_of(product, first, last, &begin);
    LANES_CHOOSE(columns, kept->precision == PRECISION_FLOAT, product->singles, product->stride)
    (kept, begin, end, product->stride, product->x, product->y);
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct full_rows *kept = state;
    int64_t shares = threads_count(kept->space->threads);
    double *dot = operands->dot;
    struct product product = {.kept = kept,
                              .shares = shares,
                              .x = operands->x,
                              .y = operands->y,
                              .stride = operands->columns,
                              .dot = dot != NULL,
                              .singles = operands->singles};
    threads_body *body = operands->columns > 1 ? multiply_columns
                         : operands->singles   ? multiply_floats
                                               : multiply_shares;
    threads_each(kept->space->threads, shares, body, &product);
    return dot ? cpu_sum_end(kept->space, kept->tile_dots, kept->tiles, dot, error) : STATUS_OK;
}

static const struct operator_table table = {.apply = apply, .destroy = destroy};

static int64_t matrix_bytes(const struct full_rows *kept)
{
    return kept->precision == PRECISION_DOUBLE ? csr_bytes(&kept->full) : single_bytes(&kept->full);
}

static int64_t setup_bytes(const struct csr *A, const struct kernel_options *options)
{
    return single_bytes_full(A, kernel_precision(&kernel_cpu_csr, options) != PRECISION_DOUBLE);
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    struct full_rows *kept = made->state = memory_zeros(1, sizeof *kept, "the full matrix", error);
    if (!kept)
        return STATUS_MEMORY;
    kept->space = made->space;
    kept->precision = kernel_precision(&kernel_cpu_csr, options);
    made->table = &table;
    made->can = OPERATOR_DOT | precision_can_columns(kept->precision == PRECISION_FLOAT);
    enum status status = csr_expand(A, &kept->full, error);
    if (!status)
        status = round_values(kept, error);
    if (status)
        return status;
    kept->tiles = sum_tiles(A->n);
    kept->tile_dots = memory_array(kept->tiles, sizeof(double), "the tiles' sums", error);
    made->memory_bytes =
        (int64_t)sizeof *kept + matrix_bytes(kept) + kept->tiles * (int64_t)sizeof(double);
    made->bytes_per_apply = matrix_bytes(kept) + (A->n + A->width) * (int64_t)sizeof(double);
    return kept->tile_dots ? STATUS_OK : STATUS_MEMORY;
}

const struct kernel kernel_cpu_csr = {
    .component = KERNEL_COMPONENT(
        "cpu_csr", "full CSR, rows shared among threads, columns ascending: the reference",
        parameters),
    .space = SPACE_CPU,
    .storage = STORAGE_FULL,
    .kinds = CSR_SYMMETRIC | CSR_SKEW | CSR_GENERAL,
    .guarantee = GUARANTEE_BITWISE,
    .setup_bytes = setup_bytes,
    .setup = setup,
};

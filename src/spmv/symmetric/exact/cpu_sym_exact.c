/* y = A x from the upper triangle, threads, every y_i the exact value rounded once: the same bits
 * for any number of threads, any device, and any numbering of the rows.
 *
 * A row is gathered: the mirrored entries through a list of columns and places, then the row's own,
 * and summed as spmv/symmetric/exact/sym_exact.h says. LANES neighbouring rows go together, one in
 * each lane of the vector instructions, the shorter ones with products 0 0 at their end; a row
 * whose sum does not fit is then walked alone.
 *
 * Single values are rounded, and the sum of the exact products with them is exact.
 *
 * Cost: 32 operations a product, in lanes where the instruction set has them; 12 bytes for each
 * entry right of the diagonal, 20 for its mirror image, 4 fewer each where values are single, 16
 * for a row's offsets, and x and y once. */
#include "spmv/kernel.h"

#include "base/memory.h"
#include "base/multiversion.h"
#include "base/threads.h"
#include "space/cpu/cpu.h"
#include "space/sum/cpu_sum.h"
#include "spmv/single.h"
#include "spmv/symmetric/exact/sym_exact.h"
#include "spmv/symmetric/transpose_index.h"

#include <stdbool.h>

enum { LANES = 8, TILES_AT_ONCE = 4 };

extern const struct kernel kernel_cpu_sym_exact;

static const struct parameter parameters[] = {KERNEL_PRECISION_OF_VALUES(0), {0}};

_Static_assert(SUM_TILE % LANES == 0, "a tile is whole groups of rows");

struct exact_rows {
    struct space *space;
    const struct csr *A;
    float *singles; /* [nnz] in place of A's values, or NULL */
    double sign;    /* of a mirrored entry */
    struct transpose_index mirror;
    double *tile_dots; /* [sum_tiles(n)] */
};

static void destroy(void *state)
{
    struct exact_rows *kept = state;
    if (!kept)
        return;
    memory_free(kept->singles);
    transpose_index_free(&kept->mirror);
    memory_free(kept->tile_dots);
    memory_free(kept);
}

#define INLINE __attribute__((always_inline)) static inline

/* Value p; `singles` is a constant where this is called from a loop over lanes. */
INLINE double value(const struct exact_rows *kept, bool singles, int64_t p)
{
    return singles ? (double)kept->singles[p] : kept->A->values[p];
}

/* Calls add(sum, a, x) for every entry of a row. */
typedef void row_adder(void *sum, double a, double x);

INLINE void visit_row(const struct exact_rows *kept, int64_t i, const double *x, row_adder *add,
                      void *sum)
{
    const struct csr *A = kept->A;
    const struct transpose_index *mirror = &kept->mirror;
    bool singles = kept->singles != NULL;
    for (int64_t q = mirror->offsets[i]; q < mirror->offsets[i + 1]; q++)
        add(sum, kept->sign * value(kept, singles, mirror->places[q]), x[mirror->columns[q]]);
    for (int64_t p = A->offsets[i]; p < A->offsets[i + 1]; p++)
        add(sum, value(kept, singles, p), x[A->columns[p]]);
}

INLINE void add_to_parts(void *sum, double a, double x)
{
    sym_exact_parts_add(sum, SYM_EXACT_MOST, a, x);
}

static void add_to_window(void *sum, double a, double x)
{
    sym_exact_window_visit(sum, a, x);
}

static double row_by_window(const struct exact_rows *kept, int64_t i, const double *x)
{
    struct sym_exact_window window;
    sym_exact_window_begin(&window);
    visit_row(kept, i, x, add_to_window, &window);
    sym_exact_window_open(&window);
    visit_row(kept, i, x, add_to_window, &window);
    return sym_exact_window_round(&window);
}

MULTIVERSION static bool row_by_parts(const struct exact_rows *kept, int64_t i, const double *x,
                                      double *y)
{
    struct sym_exact_parts sum = {.left = 0};
    visit_row(kept, i, x, add_to_parts, &sum);
    return sym_exact_parts_round(&sum, SYM_EXACT_MOST, y);
}

/* The parts of LANES rows. */
struct lanes {
    double part[SYM_EXACT_FEW][LANES];
    uint64_t left[LANES];
};

INLINE struct sym_exact_parts lane_of(const struct lanes *lanes, int64_t l)
{
    struct sym_exact_parts sum = {.left = lanes->left[l]};
    for (int k = 0; k < SYM_EXACT_FEW; k++)
        sum.part[k] = lanes->part[k][l];
    return sum;
}

INLINE void add_lanes(struct lanes *lanes, const double *a, const double *x)
{
    for (int l = 0; l < LANES; l++) {
        struct sym_exact_parts sum = lane_of(lanes, l);
        sym_exact_parts_add(&sum, SYM_EXACT_FEW, a[l], x[l]);
        for (int k = 0; k < SYM_EXACT_FEW; k++)
            lanes->part[k][l] = sum.part[k];
        lanes->left[l] = sum.left;
    }
}

/* Where each lane's entries begin, how many it has, and how many the longest has. */
struct stretch {
    int64_t begin[LANES], length[LANES], longest;
};

INLINE struct stretch stretch_of(const int64_t *offsets, int64_t row, int64_t end)
{
    struct stretch stretch = {.longest = 0};
    for (int l = 0; l < LANES; l++) {
        int64_t i = row + l < end ? row + l : end - 1;
        stretch.begin[l] = offsets[i];
        stretch.length[l] = row + l < end ? offsets[i + 1] - offsets[i] : 0;
        if (stretch.length[l] > stretch.longest)
            stretch.longest = stretch.length[l];
    }
    return stretch;
}

/* The rows of a tile. */
INLINE void make_rows(const struct exact_rows *kept, int64_t begin, int64_t end, const double *x,
                      double *y, bool singles)
{
    const struct csr *A = kept->A;
    const struct transpose_index *mirror = &kept->mirror;
    for (int64_t i = begin; i < end; i += LANES) {
        struct lanes lanes = {.left = {0}};
        double a[LANES], xs[LANES];
        struct stretch lower = stretch_of(mirror->offsets, i, end);
        for (int64_t k = 0; k < lower.longest; k++) {
            for (int l = 0; l < LANES; l++) {
                int64_t q = lower.begin[l] + k;
                bool is_entry = k < lower.length[l];
                a[l] = is_entry ? kept->sign * value(kept, singles, mirror->places[q]) : 0;
                xs[l] = is_entry ? x[mirror->columns[q]] : 0;
            }
            add_lanes(&lanes, a, xs);
        }
        struct stretch upper = stretch_of(A->offsets, i, end);
        for (int64_t k = 0; k < upper.longest; k++) {
            for (int l = 0; l < LANES; l++) {
                int64_t p = upper.begin[l] + k;
                bool is_entry = k < upper.length[l];
                a[l] = is_entry ? value(kept, singles, p) : 0;
                xs[l] = is_entry ? x[A->columns[p]] : 0;
            }
            add_lanes(&lanes, a, xs);
        }
        for (int64_t row = i; row < i + LANES && row < end; row++) {
            const struct sym_exact_parts sum = lane_of(&lanes, row - i);
            if (!sym_exact_parts_round(&sum, SYM_EXACT_FEW, &y[row]) &&
                !row_by_parts(kept, row, x, &y[row]))
                y[row] = row_by_window(kept, row, x);
        }
    }
}

MULTIVERSION static void rows_of_doubles(const struct exact_rows *kept, int64_t begin, int64_t end,
                                         const double *x, double *y)
{
    make_rows(kept, begin, end, x, y, false);
}

MULTIVERSION static void rows_of_singles(const struct exact_rows *kept, int64_t begin, int64_t end,
                                         const double *x, double *y)
{
    make_rows(kept, begin, end, x, y, true);
}

struct product {
    const struct exact_rows *kept;
    const double *x;
    double *y;
    bool dot;
};

static void multiply_tiles(void *context, int64_t tile, int64_t last)
{
    const struct product *product = context;
    const struct exact_rows *kept = product->kept;
    const double *x = product->x;
    double *y = product->y;
    for (int64_t n = kept->A->n; tile < last; tile++) {
        int64_t begin = tile * SUM_TILE, end = begin + SUM_TILE < n ? begin + SUM_TILE : n;
        if (kept->singles)
            rows_of_singles(kept, begin, end, x, y);
        else
            rows_of_doubles(kept, begin, end, x, y);
        if (product->dot)
            kept->tile_dots[tile] = sum_tile_dot(x + begin, y + begin, end - begin);
    }
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    const struct exact_rows *kept = state;
    double *dot = operands->dot;
    int64_t tiles = sum_tiles(kept->A->n);
    threads_take(kept->space->threads, tiles, TILES_AT_ONCE, multiply_tiles,
                 &(struct product){kept, operands->x, operands->y, dot != NULL});
    return dot ? cpu_sum_end(kept->space, kept->tile_dots, tiles, dot, error) : STATUS_OK;
}

static const struct operator_table table = {.apply = apply, .destroy = destroy};

/* The mirrored entries' lists. */
static int64_t list_bytes(const struct exact_rows *kept)
{
    int64_t n = kept->A->n;
    return (n + 1) * (int64_t)sizeof(int64_t) +
           kept->mirror.offsets[n] * (int64_t)(sizeof(int32_t) + sizeof(int64_t));
}

/* A product moves A, the lists, the mirrored values again, x and y. */
static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    struct exact_rows *kept = made->state =
        memory_zeros(1, sizeof *kept, "the kernel's state", error);
    if (!kept)
        return STATUS_MEMORY;
    made->table = &table;
    made->can = OPERATOR_DOT;
    kept->space = made->space;
    kept->A = A;
    kept->sign = A->kind == CSR_SKEW ? -1 : 1;
    bool narrow = kernel_precision(&kernel_cpu_sym_exact, options) != PRECISION_DOUBLE;
    enum status status = narrow ? single_values(A, &kept->singles, error) : STATUS_OK;
    if (!status)
        status = transpose_index_create(A->n, A->offsets, A->columns, &kept->mirror, error);
    if (status)
        return status;
    int64_t tiles = sum_tiles(A->n);
    kept->tile_dots = memory_array(tiles, sizeof(double), "the tiles' sums", error);
    int64_t value = narrow ? (int64_t)sizeof(float) : (int64_t)sizeof(double);
    made->memory_bytes = (int64_t)sizeof *kept + (narrow ? A->nnz * value : 0) + list_bytes(kept) +
                         tiles * (int64_t)sizeof(double);
    made->bytes_per_apply = (narrow ? single_bytes(A) : csr_bytes(A)) + list_bytes(kept) +
                            kept->mirror.offsets[A->n] * value + 2 * A->n * (int64_t)sizeof(double);
    return kept->tile_dots ? STATUS_OK : STATUS_MEMORY;
}

static int64_t setup_bytes(const struct csr *A, const struct kernel_options *options)
{
    (void)options;
    return (A->n + 1) * (int64_t)sizeof(int64_t) +
           (A->nnz - A->n) * (int64_t)(sizeof(int32_t) + sizeof(int64_t));
}

const struct kernel kernel_cpu_sym_exact = {
    .component = KERNEL_COMPONENT(
        "cpu_sym_exact",
        "upper triangle, threads, exact sums rounded once: one result in any numbering",
        parameters),
    .space = SPACE_CPU,
    .storage = STORAGE_UPPER,
    .kinds = CSR_SYMMETRIC | CSR_SKEW,
    .guarantee = GUARANTEE_BITWISE,
    .setup_bytes = setup_bytes,
    .setup = setup,
};

#include "spmv/segscan_twin.h"

#include "support.h"

#include "spmv/baseline/segscan.h"
#include "spmv/rounded.h"

#include <math.h>

enum { ENDS_MAX = SEGSCAN_LANES * SEGSCAN_VALUES_MAX };

/* What a warp has made when its block meets. */
struct warp {
    double part[ENDS_MAX]; /* of the rows that end in its share */
    int ends;
    double tail;
};

struct product {
    const struct segscan *scan;
    enum precision precision;
    const double *x;
    double *y;
    double *slots; /* [blocks] */
    bool *there;   /* [blocks] whether something is in it */
};

static double value_at(const struct segscan *scan, int64_t share, int lane, int v)
{
    int V = scan->values_per_thread;
    int64_t begin = share * segscan_share(V);
    return scan->narrow
               ? (double)((const float *)
                              scan->values)[begin + segscan_place(SEGSCAN_GROUP(V, 4), lane, v)]
               : ((const double *)
                      scan->values)[begin + segscan_place(SEGSCAN_GROUP(V, 8), lane, v)];
}

/* The lane's entries, one after the other; its parts from *begin up to *end, and what is left. */
static double walk_lane(const struct product *product, int64_t share, int lane, struct warp *warp,
                        int *begin, int *end)
{
    const struct segscan *scan = product->scan;
    int V = scan->values_per_thread;
    const uint32_t *words = scan->words + share * segscan_share(V);
    uint32_t word[SEGSCAN_VALUES_MAX] = {0};
    for (int v = 0; v < V; v++)
        word[v] = words[segscan_place(SEGSCAN_GROUP(V, 4), lane, v)];
    *begin = *end = segscan_offset(word);
    double sum = 0;
    for (int v = 0; v < V; v++) {
        double x = rounded_x(product->precision, product->x[segscan_column(word[v])]);
        sum = rounded_fma(product->precision, value_at(scan, share, lane, v), x, sum);
        if (segscan_ends(word[v])) {
            warp->part[(*end)++] = sum;
            sum = 0;
        }
    }
    return sum;
}

static void scan_warp(const struct product *product, int64_t share, struct warp *warp)
{
    double sum[SEGSCAN_LANES], other[SEGSCAN_LANES];
    int begin[SEGSCAN_LANES], end[SEGSCAN_LANES];
    uint32_t ends = 0;
    for (int lane = 0; lane < SEGSCAN_LANES; lane++) {
        sum[lane] = walk_lane(product, share, lane, warp, &begin[lane], &end[lane]);
        ends |= (uint32_t)(end[lane] > begin[lane]) << lane;
    }
    for (int distance = 1; distance < SEGSCAN_LANES; distance *= 2) {
        for (int lane = distance; lane < SEGSCAN_LANES; lane++)
            other[lane] = sum[lane - distance];
        for (int lane = distance; lane < SEGSCAN_LANES; lane++)
            if (distance <= segscan_reach(ends, lane))
                sum[lane] = rounded_add(product->precision, other[lane], sum[lane]);
    }
    for (int lane = 1; lane < SEGSCAN_LANES; lane++)
        if (end[lane] > begin[lane])
            warp->part[begin[lane]] =
                rounded_add(product->precision, sum[lane - 1], warp->part[begin[lane]]);
    warp->ends = end[SEGSCAN_LANES - 1];
    ck_assert_int_le(warp->ends, product->scan->ends_max);
    warp->tail = sum[SEGSCAN_LANES - 1];
}

/* The slots of the blocks before, each of which has put something there, and they are empty
 * again. */
static double take(const struct product *product, int64_t block, int64_t count)
{
    ck_assert_int_le(count, block);
    for (int64_t k = block - count; k < block; k++) {
        ck_assert_msg(product->there[k], "block %d takes from an empty slot", (int)block);
        product->there[k] = false;
    }
    return rounded_take_parts(product->precision, product->slots + block - count, count);
}

static void multiply_block(const struct product *product, int64_t block, struct warp *warps)
{
    const struct segscan *scan = product->scan;
    uint32_t joins = scan->joins[block];
    int64_t joined = segscan_joined(joins);
    double carry = 0;
    bool open = true;
    for (int w = 0; w < SEGSCAN_WARPS; w++) {
        int64_t share = block * SEGSCAN_WARPS + w;
        struct warp *warp = &warps[w];
        scan_warp(product, share, warp);
        double mine = carry;
        if (open && warp->ends && joined)
            mine = rounded_add(product->precision, take(product, block, joined), carry);
        for (int r = 0; r < warp->ends; r++) {
            double *y = &product->y[segscan_row(scan->first[share], scan->rows, r)];
            *y = r ? warp->part[r] : rounded_add(product->precision, mine, warp->part[r]);
        }
        open = open && !warp->ends;
        carry = warp->ends ? warp->tail : rounded_add(product->precision, carry, warp->tail);
    }
    if (joins & SEGSCAN_CONTINUES) {
        product->slots[block] = carry;
        product->there[block] = true;
    }
}

static void *array(int64_t count, size_t size)
{
    struct error error;
    void *made = memory_zeros(count, size, "a twin's array", &error);
    ck_assert_ptr_nonnull(made);
    return made;
}

static void multiply(const struct segscan *scan, enum precision precision, const double *x,
                     double *y)
{
    struct product product = {.scan = scan,
                              .precision = precision,
                              .x = x,
                              .y = y,
                              .slots = array(scan->blocks, sizeof(double)),
                              .there = array(scan->blocks, sizeof(bool))};
    struct warp *warps = array(SEGSCAN_WARPS, sizeof *warps);
    for (int64_t i = 0; i < scan->n; i++)
        y[i] = NAN;
    for (int64_t block = 0; block < scan->blocks; block++)
        multiply_block(&product, block, warps);
    for (int64_t e = 0; e < scan->empties; e++)
        y[scan->empty[e]] = 0;
    for (int64_t block = 0; block < scan->blocks; block++)
        ck_assert_msg(!product.there[block], "block %d: nobody takes its slot", (int)block);
    memory_free(warps);
    memory_free(product.slots);
    memory_free(product.there);
}

void twin_segscan(const struct csr *A, int values_per_thread, enum precision precision,
                  const double *x, double *y)
{
    struct error error;
    struct csr full;
    struct segscan scan;
    expect_ok(csr_expand(A, &full, &error), &error);
    if (values_per_thread == 0)
        values_per_thread = segscan_values_per_thread(full.nnz, precision == PRECISION_FLOAT);
    expect_ok(
        segscan_create(&full, values_per_thread, precision != PRECISION_DOUBLE, &scan, &error),
        &error);
    multiply(&scan, precision, x, y);
    segscan_free(&scan);
    csr_free(&full);
}

#include "spmv/merge_twin.h"

#include "support.h"

#include "spmv/baseline/cuda_merge.h"
#include "spmv/baseline/merge_path.h"

#include <math.h>
#include <string.h>

enum { LANES = CUDA_MERGE_LANES, THREADS = CUDA_MERGE_THREADS, WARPS = CUDA_MERGE_WARPS };

int64_t merge_twin_search(const int64_t *offsets, int64_t n, int64_t nnz, int64_t guess,
                          int64_t diagonal)
{
    enum { WAYS = CUDA_MERGE_WAYS };
    struct merge_window window = merge_all(n, nnz, diagonal);
    for (bool around = true; around || window.low < window.high; around = false) {
        int passed = 0;
        for (int way = 0; way < WAYS; way++) {
            int64_t row =
                around ? merge_probe_around(guess, WAYS, way) : merge_probe(window, WAYS, way);
            passed += row < window.low ||
                      (row < window.high && merge_ends_before(row, offsets[row + 1], diagonal));
        }
        window = around ? merge_narrow_around(window, guess, WAYS, passed)
                        : merge_narrow(window, WAYS, passed);
    }
    return window.low;
}

/* A part of a row that lies in the tiles first, ..., last, from one of them. */
struct part {
    int64_t tile, first, last, row;
    double sum;
};

/* A slot is empty while it is NAN: no part of these tests is. */
struct product {
    struct csr A; /* the full matrix, as the precision rounds it */
    bool single;  /* sums */
    int items;
    int64_t tiles;
    const double *x;
    double *y;
    struct part *parts; /* [2 tiles] */
    int64_t count;
    double *tails, *heads; /* [tiles] */
    int64_t *arrived;      /* [tiles] */
};

static double rounded(const struct product *product, double v)
{
    return product->single ? (double)(float)v : v;
}

static double add(const struct product *product, double a, double b)
{
    return rounded(product, a + b);
}

/* ---- a tile ------------------------------------------------------------------------------------
 */

/* Of a tile. */
struct tile {
    int64_t row, entry;
    int rows, entries;
    uint32_t *words; /* [THREADS][(items + 1) / 4] */
    double *items;   /* the products, and behind them the sums of the rows */
    int before[THREADS + 1];
    double open[THREADS]; /* what a thread, and then all lanes up to it, hold behind the last end */
};

static void read_tile(const struct product *product, int64_t t, struct tile *tile)
{
    int items = product->items, size = THREADS * items;
    int64_t n = product->A.n, nnz = product->A.nnz, border[2];
    for (int b = 0; b < 2; b++) {
        int64_t diagonal = (t + b) * size;
        border[b] = cuda_merge_row(
            merge_twin_search(product->A.offsets, n, nnz, diagonal / 2, diagonal), nnz, diagonal);
    }
    tile->row = border[0];
    tile->entry = t * size - border[0];
    tile->rows = (int)(border[1] - border[0]);
    tile->entries = size - tile->rows;
    memset(tile->words, 0, (size_t)(THREADS * (items + 1)));
    for (int r = 0; r < tile->rows; r++) {
        int64_t i = tile->row + r;
        int end = i < n ? (int)(product->A.offsets[i + 1] - tile->entry) : tile->entries;
        int byte = cuda_merge_byte(r + end, items);
        tile->words[byte / 4] |= (uint32_t)1 << 8 * (byte % 4);
    }
    for (int k = 0; k < tile->entries; k++)
        tile->items[k] = rounded(product, product->A.values[tile->entry + k] *
                                              product->x[product->A.columns[tile->entry + k]]);
}

static void walk(const struct product *product, struct tile *tile)
{
    int items = product->items;
    tile->before[0] = 0;
    for (int t = 0; t < THREADS; t++) {
        const uint32_t *words = tile->words + t * ((items + 1) / 4);
        tile->before[t + 1] = tile->before[t] + cuda_merge_count(words, items);
        int k = t * items - tile->before[t], r = tile->entries + tile->before[t];
        double sum = 0;
        for (int u = 0; u < items; u++) {
            if (!cuda_merge_is_end(words, u)) {
                sum = add(product, sum, tile->items[k++]);
                continue;
            }
            tile->items[r++] = sum;
            sum = 0;
        }
        ck_assert_int_eq(r, tile->entries + tile->before[t + 1]);
        tile->open[t] = sum;
    }
    ck_assert_int_eq(tile->before[THREADS], tile->rows);
}

static bool has_end(const struct tile *tile, int thread)
{
    return tile->before[thread + 1] > tile->before[thread];
}

static void join_lanes(const struct product *product, struct tile *tile, int warp)
{
    double *open = tile->open + warp * LANES, next[LANES];
    int begin[LANES];
    for (int l = 0; l < LANES; l++)
        begin[l] = l == 0 || has_end(tile, warp * LANES + l) ? l : begin[l - 1];
    for (int distance = 1; distance < LANES; distance *= 2) {
        for (int l = 0; l < LANES; l++)
            next[l] =
                l - distance >= begin[l] ? add(product, open[l - distance], open[l]) : open[l];
        memcpy(open, next, sizeof next);
    }
    for (int l = 1; l < LANES; l++) {
        double *sum = &tile->items[tile->entries + tile->before[warp * LANES + l]];
        if (has_end(tile, warp * LANES + l))
            *sum = add(product, open[l - 1], *sum);
    }
}

static bool warp_has_end(const struct tile *tile, int warp)
{
    return tile->before[(warp + 1) * LANES] > tile->before[warp * LANES];
}

static double open_before(const struct product *product, const struct tile *tile, int warp)
{
    int first = warp - 1;
    while (first > 0 && !warp_has_end(tile, first))
        first--;
    double sum = tile->open[(first + 1) * LANES - 1];
    for (int w = first + 1; w < warp; w++)
        sum = add(product, sum, tile->open[(w + 1) * LANES - 1]);
    return sum;
}

/* The tile that has item offset + row: a row's first item by its own offset, its end by the next
 * one's. */
static int64_t tile_of(const struct product *product, int64_t offset, int64_t row)
{
    return (offset + row) / ((int64_t)THREADS * product->items);
}

static void write_rows(struct product *product, int64_t t, struct tile *tile)
{
    const int64_t *offsets = product->A.offsets;
    int64_t first_tile = tile_of(product, offsets[tile->row], tile->row);
    for (int warp = 1; warp < WARPS; warp++) {
        double *sum = &tile->items[tile->entries + tile->before[warp * LANES]];
        if (warp_has_end(tile, warp))
            *sum = add(product, open_before(product, tile, warp), *sum);
    }
    for (int r = 0; r < tile->rows && tile->row + r < product->A.n; r++) {
        double sum = tile->items[tile->entries + r];
        if (r == 0 && first_tile < t)
            product->parts[product->count++] = (struct part){t, first_tile, t, tile->row, sum};
        else
            product->y[tile->row + r] = sum;
    }
    int64_t next = tile->row + tile->rows;
    int byte = cuda_merge_byte(THREADS * product->items - 1, product->items);
    if (next < product->A.n && (tile->words[byte / 4] >> 8 * (byte % 4) & 1) == 0)
        product->parts[product->count++] = (struct part){t, tile->rows > 0 ? t : first_tile,
                                                         tile_of(product, offsets[next + 1], next),
                                                         next, open_before(product, tile, WARPS)};
}

/* ---- the rows that tiles cut ----------------------------------------------------------------- */

static void put(double *slot, double sum)
{
    ck_assert_msg(isnan(*slot), "a slot is taken");
    *slot = sum;
}

static double take(double *slot)
{
    double sum = *slot;
    ck_assert_msg(!isnan(sum), "a slot is empty");
    *slot = NAN;
    return sum;
}

static void bring(struct product *product, const struct part *part)
{
    int64_t first = part->first, parts = part->last - first + 1;
    if (parts == 2) {
        if (isnan(product->tails[first]))
            put(&product->tails[first], part->sum);
        else
            product->y[part->row] = add(product, take(&product->tails[first]), part->sum);
        return;
    }
    put(part->tile == first ? &product->tails[first] : &product->heads[part->tile], part->sum);
    if (++product->arrived[first] < parts)
        return;
    double lanes[LANES] = {0};
    for (int64_t p = 0; p < parts; p++)
        lanes[p % LANES] += take(p == 0 ? &product->tails[first] : &product->heads[first + p]);
    for (int half = LANES / 2; half >= 1; half /= 2)
        for (int l = 0; l < half; l++)
            lanes[l] = lanes[l] + lanes[l + half];
    product->arrived[first] = 0;
    product->y[part->row] = rounded(product, lanes[0]);
}

static void shuffle(struct part *parts, int64_t count, uint64_t *state)
{
    for (int64_t last = count - 1; last > 0; last--) {
        int64_t other = test_random_below(state, last + 1);
        struct part kept = parts[last];
        parts[last] = parts[other];
        parts[other] = kept;
    }
}

/* ---- a product ---------------------------------------------------------------------------------
 */

static void *array(int64_t count, size_t size)
{
    struct error error;
    void *made = memory_zeros(count, size, "a twin's array", &error);
    ck_assert_ptr_nonnull(made);
    return made;
}

/* Everything that its precision rounds, rounded. The caller frees what x becomes. */
static struct product begin(const struct csr *A, enum precision precision, int items,
                            const double *x, double *y)
{
    struct error error;
    struct product product = {.single = precision == PRECISION_FLOAT, .items = items, .y = y};
    expect_ok(csr_expand(A, &product.A, &error), &error);
    for (int64_t k = 0; k < product.A.nnz && precision != PRECISION_DOUBLE; k++)
        product.A.values[k] = (float)product.A.values[k];
    double *rounded_x = array(A->width, sizeof *rounded_x);
    for (int64_t j = 0; j < A->width; j++)
        rounded_x[j] = rounded(&product, x[j]);
    product.x = rounded_x;
    product.tiles = cuda_merge_tiles(product.A.n, product.A.nnz, items);
    product.parts = array(2 * product.tiles, sizeof *product.parts);
    product.tails = array(product.tiles, sizeof *product.tails);
    product.heads = array(product.tiles, sizeof *product.heads);
    product.arrived = array(product.tiles, sizeof *product.arrived);
    for (int64_t t = 0; t < product.tiles; t++)
        product.tails[t] = product.heads[t] = NAN;
    return product;
}

static void end(struct product *product)
{
    for (int64_t t = 0; t < product->tiles; t++)
        ck_assert_msg(isnan(product->tails[t]) && isnan(product->heads[t]) &&
                          product->arrived[t] == 0,
                      "tile %d leaves a part in its slots", (int)t);
    memory_free((void *)product->x);
    memory_free(product->parts);
    memory_free(product->tails);
    memory_free(product->heads);
    memory_free(product->arrived);
    csr_free(&product->A);
}

void merge_twin(const struct csr *A, enum precision precision, int items, uint64_t seed,
                const double *x, double *y)
{
    struct product product = begin(A, precision, items, x, y);
    struct tile tile = {.words = array(THREADS * (items + 1) / 4, sizeof *tile.words),
                        .items = array(THREADS * items, sizeof *tile.items)};
    for (int64_t t = 0; t < product.tiles; t++) {
        read_tile(&product, t, &tile);
        walk(&product, &tile);
        for (int warp = 0; warp < WARPS; warp++)
            join_lanes(&product, &tile, warp);
        write_rows(&product, t, &tile);
    }
    shuffle(product.parts, product.count, &seed);
    for (int64_t p = 0; p < product.count; p++)
        bring(&product, &product.parts[p]);
    memory_free(tile.words);
    memory_free(tile.items);
    end(&product);
}

/* The operations of the CPU space on vectors side by side: a tile of cgsolve/sum_order.h of w stays
 * in the first-level cache while the columns of V go by once. */
#include "space/cpu.h"

#include "base/memory.h"
#include "base/multiversion.h"
#include "base/threads.h"
#include "space/cpu_sum.h"

#include <math.h>
#include <stdbool.h>

static int64_t tile_length(int64_t n, int64_t tile)
{
    int64_t left = n - tile * SUM_TILE;
    return left < SUM_TILE ? left : SUM_TILE;
}

struct dot_work {
    int64_t n, tiles;
    const struct panel *V;
    const double *w;
    double *terms; /* [V->count][tiles] */
    double *c;
};

static void dot_tiles(void *context, int64_t first, int64_t last)
{
    const struct dot_work *work = context;
    const struct panel *V = work->V;
    for (int64_t tile = first; tile < last; tile++)
        for (int64_t k = 0; k < V->count; k++)
            work->terms[k * work->tiles + tile] =
                sum_tile_dot(V->values + k * V->stride + tile * SUM_TILE, work->w + tile * SUM_TILE,
                             tile_length(work->n, tile));
}

static void dot_columns(void *context, int64_t first, int64_t last)
{
    const struct dot_work *work = context;
    for (int64_t k = first; k < last; k++)
        work->c[k] = sum_levels(work->terms + k * work->tiles, work->tiles);
}

enum status cpu_panel_dot(struct space *space, int64_t n, const struct panel *V, const double *w,
                          double *c, struct error *error)
{
    enum status status = STATUS_OK;
    if (space->reductions != REDUCTIONS_REPRODUCIBLE) {
        for (int64_t k = 0; k < V->count && !status; k++)
            status = cpu_dot(space, n, V->values + k * V->stride, w, &c[k], error);
        return status;
    }
    struct space_cpu *cpu = space_cpu_of(space);
    int64_t tiles = sum_tiles(n), columns = V->count;
    status = memory_grow((void **)&cpu->tiles, &cpu->tiles_capacity, (tiles * columns + 1) / 2,
                         sizeof *cpu->tiles, "the sums of the tiles", error);
    if (status)
        return status;
    struct dot_work work = {n, tiles, V, w, (double *)cpu->tiles, c};
    threads_each(tiles, dot_tiles, &work);
    threads_each(columns, dot_columns, &work);
    return STATUS_OK;
}

/* Four columns at a time: w goes to registers and back once for them. */
MULTIVERSION static void subtract_columns(int64_t count, const struct panel *V, int64_t begin,
                                          const double *c, double *restrict w)
{
    int64_t k = 0, stride = V->stride;
    for (; k + 4 <= V->count; k += 4) {
        const double *v = V->values + k * stride + begin;
        double c0 = c[k], c1 = c[k + 1], c2 = c[k + 2], c3 = c[k + 3];
        for (int64_t i = 0; i < count; i++) {
            double wi = fma(-c1, v[stride + i], fma(-c0, v[i], w[i]));
            w[i] = fma(-c3, v[3 * stride + i], fma(-c2, v[2 * stride + i], wi));
        }
    }
    for (; k < V->count; k++)
        for (int64_t i = 0; i < count; i++)
            w[i] = fma(-c[k], V->values[k * stride + begin + i], w[i]);
}

struct subtraction {
    int64_t n;
    const struct panel *V;
    const double *c;
    double *w;
    double *terms; /* w . w of every tile, or NULL */
};

static void subtract_tiles(void *context, int64_t first, int64_t last)
{
    const struct subtraction *work = context;
    for (int64_t tile = first; tile < last; tile++) {
        int64_t begin = tile * SUM_TILE, count = tile_length(work->n, tile);
        double *w = work->w + begin;
        subtract_columns(count, work->V, begin, work->c, w);
        if (work->terms)
            work->terms[tile] = sum_tile_dot(w, w, count);
    }
}

enum status cpu_panel_axmy_norm_squared(struct space *space, int64_t n, const struct panel *V,
                                        const double *c, double *w, double *result,
                                        struct error *error)
{
    struct space_cpu *cpu = space_cpu_of(space);
    bool fused = space->reductions == REDUCTIONS_REPRODUCIBLE;
    int64_t tiles = sum_tiles(n);
    enum status status = memory_grow((void **)&cpu->tiles, &cpu->tiles_capacity, tiles,
                                     sizeof *cpu->tiles, "the sums of the tiles", error);
    if (status)
        return status;
    double *terms = (double *)cpu->tiles;
    threads_each(tiles, subtract_tiles, &(struct subtraction){n, V, c, w, fused ? terms : NULL});
    if (!fused)
        return cpu_dot(space, n, w, w, result, error);
    *result = sum_levels(terms, tiles);
    return STATUS_OK;
}

enum { ROWS = 16, COLUMNS = 4 };

/* made[wanted][ROWS] from old[count][ROWS]: COLUMNS sums of ROWS rows at a time in registers. */
MULTIVERSION static void multiply_rows(int64_t count, int64_t wanted, const double *restrict old,
                                       const double *restrict S, double *restrict made)
{
    for (int64_t j = 0; j < wanted; j += COLUMNS) {
        int64_t together = wanted - j < COLUMNS ? wanted - j : COLUMNS;
        double sum[COLUMNS][ROWS] = {{0}};
        if (together == COLUMNS)
            for (int64_t k = 0; k < count; k++)
                for (int c = 0; c < COLUMNS; c++)
                    for (int r = 0; r < ROWS; r++)
                        sum[c][r] = fma(old[k * ROWS + r], S[(j + c) * count + k], sum[c][r]);
        else
            for (int64_t c = 0; c < together; c++)
                for (int64_t k = 0; k < count; k++)
                    for (int r = 0; r < ROWS; r++)
                        sum[c][r] = fma(old[k * ROWS + r], S[(j + c) * count + k], sum[c][r]);
        for (int64_t c = 0; c < together; c++)
            for (int r = 0; r < ROWS; r++)
                made[(j + c) * ROWS + r] = sum[c][r];
    }
}

/* ROWS rows of a panel, to or from a place of their own; those past the end are 0. */
static void copy_rows(int64_t n, const struct panel *V, int64_t columns, int64_t begin, bool out,
                      double *rows)
{
    int64_t count = n - begin < ROWS ? n - begin : ROWS;
    for (int64_t k = 0; k < columns; k++)
        for (int64_t r = 0; r < ROWS; r++) {
            if (!out)
                rows[k * ROWS + r] = r < count ? V->values[k * V->stride + begin + r] : 0;
            else if (r < count)
                V->values[k * V->stride + begin + r] = rows[k * ROWS + r];
        }
}

struct rotation {
    int64_t n, wanted;
    const struct panel *V;
    const double *S;
    double *rows; /* [shares][V->count + wanted][ROWS] */
    int64_t shares;
};

static void multiply_shares(void *context, int64_t first, int64_t last)
{
    const struct rotation *work = context;
    const struct panel *V = work->V;
    int64_t groups = (work->n + ROWS - 1) / ROWS;
    for (int64_t share = first; share < last; share++) {
        double *old = work->rows + share * (V->count + work->wanted) * ROWS;
        double *made = old + V->count * ROWS;
        int64_t group = groups * share / work->shares, end = groups * (share + 1) / work->shares;
        for (; group < end; group++) {
            copy_rows(work->n, V, V->count, group * ROWS, false, old);
            multiply_rows(V->count, work->wanted, old, work->S, made);
            copy_rows(work->n, V, work->wanted, group * ROWS, true, made);
        }
    }
}

enum status cpu_panel_multiply(struct space *space, int64_t n, const struct panel *V,
                               const double *S, int64_t wanted, struct error *error)
{
    (void)space;
    int64_t size = (V->count + wanted) * ROWS, shares = threads_count();
    double *rows = memory_array(shares * size, sizeof *rows, "rows of the basis", error);
    if (!rows)
        return STATUS_MEMORY;
    threads_each(shares, multiply_shares, &(struct rotation){n, wanted, V, S, rows, shares});
    memory_free(rows);
    return STATUS_OK;
}

MULTIVERSION static void divide(int64_t count, double norm, double *v)
{
    for (int64_t i = 0; i < count; i++)
        v[i] = v[i] / norm;
}

struct normalisation {
    double norm;
    double *v;
};

static void divide_elements(void *context, int64_t begin, int64_t end)
{
    const struct normalisation *work = context;
    divide(end - begin, work->norm, work->v + begin);
}

enum status cpu_normalise(struct space *space, int64_t n, const double *norm_squared, double *norm,
                          double *v, struct error *error)
{
    (void)space;
    (void)error;
    double length = sqrt(*norm_squared);
    threads_each(n, divide_elements, &(struct normalisation){length, v});
    *norm = length;
    return STATUS_OK;
}

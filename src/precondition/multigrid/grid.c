#include "precondition/multigrid/grid.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { MOST_OFFSETS = 13, TILE = 4096 };

/* The distances column - row in cells that occur right of the diagonal, ascending. */
struct offsets {
    int count; /* -1: more than a grid has */
    int64_t of[MOST_OFFSETS];
};

static void offsets_add(struct offsets *offsets, int64_t offset)
{
    int at = 0;
    while (at < offsets->count && offsets->of[at] < offset)
        at++;
    if (offsets->count < 0 || (at < offsets->count && offsets->of[at] == offset))
        return;
    if (offsets->count == MOST_OFFSETS) {
        offsets->count = -1;
        return;
    }
    memmove(offsets->of + at + 1, offsets->of + at,
            (size_t)(offsets->count - at) * sizeof *offsets->of);
    offsets->of[at] = offset;
    offsets->count++;
}

static struct offsets offsets_find(const struct csr *A, int64_t block)
{
    struct offsets all = {0};
#pragma omp parallel
    {
        struct offsets own = {0};
#pragma omp for schedule(static)
        for (int64_t i = 0; i < A->n; i++)
            for (int64_t k = A->offsets[i] + 1; k < A->offsets[i + 1] && own.count >= 0; k++) {
                int64_t offset = A->columns[k] / block - i / block;
                if (offset > 0)
                    offsets_add(&own, offset);
            }
#pragma omp critical
        {
            for (int k = 0; k < own.count; k++)
                offsets_add(&all, own.of[k]);
            if (own.count < 0)
                all.count = -1;
        }
    }
    return all;
}

/* How far the neighbour lies along each axis. False: further than one cell. */
static bool step_of(const struct cells *cells, int64_t offset, int step[3])
{
    for (int axis = 0; axis < 3; axis++) {
        int64_t n = cells->n[axis], rest = offset % n; /* a step back is n - 1 ahead */
        if (axis == 2)
            rest = offset;
        step[axis] = rest == 0 ? 0 : rest == 1 ? 1 : rest == n - 1 && axis < 2 ? -1 : 2;
        if (step[axis] == 2)
            return false;
        offset = axis == 2 ? 0 : (offset - step[axis]) / n;
    }
    return true;
}

struct cell {
    int64_t at[3];
};

static struct cell cell_of(const struct cells *cells, int64_t node)
{
    int64_t row = node / cells->n[0];
    return (struct cell){{node % cells->n[0], row % cells->n[1], row / cells->n[1]}};
}

static bool has_neighbour(const struct cells *cells, const struct cell *cell, const int step[3])
{
    for (int axis = 0; axis < 3; axis++) {
        int64_t to = cell->at[axis] + step[axis];
        if (to < 0 || to >= cells->n[axis])
            return false;
    }
    return true;
}

/* Whether no entry leads over the side of the grid. */
static bool fits(const struct csr *A, const struct cells *cells, const struct offsets *offsets)
{
    int steps[MOST_OFFSETS][3];
    for (int k = 0; k < offsets->count; k++)
        if (!step_of(cells, offsets->of[k], steps[k]))
            return false;
    bool right = true;
#pragma omp parallel for schedule(static) reduction(&& : right)
    for (int64_t i = 0; i < A->n; i++) {
        struct cell cell = cell_of(cells, i / cells->block);
        for (int64_t k = A->offsets[i] + 1; k < A->offsets[i + 1] && right; k++) {
            int64_t offset = A->columns[k] / cells->block - i / cells->block;
            int place = 0;
            while (offset > 0 && offsets->of[place] != offset)
                place++;
            right = offset == 0 || has_neighbour(cells, &cell, steps[place]);
        }
    }
    return right;
}

/* The cells of a line, and those of a plane, by the distances: the neighbour along the next axis,
 * or one beside it, is the nearest of those that are not in the line (the plane). */
struct cells cells_find(const struct csr *A, int64_t block)
{
    struct cells none = {0}, cells = {.block = block};
    struct offsets offsets = offsets_find(A, cells.block);
    int64_t nodes = A->n / cells.block;
    if (offsets.count < 1 || offsets.of[0] != 1)
        return none;
    for (int k = 0; k < 2 * offsets.count; k++) {
        int64_t line = k == 0 ? nodes : offsets.of[k / 2] + k % 2;
        if (line < 2 || nodes % line != 0)
            continue;
        for (int m = 0; m < 4 * offsets.count; m++) {
            int64_t beside[4] = {0, 1, line, line + 1};
            int64_t plane = m == 0 ? nodes : offsets.of[m / 4] + beside[m % 4];
            if (plane < line || plane % line != 0 || nodes % plane != 0)
                continue;
            cells.n[0] = line;
            cells.n[1] = plane / line;
            cells.n[2] = nodes / plane;
            if (fits(A, &cells, &offsets)) {
                memcpy(cells.first, cells.n, sizeof cells.first);
                memcpy(cells.before, cells.n, sizeof cells.before);
                return cells;
            }
        }
    }
    return none;
}

/* One sum and one count for each axis. */
struct coupling {
    double sum[3];
    int64_t count[3];
};

static void couple(const struct csr *A, const struct cells *cells, int64_t begin, int64_t end,
                   struct coupling *coupling)
{
    int64_t distance[3] = {1, cells->n[0], cells->n[0] * cells->n[1]};
    for (int64_t i = begin; i < end; i++)
        for (int64_t k = A->offsets[i] + 1; k < A->offsets[i + 1]; k++) {
            int64_t offset = A->columns[k] / cells->block - i / cells->block;
            for (int axis = 0; axis < 3; axis++)
                if (cells->n[axis] > 1 && offset == distance[axis]) {
                    coupling->sum[axis] += fabs(A->values[k]);
                    coupling->count[axis]++;
                    break;
                }
        }
}

enum status cells_strengths(const struct csr *A, const struct cells *cells, double strength[3],
                            struct error *error)
{
    int64_t tiles = (A->n + TILE - 1) / TILE;
    struct coupling *of = memory_zeros(tiles, sizeof *of, "the couplings of a grid", error);
    if (!of)
        return STATUS_MEMORY;
#pragma omp parallel for schedule(static)
    for (int64_t t = 0; t < tiles; t++)
        couple(A, cells, t * TILE, (t + 1) * TILE < A->n ? (t + 1) * TILE : A->n, &of[t]);
    struct coupling all = {0};
    for (int64_t t = 0; t < tiles; t++)
        for (int axis = 0; axis < 3; axis++) {
            all.sum[axis] += of[t].sum[axis];
            all.count[axis] += of[t].count[axis];
        }
    for (int axis = 0; axis < 3; axis++)
        strength[axis] = all.count[axis] > 0 ? all.sum[axis] / (double)all.count[axis] : 0;
    memory_free(of);
    return STATUS_OK;
}

/* Aggregates along an axis of at least 2 cells. */
static int64_t halved_size(const struct cells *cells, int axis)
{
    int64_t n = cells->n[axis];
    int halvings = cells->halvings[axis];
    double last = cells_width(cells, axis, halvings, n, n - 1);
    return n % 2 == 1 && 2 * last > cells_width(cells, axis, halvings, n, 0) ? n / 2 + 1 : n / 2;
}

/* The aggregate of a cell along an axis: behind the last pair is nothing but that. */
static int64_t joined(const struct cells *cells, int axis, int64_t at)
{
    int64_t pair = cells_halved(cells, axis) ? at / 2 : at;
    return pair < cells->n[axis] ? pair : cells->n[axis] - 1;
}

enum status cells_aggregate(struct cells *cells, const bool halved[3], struct aggregates *a,
                            struct error *error)
{
    struct cells fine = *cells;
    for (int axis = 0; axis < 3; axis++) {
        cells->before[axis] = fine.n[axis];
        cells->n[axis] = halved[axis] ? halved_size(&fine, axis) : fine.n[axis];
        cells->halvings[axis] += halved[axis];
    }
    int64_t block = fine.block;
    *a = (struct aggregates){.n = fine.n[0] * fine.n[1] * fine.n[2] * block,
                             .count = cells->n[0] * cells->n[1] * cells->n[2] * block};
    a->map = memory_array(a->n, sizeof *a->map, "the aggregates", error);
    if (!a->map)
        return STATUS_MEMORY;
#pragma omp parallel for schedule(static)
    for (int64_t line = 0; line < fine.n[1] * fine.n[2]; line++) {
        int64_t y = line % fine.n[1], z = line / fine.n[1];
        int64_t above = (joined(cells, 2, z) * cells->n[1] + joined(cells, 1, y)) * cells->n[0];
        int32_t *map = a->map + line * fine.n[0] * block;
        for (int64_t x = 0; x < fine.n[0]; x++)
            for (int64_t c = 0; c < block; c++)
                map[x * block + c] = (int32_t)((above + joined(cells, 0, x)) * block + c);
    }
    enum status status = aggregates_list(a, error);
    if (status)
        aggregates_free(a);
    return status;
}

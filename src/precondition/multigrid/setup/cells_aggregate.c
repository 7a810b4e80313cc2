#include "base/memory.h"
#include "precondition/multigrid/setup/grid.h"
#include "precondition/multigrid/setup/grid_rows.h"
#include "space/define_pass.h"
#include "space/rows.h"
#include "space/sum/sum_order.h"

struct aggregating {
    struct cells cells;
    struct aggregates made;
};

PASS_AT(aggregating, aggregating)
{
    const struct aggregates *made = &work->made;
    made->offsets[i] = aggregate_list(&work->cells, i, made->map, made->members);
    if (i == made->count - 1)
        made->offsets[made->count] = (int32_t)made->n;
}

ELEMENTS_AT(aggregating, aggregating)
PASS(pass_aggregating, aggregating, aggregating, .name = "the aggregates", .always = true)

#ifndef __CUDACC__
static int64_t rows_of(const int64_t n[3], int64_t block)
{
    return n[0] * n[1] * n[2] * block;
}

enum status cells_aggregate(struct cells *cells, const bool halved[3], struct space *space,
                            struct aggregates *a, struct error *error)
{
    static const char what[] = "the aggregates";
    cells_halve(cells, halved);
    *a = (struct aggregates){.space = space,
                             .n = rows_of(cells->before, cells->block),
                             .count = rows_of(cells->n, cells->block)};
    enum status status = rows_array(space, a->n, sizeof *a->map, what, (void **)&a->map, error);
    if (!status)
        status =
            rows_array(space, a->count + 1, sizeof *a->offsets, what, (void **)&a->offsets, error);
    if (!status)
        status = rows_array(space, a->n, sizeof *a->members, what, (void **)&a->members, error);
    if (!status)
        status =
            rows_run(space, &pass_aggregating, a->count, &(struct aggregating){*cells, *a}, error);
    if (status)
        aggregates_free(a);
    return status;
}

/* The last row of aggregate I; they ascend. */
static int64_t aggregate_last(const struct cells *cells, int64_t I)
{
    struct cell at = cell_of(cells->n, I / cells->block);
    int64_t last = 0;
    for (int axis = 2; axis >= 0; axis--)
        last = last * cells->before[axis] + cells_begin(cells, axis, at.at[axis] + 1) - 1;
    return last * cells->block + I % cells->block;
}

/* How far the first and the last row of an aggregate are apart, at the most. */
static int64_t farthest(const struct cells *cells)
{
    int64_t rows = 0;
    for (int axis = 2; axis >= 0; axis--) {
        int64_t most = 1, n = cells->n[axis];
        for (int64_t at = n > 2 ? n - 2 : 0; at < n; at++) { /* the last two tell */
            int64_t width = cells_begin(cells, axis, at + 1) - cells_begin(cells, axis, at);
            most = width > most ? width : most;
        }
        rows = rows * cells->before[axis] + most - 1;
    }
    return rows * cells->block;
}

enum status cells_by_tiles(const struct cells *cells, struct tiled_elements *made,
                           struct error *error)
{
    enum { FEWER = 32 };
    int64_t tiles = sum_tiles(rows_of(cells->before, cells->block));
    int64_t count = rows_of(cells->n, cells->block), reach = sum_tiles(farthest(cells));
    *made = (struct tiled_elements){0};
    if (FEWER * reach > tiles)
        return STATUS_OK;
    int64_t *begin = memory_array(tiles + 1, sizeof *begin, "the aggregates", error);
    if (!begin)
        return STATUS_MEMORY;
    for (int64_t t = 0; t <= tiles; t++) {
        int64_t least = t > 0 ? begin[t - 1] : 0, most = count;
        while (least < most) {
            int64_t middle = least + (most - least) / 2;
            if (aggregate_last(cells, middle) < t * SUM_TILE)
                least = middle + 1;
            else
                most = middle;
        }
        begin[t] = least;
    }
    *made = (struct tiled_elements){count, begin, reach};
    return STATUS_OK;
}
#endif

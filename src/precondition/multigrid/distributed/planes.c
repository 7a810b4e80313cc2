#include "precondition/multigrid/distributed/planes.h"

#include "precondition/multigrid/setup/grid.h"
#include "space/sum/sum_order.h"

int planes_axis(const struct cells *cells)
{
    return cells->n[2] > 1 ? 2 : cells->n[1] > 1 ? 1 : 0;
}

int64_t planes_rows(const struct cells *cells)
{
    int64_t rows = cells->block;
    for (int axis = 0; axis < planes_axis(cells); axis++)
        rows *= cells->n[axis];
    return rows;
}

/* Those of a plane of the next level, at the least. */
static int64_t halved_rows(const struct cells *cells)
{
    int64_t rows = cells->block;
    for (int axis = 0; axis < planes_axis(cells); axis++)
        rows *= cells->n[axis] > 1 ? cells->n[axis] / 2 : 1;
    return rows;
}

struct planes planes_of(const struct cells *cells, const struct partition *partition, int r)
{
    int64_t rows = planes_rows(cells), next = halved_rows(cells), n = cells->n[planes_axis(cells)];
    int64_t more = 2 + 2 * ((SUM_TILE / 2 + next - 1) / next) +
                   survey_tile(cells_count(cells)) * cells->block / rows;
    int64_t first = partition->begin[r] / rows - more;
    int64_t last = (partition->begin[r + 1] + rows - 1) / rows + more;
    first = first > 0 ? first / 2 * 2 : 0;
    last = (last + 1) / 2 * 2;
    return (struct planes){first, last + 2 < n ? last : n};
}

struct cells planes_cells(const struct cells *all, struct planes planes)
{
    struct cells cells = *all;
    int axis = planes_axis(all), halvings = all->halvings[axis];
    int64_t end = planes.last < all->n[axis] ? planes.last << halvings : all->first[axis];
    cells.n[axis] = planes.last - planes.first;
    cells.first[axis] = end - (planes.first << halvings);
    return cells;
}

struct planes planes_halve(struct planes planes, const struct cells *cells,
                           const struct cells *next)
{
    int axis = planes_axis(cells), halved = next->n[axis] < cells->n[axis];
    return (struct planes){planes.first >> halved,
                           planes.last == cells->n[axis] ? next->n[axis] : planes.last >> halved};
}

#include "problem/grid.h"

const char grid_too_large[] = "the product of the sizes passes 2147483647 rows";

int64_t grid_rows(const int64_t n[3])
{
    int64_t rows = 1;
    for (int axis = 0; axis < 3; axis++) {
        if (n[axis] < 1 || n[axis] > INT32_MAX / rows)
            return -1;
        rows *= n[axis];
    }
    return rows;
}

struct grid_point grid_point_of(const struct grid *grid, int64_t row)
{
    const int64_t *n = grid->n;
    return (struct grid_point){{row % n[0], row / n[0] % n[1], row / n[0] / n[1]}};
}

int64_t grid_stride(const struct grid *grid, int axis)
{
    const int64_t *n = grid->n;
    return axis == 0 ? 1 : axis == 1 ? n[0] : n[0] * n[1];
}

bool grid_has_next(const struct grid *grid, const struct grid_point *point, int axis)
{
    return grid->coupled[axis] && point->index[axis] + 1 < grid->n[axis];
}

/* Entries of the rows before `row`: each row has its diagonal and one entry an axis, except the
 * last cell of that axis. Counted in closed form, so that rows can be filled in parallel. */
static int64_t entries_before(const struct grid *grid, int64_t row)
{
    const int64_t *n = grid->n;
    int64_t line = row / n[0], plane = line / n[1];
    int64_t entries = row;
    if (grid->coupled[0])
        entries += row - line;
    if (grid->coupled[1]) {
        int64_t in_last_line = row % (n[0] * n[1]) - n[0] * (n[1] - 1);
        entries += row - plane * n[0] - (in_last_line > 0 ? in_last_line : 0);
    }
    if (grid->coupled[2]) {
        int64_t in_last_plane = row - n[0] * n[1] * (n[2] - 1);
        entries += row - (in_last_plane > 0 ? in_last_plane : 0);
    }
    return entries;
}

enum status grid_create(const struct grid *grid, struct csr *A, struct error *error)
{
    int64_t rows = grid_rows(grid->n);
    enum status status = csr_create(A, CSR_SYMMETRIC, rows, entries_before(grid, rows), error);
    if (status)
        return status;
#pragma omp parallel for schedule(static)
    for (int64_t row = 0; row <= rows; row++) {
        int64_t place = A->offsets[row] = entries_before(grid, row);
        if (row == rows)
            continue;
        struct grid_point point = grid_point_of(grid, row);
        A->columns[place++] = (int32_t)row;
        for (int axis = 0; axis < 3; axis++)
            if (grid_has_next(grid, &point, axis))
                A->columns[place++] = (int32_t)(row + grid_stride(grid, axis));
    }
    return STATUS_OK;
}

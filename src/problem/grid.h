/* A box of nx x ny x nz points, each with its neighbours along the three axes: the 7-point pattern.
 * Point (i, j, k), 0 <= i < nx, ..., is row i + nx (j + ny k). */
#ifndef PROBLEM_GRID_H
#define PROBLEM_GRID_H

#include "base/host_device.h"
#include "base/status.h"
#include "matrix/csr.h"

#include <stdbool.h>
#include <stdint.h>

struct grid {
    int64_t n[3];    /* nx, ny, nz >= 1 */
    bool coupled[3]; /* whether neighbours along the axis share an entry */
};

struct grid_point {
    int64_t index[3];
};

/* Rows nx ny nz, or -1 when they pass INT32_MAX or an n is below 1. */
int64_t grid_rows(const int64_t n[3]);

/* The same for a matrix that need not be stored: -1 only if the rows pass 2^40. */
#define GRID_ROWS_MADE_MOST (INT64_C(1) << 40)
int64_t grid_rows_made(const int64_t n[3]);

/* For the check of a component: the fault of these sizes, or NULL. */
extern const char grid_too_large[];

CGSOLVE_HOST_AND_DEVICE static inline struct grid_point grid_point_of(const struct grid *grid,
                                                                      int64_t row)
{
    const int64_t *n = grid->n;
    struct grid_point point = {{row % n[0], row / n[0] % n[1], row / n[0] / n[1]}};
    return point;
}

/* Whether place i of n lies in the middle half of its axis: n <= 4 i < 3 n. */
CGSOLVE_HOST_AND_DEVICE static inline bool grid_in_middle_of_axis(int64_t n, int64_t i)
{
    return 4 * i >= n && 4 * i < 3 * n;
}

/* Whether a cell lies in the middle half of each axis. */
CGSOLVE_HOST_AND_DEVICE static inline bool grid_in_middle(const int64_t n[3],
                                                          const struct grid_point *cell)
{
    for (int axis = 0; axis < 3; axis++)
        if (!grid_in_middle_of_axis(n[axis], cell->index[axis]))
            return false;
    return true;
}

/* Rows from a point to the next one along the axis. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t grid_stride(const struct grid *grid, int axis)
{
    const int64_t *n = grid->n;
    return axis == 0 ? 1 : axis == 1 ? n[0] : n[0] * n[1];
}

/* Whether it has an entry with the next point along the axis. */
CGSOLVE_HOST_AND_DEVICE static inline bool grid_has_next(const struct grid *grid,
                                                         const struct grid_point *point, int axis)
{
    return grid->coupled[axis] && point->index[axis] + 1 < grid->n[axis];
}

/* Entries of the rows before `row`: each row has its diagonal and one entry an axis, except the
 * last cell of that axis. Counted in closed form, so that rows can be filled in parallel. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t grid_entries_before(const struct grid *grid,
                                                                  int64_t row)
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

/* The columns of a row, counted from `base` on. */
CGSOLVE_HOST_AND_DEVICE static inline void grid_fill(const struct grid *grid, int64_t row,
                                                     int64_t base, int32_t *columns)
{
    struct grid_point point = grid_point_of(grid, row);
    *columns++ = (int32_t)(row - base);
    for (int axis = 0; axis < 3; axis++)
        if (grid_has_next(grid, &point, axis))
            *columns++ = (int32_t)(row - base + grid_stride(grid, axis));
}

/* The farthest next point. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t grid_reach(const struct grid *grid)
{
    int64_t reach = 0;
    for (int axis = 0; axis < 3; axis++)
        if (grid->coupled[axis] && grid->n[axis] > 1)
            reach = grid_stride(grid, axis);
    return reach;
}

/* The values of a row: of the diagonal, then of the next points along x, y and z, which are the
 * row's columns[count]. */
typedef void grid_values(const void *options, const struct grid *grid, int64_t row, int64_t count,
                         const int32_t *columns, double *values);

/* Make A of those rows, kind CSR_SYMMETRIC. The caller owns A. Errors: STATUS_MEMORY. */
enum status grid_create(const struct grid *grid, grid_values *values, const void *options,
                        struct csr *A, struct error *error);

#endif

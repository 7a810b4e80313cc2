/* A box of nx x ny x nz points, each with its neighbours along the three axes: the 7-point pattern.
 * Point (i, j, k), 0 <= i < nx, ..., is row i + nx (j + ny k). */
#ifndef PROBLEM_GRID_H
#define PROBLEM_GRID_H

#include "cgsolve/csr.h"
#include "cgsolve/status.h"

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

/* What the check of a component says of them. */
extern const char grid_too_large[];

struct grid_point grid_point_of(const struct grid *grid, int64_t row);

/* Rows from a point to the next one along the axis. */
int64_t grid_stride(const struct grid *grid, int axis);

/* Whether it has an entry with the next point along the axis. */
bool grid_has_next(const struct grid *grid, const struct grid_point *point, int axis);

/* Make A with its offsets and columns: the diagonal of each row, then its next points along x, y
 * and z. The values are not set. The caller owns A. Errors: STATUS_MEMORY. */
enum status grid_create(const struct grid *grid, struct csr *A, struct error *error);

#endif

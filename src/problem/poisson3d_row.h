/* One row of Poisson's matrix (poisson3d.c), for host and device. */
#ifndef PROBLEM_POISSON3D_ROW_H
#define PROBLEM_POISSON3D_ROW_H

#include "problem/generators.h"
#include "problem/grid.h"

CGSOLVE_HOST_AND_DEVICE static inline double poisson3d_kappa(const struct poisson3d *poisson,
                                                             const struct grid_point *cell)
{
    return poisson->jump != 1 && grid_in_middle(poisson->n, cell) ? poisson->jump : 1;
}

/* The coefficient of the face between a cell and its neighbour `step` (+1 or -1) along an axis; a
 * boundary face takes the cell's own kappa, or 0. Symmetric in the two cells, bit for bit. */
CGSOLVE_HOST_AND_DEVICE static inline double
poisson3d_face(const struct poisson3d *poisson, const struct grid_point *cell, int axis, int step)
{
    double own = poisson3d_kappa(poisson, cell);
    struct grid_point neighbour = *cell;
    neighbour.index[axis] += step;
    if (neighbour.index[axis] < 0 || neighbour.index[axis] == poisson->n[axis])
        return poisson->boundary == POISSON3D_NEUMANN ? 0 : poisson->weights[axis] * own;
    double other = poisson3d_kappa(poisson, &neighbour);
    return poisson->weights[axis] * (own == other ? own : 2 * own * other / (own + other));
}

CGSOLVE_HOST_AND_DEVICE static inline void poisson3d_fill(const struct poisson3d *poisson,
                                                          const struct grid *grid, int64_t row,
                                                          double *values)
{
    struct grid_point cell = grid_point_of(grid, row);
    double diagonal = 0;
    for (int axis = 0; axis < 3; axis++)
        diagonal +=
            poisson3d_face(poisson, &cell, axis, -1) + poisson3d_face(poisson, &cell, axis, 1);
    *values++ = diagonal + poisson->shift;
    for (int axis = 0; axis < 3; axis++)
        if (grid_has_next(grid, &cell, axis))
            *values++ = -poisson3d_face(poisson, &cell, axis, 1);
}

CGSOLVE_HOST_AND_DEVICE static inline struct grid poisson3d_grid(const struct poisson3d *poisson)
{
    struct grid grid;
    for (int axis = 0; axis < 3; axis++) {
        grid.n[axis] = poisson->n[axis];
        grid.coupled[axis] = poisson->weights[axis] > 0;
    }
    return grid;
}

/* One row for a maker (csr.h): its offset, or its entries. */
CGSOLVE_HOST_AND_DEVICE static inline void poisson3d_row(const struct poisson3d *poisson,
                                                         const struct grid *grid, int64_t first,
                                                         int64_t base, const struct csr *rows,
                                                         int64_t r)
{
    if (!rows->columns) {
        rows->offsets[r] = grid_entries_before(grid, first + r) - grid_entries_before(grid, first);
    } else if (r < rows->n) {
        grid_fill(grid, first + r, base, rows->columns + rows->offsets[r]);
        poisson3d_fill(poisson, grid, first + r, rows->values + rows->offsets[r]);
    }
}

/* The rows in a device's memory (struct csr_maker); options: a struct poisson3d. In the
 * CUDA part (base/cuda_part.h). */
#ifdef __cplusplus
extern "C"
#endif
    enum status
    poisson3d_cuda(const void *options, void *stream, int64_t first, int64_t base,
                   const struct csr *rows, struct error *error);

#endif

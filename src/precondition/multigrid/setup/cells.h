/* The cells of a grid and their neighbours, for host and device: numbers alone, no matrix. A cell
 * is coupled to the 26 around it at the most. */
#ifndef PRECONDITION_MULTIGRID_SETUP_CELLS_H
#define PRECONDITION_MULTIGRID_SETUP_CELLS_H

#include "base/host_device.h"

#include <stdbool.h>
#include <stdint.h>

struct cells {
    int64_t n[3];  /* along x, y, z; n[0] = 0: no grid. Cells are numbered along x first, z last */
    int64_t block; /* unknowns in each */

    /* Of each axis the mean of |a_ij| over all entries that couple neighbours along it; 0 where
     * there are none; and how many entries these are. */
    double strength[3];
    int64_t along;

    /* Where it came from: the sizes of the first grid, those of the one before, and how often each
     * axis was halved since the first one. */
    int64_t first[3], before[3];
    int halvings[3];
};

struct cell {
    int64_t at[3];
};

CGSOLVE_HOST_AND_DEVICE static inline struct cell cell_of(const int64_t n[3], int64_t number)
{
    int64_t line = number / n[0];
    struct cell cell = {{number % n[0], line % n[1], line / n[1]}};
    return cell;
}

/* Moves the cell ahead by that many numbers, >= 0. Few steps are faster than a division. */
CGSOLVE_HOST_AND_DEVICE static inline void cell_go_on(const int64_t n[3], int64_t ahead,
                                                      struct cell *cell)
{
    cell->at[0] += ahead;
    for (int axis = 0; axis < 2; axis++)
        for (; cell->at[axis] >= n[axis]; cell->at[axis + 1]++)
            cell->at[axis] -= n[axis];
}

static inline int64_t cells_count(const struct cells *cells)
{
    return cells->n[0] * cells->n[1] * cells->n[2];
}

/* --- neighbours ------------------------------------------------------------------------------- */

enum { NEIGHBOURS_MAX = 13, SURVEY_TILES = 8192, SURVEY_LANES = 32, SURVEY_STEP = 128 };

/* Those with greater numbers: first the ones along the axes, then the others. */
struct neighbours {
    int count, along; /* the first `along` lie along axes */
    int64_t offset[NEIGHBOURS_MAX];
    int step[NEIGHBOURS_MAX][3];
    int sorted[NEIGHBOURS_MAX]; /* by ascending offset */
    int at_step[27];            /* by neighbours_step: which one it is, or -1 */
    bool distinct;              /* no two have one offset */
};

/* A step of -1, 0 or 1 along each axis as one number. */
CGSOLVE_HOST_AND_DEVICE static inline int neighbours_step(int64_t x, int64_t y, int64_t z)
{
    return (int)(13 + x + 3 * y + 9 * z);
}

#ifdef __cplusplus
extern "C" {
#endif

struct neighbours neighbours_of(const struct cells *cells);

#ifdef __cplusplus
}
#endif

/* Whether the cell `times` steps away is one of the grid. */
CGSOLVE_HOST_AND_DEVICE static inline bool cell_has(const int64_t n[3], const struct cell *cell,
                                                    const int step[3], int times)
{
    for (int axis = 0; axis < 3; axis++) {
        int64_t to = cell->at[axis] + times * step[axis];
        if (to < 0 || to >= n[axis])
            return false;
    }
    return true;
}

/* Which neighbour of the cell lies so far ahead; -1: none. */
CGSOLVE_HOST_AND_DEVICE static inline int neighbour_at(const int64_t n[3],
                                                       const struct neighbours *all,
                                                       const struct cell *cell, int64_t offset)
{
    for (int k = 0; k < all->count; k++)
        if (all->offset[k] == offset && cell_has(n, cell, all->step[k], 1))
            return k;
    return -1;
}

/* The same of an offset that is known to be a neighbour's. */
CGSOLVE_HOST_AND_DEVICE static inline int neighbour_known_at(const int64_t n[3],
                                                             const struct neighbours *all,
                                                             const struct cell *cell,
                                                             int64_t offset)
{
    int k = 0;
    if (!all->distinct)
        return neighbour_at(n, all, cell, offset);
    while (all->offset[k] != offset)
        k++;
    return k;
}

/* --- aggregates of cells ---------------------------------------------------------------------- */

/* Whether an axis was halved last. */
CGSOLVE_HOST_AND_DEVICE static inline bool cells_halved(const struct cells *cells, int axis)
{
    return cells->n[axis] != cells->before[axis];
}

/* How many cells of the first grid the cell `at` of an axis is wide, which has n cells after so
 * many halvings: the last one has what is left. */
CGSOLVE_HOST_AND_DEVICE static inline double cells_width(const struct cells *cells, int axis,
                                                         int halvings, int64_t n, int64_t at)
{
    return (double)(at + 1 < n ? INT64_C(1) << halvings
                               : cells->first[axis] - ((n - 1) << halvings));
}

/* The aggregate of a cell of the grid before along an axis: behind the last pair is nothing but
 * that. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t cells_joined(const struct cells *cells, int axis,
                                                           int64_t at)
{
    int64_t pair = cells_halved(cells, axis) ? at / 2 : at;
    return pair < cells->n[axis] ? pair : cells->n[axis] - 1;
}

/* The first cell of the grid before that an aggregate has along an axis; of at = n the end. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t cells_begin(const struct cells *cells, int axis,
                                                          int64_t at)
{
    if (at == cells->n[axis])
        return cells->before[axis];
    return cells_halved(cells, axis) ? 2 * at : at;
}

#endif

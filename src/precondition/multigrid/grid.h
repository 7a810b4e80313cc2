/* A matrix on a grid: its rows are the cells of a box, numbered along x first, y second, z last,
 * with `block` unknowns in each, and a cell is coupled to the 26 around it at the most. */
#ifndef PRECONDITION_MULTIGRID_GRID_H
#define PRECONDITION_MULTIGRID_GRID_H

#include "precondition/multigrid/aggregates.h"

#include <stdbool.h>

struct cells {
    int64_t n[3]; /* along x, y, z; n[0] = 0: no grid */
    int64_t block;

    /* Of each axis the mean of |a_ij| over all entries that couple neighbours along it, sums in
     * tiles of 4096 cells; 0 where there are none. */
    double strength[3];

    /* Where it came from: the sizes of the first grid, those of the one before, and how often each
     * axis was halved since the first one. */
    int64_t first[3], before[3];
    int halvings[3];
};

/* Whether an axis was halved last. */
static inline bool cells_halved(const struct cells *cells, int axis)
{
    return cells->n[axis] != cells->before[axis];
}

/* How many cells of the first grid the cell `at` of an axis is wide, which has n cells after so
 * many halvings: the last one has what is left. */
static inline double cells_width(const struct cells *cells, int axis, int halvings, int64_t n,
                                 int64_t at)
{
    return (double)(at + 1 < n ? INT64_C(1) << halvings
                               : cells->first[axis] - ((n - 1) << halvings));
}

/* The grid of nodes of `block` rows that the places of A's entries tell; n[0] = 0: none. */
enum status cells_find(const struct csr *A, int64_t block, struct cells *cells,
                       struct error *error);

/* The strengths, of a matrix on the grid. Errors: STATUS_MEMORY. */
enum status cells_measure(const struct csr *A, struct cells *cells, struct error *error);

/* Aggregates of 2 cells along each axis that is `halved`; at the end of an odd one a cell is left
 * by itself, or joins the two before it where it has at most half their width. *cells becomes the
 * grid of the aggregates. Errors: STATUS_MEMORY. */
enum status cells_aggregate(struct cells *cells, const bool halved[3],
                            struct aggregates *aggregates, struct error *error);

#endif

/* Set-up on a grid, row by row. A device makes a coarse matrix and rescales it by places, with the
 * bits of coarse.c and rescale.c on the host. Place 0 of a row is its diagonal, place 1 + k its
 * neighbour k (cells.h). block_rows.h has coarse matrices of several unknowns a cell. */
#ifndef PRECONDITION_MULTIGRID_SETUP_GRID_ROWS_H
#define PRECONDITION_MULTIGRID_SETUP_GRID_ROWS_H

#include "base/host_device.h"
#include "matrix/csr.h"
#include "precondition/multigrid/setup/cells.h"
#include "precondition/multigrid/setup/rescale_rows.h"

#include <math.h>

/* --- the couplings of one cell ---------------------------------------------------------------- */

/* Adds |a_ij| of the entries that couple the node with neighbours along each axis to sum, of single
 * unknowns without those above 0, and their number to count; false: an entry couples no
 * neighbours. */
CGSOLVE_HOST_AND_DEVICE static inline bool survey_cell(const struct csr *A, const int64_t n[3],
                                                       const struct neighbours *all, uint32_t block,
                                                       int64_t node, const struct cell *cell,
                                                       double sum[3], int64_t count[3])
{
    const int own = INT32_MAX;
    uint32_t first = (uint32_t)node * block; /* column of the cell that was met last */
    int which = own;
    for (int64_t i = node * block; i < (node + 1) * block; i++) {
        const struct csr_row row = csr_row_at(A, i);
        for (int64_t k = 0; k < row.count; k++) {
            uint32_t column = (uint32_t)(row.from + row.columns[k]);
            if (column - first >= block) {
                int64_t other = column / block;
                first = (uint32_t)other * block;
                which = other == node ? own : neighbour_at(n, all, cell, other - node);
            }
            if (which < 0)
                return false;
            if (which >= all->along)
                continue;
            double value = row.values[k], size = block == 1 && value > 0 ? 0 : fabs(value);
            for (int axis = 0; axis < 3; axis++)
                if (all->step[which][axis]) {
                    sum[axis] += size;
                    count[axis]++;
                }
        }
    }
    return true;
}

/* --- one aggregate ---------------------------------------------------------------------------- */

/* The first row of aggregate I. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t aggregate_first(const struct cells *cells, int64_t I)
{
    struct cell at = cell_of(cells->n, I / cells->block);
    int64_t first = 0;
    for (int axis = 2; axis >= 0; axis--)
        first = first * cells->before[axis] + cells_begin(cells, axis, at.at[axis]);
    return first * cells->block + I % cells->block;
}

/* Lists the rows of aggregate I, which stand behind those of the planes, lines and aggregates
 * before it: at members + the result. map: I for each of them. */
CGSOLVE_HOST_AND_DEVICE static inline int32_t aggregate_list(const struct cells *cells, int64_t I,
                                                             int32_t *map, int32_t *members)
{
    int64_t block = cells->block, unknown = I % block;
    struct cell at = cell_of(cells->n, I / block);
    const int64_t *n = cells->before;
    int64_t begin[3], end[3];
    for (int axis = 0; axis < 3; axis++) {
        begin[axis] = cells_begin(cells, axis, at.at[axis]);
        end[axis] = cells_begin(cells, axis, at.at[axis] + 1);
    }
    int64_t size = (end[2] - begin[2]) * (end[1] - begin[1]) * (end[0] - begin[0]);
    int64_t cell = begin[2] * n[1] * n[0] +
                   (end[2] - begin[2]) * (begin[1] * n[0] + (end[1] - begin[1]) * begin[0]);
    int64_t first = cell * block + unknown * size, place = first;
    for (int64_t z = begin[2]; z < end[2]; z++)
        for (int64_t y = begin[1]; y < end[1]; y++)
            for (int64_t x = begin[0]; x < end[0]; x++) {
                int64_t row = (x + n[0] * (y + n[1] * z)) * block + unknown;
                members[place++] = (int32_t)row;
                map[row] = (int32_t)I;
            }
    return (int32_t)first;
}

/* --- one row of A_c --------------------------------------------------------------------------- */

enum { PLACES_MAX = 1 + NEIGHBOURS_MAX };

/* From A, on the cells that `cells` had before, to the aggregates. */
struct coarsening {
    struct csr A;
    struct cells cells;
    struct neighbours fine, coarse;
    bool crosses; /* A couples cells that lie beside no axis of each other */
};

/* The step from aggregate `at` to that of the cell `times` steps away from another one. */
CGSOLVE_HOST_AND_DEVICE static inline int coarsening_step(const struct coarsening *by,
                                                          const struct cell *at,
                                                          const struct cell *from,
                                                          const int step[3])
{
    int64_t to[3];
    for (int axis = 0; axis < 3; axis++)
        to[axis] = cells_joined(&by->cells, axis, from->at[axis] + step[axis]) - at->at[axis];
    return neighbours_step(to[0], to[1], to[2]);
}

/* The steps along an axis from aggregate `at` to the aggregates of three cells: the one before
 * `cell`, that one, and the next. */
CGSOLVE_HOST_AND_DEVICE static inline void coarsening_ways(const struct coarsening *by, int axis,
                                                           int64_t at, int64_t cell, int ways[3])
{
    for (int k = 0; k < 3; k++)
        ways[k] = (int)(cells_joined(&by->cells, axis, cell + k - 1) - at);
}

/* coarsening_step by the ways of a cell along each axis. */
CGSOLVE_HOST_AND_DEVICE static inline int coarsening_to(int ways[3][3], const int step[3])
{
    int to[3];
    for (int axis = 0; axis < 3; axis++)
        to[axis] = step[axis] == 0 ? ways[axis][1] : ways[axis][step[axis] > 0 ? 2 : 0];
    return neighbours_step(to[0], to[1], to[2]);
}

/* One stored entry, in column i + offset, of a row i that may belong to row I; from: the step from
 * its aggregate to that of the row's cell. */
CGSOLVE_HOST_AND_DEVICE static inline void coarsening_add(const struct coarsening *by,
                                                          int ways[3][3], const struct cell *cell,
                                                          int from, int64_t offset, double value,
                                                          double *sums, unsigned int *places)
{
    const int own = neighbours_step(0, 0, 0);
    int to = from;
    if (offset > 0)
        to = coarsening_to(
            ways, by->fine.step[neighbour_known_at(by->cells.before, &by->fine, cell, offset)]);
    if (from != own && to != own)
        return;
    int which = from == own ? to : from, place = which == own ? 0 : 1 + by->coarse.at_step[which];
    if (which != own && by->coarse.at_step[which] < 0)
        return;
    sums[place] = sums[place] + (from == to && offset > 0 ? 2 * value : value);
    *places |= 1u << place;
}

/* Row I by places: sums[1 + coarse.count], and bit p of the result for each place p that has an
 * entry. The order is that of coarse_matrix (aggregates.h). */
CGSOLVE_HOST_AND_DEVICE static inline unsigned int coarse_row(const struct coarsening *by,
                                                              int64_t I, double *sums)
{
    const struct cells *cells = &by->cells;
    const int64_t *n = cells->before;
    struct cell at = cell_of(cells->n, I), cell;
    int64_t begin[3], end[3];
    unsigned int places = 0;
    for (int p = 0; p <= by->coarse.count; p++)
        sums[p] = 0;
    for (int axis = 0; axis < 3; axis++) {
        begin[axis] = cells_begin(cells, axis, at.at[axis]);
        end[axis] = cells_begin(cells, axis, at.at[axis] + 1);
        if (by->crosses) { /* an entry may stand in a row of a later aggregate */
            begin[axis] -= begin[axis] > 0;
            end[axis] += end[axis] < n[axis];
        }
    }
    const int none[3] = {0, 0, 0};
    int ways[3][3];
    for (cell.at[2] = begin[2]; cell.at[2] < end[2]; cell.at[2]++) {
        coarsening_ways(by, 2, at.at[2], cell.at[2], ways[2]);
        for (cell.at[1] = begin[1]; cell.at[1] < end[1]; cell.at[1]++) {
            int64_t line = n[0] * (cell.at[1] + n[1] * cell.at[2]);
            coarsening_ways(by, 1, at.at[1], cell.at[1], ways[1]);
            for (cell.at[0] = begin[0]; cell.at[0] < end[0]; cell.at[0]++) {
                coarsening_ways(by, 0, at.at[0], cell.at[0], ways[0]);
                int from = coarsening_to(ways, none);
                int64_t i = line + cell.at[0];
                const struct csr_row row = csr_row_at(&by->A, i);
                for (int64_t k = 0; k < row.count; k++)
                    coarsening_add(by, ways, &cell, from, row.from + row.columns[k] - i,
                                   row.values[k], sums, &places);
            }
        }
    }
    return places;
}

/* --- one row of what becomes of A_c ----------------------------------------------------------- */

/* A_c by places, and what rescale.h says of it. */
struct grid_rows {
    struct cells cells;
    struct neighbours near;
    int64_t n;
    double *values;          /* [1 + near.count][n] */
    unsigned int *places;    /* [n] */
    double correction, most; /* g */
};

CGSOLVE_HOST_AND_DEVICE static inline bool grid_rows_has(const struct grid_rows *rows, int64_t I,
                                                         int place)
{
    return rows->places[I] >> place & 1;
}

/* Of the couplings between aggregate `at` along the axis and the next one. */
CGSOLVE_HOST_AND_DEVICE static inline double rescale_ratio(const struct cells *cells, int axis,
                                                           int64_t at)
{
    if (!cells_halved(cells, axis))
        return 1;
    int now = cells->halvings[axis];
    int64_t n = cells->n[axis], before = cells->before[axis];
    return (cells_width(cells, axis, now, n, at) + cells_width(cells, axis, now, n, at + 1)) /
           (cells_width(cells, axis, now - 1, before, 2 * at + 1) +
            cells_width(cells, axis, now - 1, before, 2 * at + 2));
}

/* f of two aggregates */
CGSOLVE_HOST_AND_DEVICE static inline double rescale_factor(const struct cells *cells,
                                                            double correction, const struct cell *I,
                                                            const struct cell *J)
{
    double most = 1;
    for (int axis = 0; axis < 3; axis++) {
        int64_t i = I->at[axis], j = J->at[axis];
        if (i != j)
            most = fmax(most, rescale_ratio(cells, axis, i < j ? i : j));
    }
    double f = 1 + (correction - 1) * (most - 1);
    return correction < 1 ? fmax(f, correction) : f;
}

/* g: the last aggregate of an axis may be wider than the others. */
CGSOLVE_HOST_AND_DEVICE static inline double rescale_most(const struct cells *cells,
                                                          double correction)
{
    double most = rescale_most_of(correction);
    for (int axis = 0; axis < 3 && cells->block == 1; axis++)
        if (cells->n[axis] > 1) {
            double ratio = rescale_ratio(cells, axis, cells->n[axis] - 2);
            most = fmax(most, 1 + (correction - 1) * (ratio - 1));
        }
    return most;
}

/* Neighbour k of I divided by f, or of the neighbour behind I. */
CGSOLVE_HOST_AND_DEVICE static inline double grid_rows_scaled(const struct grid_rows *rows, int k,
                                                              int64_t I, const struct cell *cell)
{
    struct cell next = *cell;
    for (int axis = 0; axis < 3; axis++)
        next.at[axis] += rows->near.step[k][axis];
    return rescale_coupling(rows->values[(1 + k) * rows->n + I],
                            rescale_factor(&rows->cells, rows->correction, cell, &next),
                            rows->most);
}

/* The neighbour k behind I, which is *J at *cell; false: it has no entry with I. */
CGSOLVE_HOST_AND_DEVICE static inline bool grid_rows_behind(const struct grid_rows *rows, int k,
                                                            int64_t I, const struct cell *at,
                                                            int64_t *J, struct cell *cell)
{
    const int *step = rows->near.step[k];
    if (!cell_has(rows->cells.n, at, step, -1))
        return false;
    *J = I - rows->near.offset[k];
    for (int axis = 0; axis < 3; axis++)
        cell->at[axis] = at->at[axis] - step[axis];
    return grid_rows_has(rows, *J, 1 + k);
}

/* S_I */
CGSOLVE_HOST_AND_DEVICE static inline double grid_rows_sum(const struct grid_rows *rows, int64_t I)
{
    struct cell at = cell_of(rows->cells.n, I), behind;
    double sum = 0;
    int64_t J;
    for (int s = rows->near.count - 1; s >= 0; s--) {
        int k = rows->near.sorted[s];
        if (grid_rows_behind(rows, k, I, &at, &J, &behind))
            sum += rows->values[(1 + k) * rows->n + J];
    }
    if (grid_rows_has(rows, I, 0))
        sum += rows->values[I];
    for (int s = 0; s < rows->near.count; s++) {
        int k = rows->near.sorted[s];
        if (grid_rows_has(rows, I, 1 + k))
            sum += rows->values[(1 + k) * rows->n + I];
    }
    return sum;
}

/* Row I of the level's matrix: its columns ascending, *columns and *values of them; returns how
 * many. */
CGSOLVE_HOST_AND_DEVICE static inline int grid_rows_rescaled(const struct grid_rows *rows,
                                                             int64_t I, double kept,
                                                             int32_t *columns, double *values)
{
    struct cell at = cell_of(rows->cells.n, I), behind;
    double couplings = 0;
    int count = 1;
    int64_t J;
    for (int s = rows->near.count - 1; s >= 0; s--) {
        int k = rows->near.sorted[s];
        if (grid_rows_behind(rows, k, I, &at, &J, &behind))
            couplings = fma(grid_rows_scaled(rows, k, J, &behind), 1.0, couplings);
    }
    for (int s = 0; s < rows->near.count; s++) {
        int k = rows->near.sorted[s];
        if (!grid_rows_has(rows, I, 1 + k))
            continue;
        columns[count] = (int32_t)(I + rows->near.offset[k]);
        values[count] = grid_rows_scaled(rows, k, I, &at);
        couplings = fma(values[count++], 1.0, couplings);
    }
    columns[0] = (int32_t)I;
    values[0] = kept - couplings;
    return count;
}

/* How many entries that row has. */
CGSOLVE_HOST_AND_DEVICE static inline int grid_rows_count(unsigned int places)
{
    int count = 0;
    for (places |= 1; places; places &= places - 1)
        count++;
    return count;
}

#endif

/* The coarse matrix of a grid of several unknowns a cell by places, row by row, on a device, with
 * the bits of coarse.c and rescale.c on the host. grid_rows.h has the functions for any number of
 * unknowns, and for grids of one.
 *
 * The coarse matrix is kept by places while it is made: place 0 of a row has the unknowns of its
 * own cell, place 1 + k those of its neighbour k (cells.h). The number of unknowns is the parameter
 * `block`, so that a device can have functions in which it is a constant. */
#ifndef PRECONDITION_MULTIGRID_SETUP_BLOCK_ROWS_H
#define PRECONDITION_MULTIGRID_SETUP_BLOCK_ROWS_H

#include "precondition/multigrid/setup/grid_rows.h"
#include "spmv/symmetric/blocks/sym_blocks.h"

enum { BLOCK_MAX = SYM_BLOCK_MAX, BLOCK_PLACES_MAX = (int)PLACES_MAX * SYM_BLOCK_MAX };

/* Which unknowns of which places a row has entries with: 8 bits a place. */
struct block_places {
    uint64_t bits[2];
};

CGSOLVE_HOST_AND_DEVICE static inline bool block_places_has(const struct block_places *places,
                                                            int place, int unknown)
{
    return places->bits[place / 8] >> (place % 8 * 8 + unknown) & 1;
}

CGSOLVE_HOST_AND_DEVICE static inline int block_places_count(const struct block_places *places)
{
    int count = 0;
    for (int word = 0; word < 2; word++)
        for (uint64_t bits = places->bits[word]; bits; bits &= bits - 1)
            count++;
    return count;
}

/* --- one row of A_c --------------------------------------------------------------------------- */

/* Row I that is made, of unknown c of the aggregate `at`: sums[place block + unknown]. */
struct block_row {
    struct cell at;
    int c;
    double *sums;
    struct block_places places;
};

CGSOLVE_HOST_AND_DEVICE static inline void block_row_add(struct block_row *row, int block,
                                                         int place, int unknown, double value)
{
    row->sums[place * block + unknown] += value;
    row->places.bits[place / 8] |= (uint64_t)1 << (place % 8 * 8 + unknown);
}

/* The entries of unknown u of a cell that belong to the row: those of row I's own rows, as far as
 * their columns do not lie before I, and those of later ones whose column is one of I's rows.
 * `from`: the step to the cell's aggregate. */
CGSOLVE_HOST_AND_DEVICE static inline void block_row_take(const struct coarsening *by, int block,
                                                          int64_t node, const struct cell *cell,
                                                          int from, int u, struct block_row *row)
{
    const int none[3] = {0, 0, 0}, own = neighbours_step(0, 0, 0);
    bool is_own = from == own && u == row->c;
    int64_t i = node * block + u, last = -1;
    int to = own;
    for (int64_t k = by->A.offsets[i]; k < by->A.offsets[i + 1]; k++) {
        int64_t j = by->A.columns[k], other = (int64_t)((uint32_t)j / (uint32_t)block);
        int v = (int)(j - other * block);
        if (!is_own && v != row->c)
            continue;
        if (other != last) {
            const int64_t *n = by->cells.before;
            const int *step = other == node
                                  ? none
                                  : by->fine.step[neighbour_at(n, &by->fine, cell, other - node)];
            to = coarsening_step(by, &row->at, cell, step);
            last = other;
        }
        double value = by->A.values[k];
        if (is_own && to != own && by->coarse.at_step[to] >= 0)
            block_row_add(row, block, 1 + by->coarse.at_step[to], v, value);
        else if (is_own && to == own && v >= row->c)
            block_row_add(row, block, 0, v, v == row->c && j > i ? 2 * value : value);
        else if (!is_own && to == own && from != own)
            block_row_add(row, block, 1 + by->coarse.at_step[from], u, value);
        else if (!is_own && to == own && u > row->c)
            block_row_add(row, block, 0, u, value);
    }
}

/* Whether a cell of a later aggregate can have a greater neighbour in this one, which ends at `end`
 * and whose planes it lies in. */
CGSOLVE_HOST_AND_DEVICE static inline bool
block_row_meets(const struct cell *cell, const int64_t begin[3], const int64_t end[3])
{
    if (cell->at[1] == end[1])
        return cell->at[2] + 1 < end[2];
    return cell->at[0] >= begin[0] && (cell->at[1] + 1 < end[1] || cell->at[2] + 1 < end[2]);
}

/* Row I by places: sums[(1 + coarse.count) block], of which the result says those that are entries.
 * The order is that of coarse_matrix (aggregates.h). */
CGSOLVE_HOST_AND_DEVICE static inline struct block_places
block_row_make(const struct coarsening *by, int block, int64_t I, double *sums)
{
    const struct cells *cells = &by->cells;
    const int64_t *n = cells->before;
    const int none[3] = {0, 0, 0}, own = neighbours_step(0, 0, 0);
    struct block_row row = {cell_of(cells->n, I / block), (int)(I % block), sums, {{0, 0}}};
    struct cell cell;
    int64_t begin[3], end[3];
    for (int s = 0; s < (1 + by->coarse.count) * block; s++)
        sums[s] = 0;
    for (int axis = 0; axis < 3; axis++) {
        begin[axis] = cells_begin(cells, axis, row.at.at[axis]);
        end[axis] = cells_begin(cells, axis, row.at.at[axis] + 1);
    }
    int64_t first = begin[0] - (begin[0] > 0);
    for (cell.at[2] = begin[2]; cell.at[2] < end[2]; cell.at[2]++)
        for (cell.at[1] = begin[1]; cell.at[1] <= end[1] && cell.at[1] < n[1]; cell.at[1]++)
            for (cell.at[0] = first; cell.at[0] <= end[0] && cell.at[0] < n[0]; cell.at[0]++) {
                int from = coarsening_step(by, &row.at, &cell, none);
                if (from != own && !block_row_meets(&cell, begin, end))
                    continue;
                int64_t node = cell.at[0] + n[0] * (cell.at[1] + n[1] * cell.at[2]);
                for (int u = from == own ? row.c : 0; u < block; u++)
                    block_row_take(by, block, node, &cell, from, u, &row);
            }
    return row.places;
}

/* --- one row of what becomes of A_c ----------------------------------------------------------- */

/* A_c by places, and what rescale.h says of it. */
struct block_rows {
    struct cells cells;
    struct neighbours near;
    int64_t n;
    double *values;              /* [(1 + near.count) block][n] */
    struct block_places *places; /* [n] */
    double correction;
};

CGSOLVE_HOST_AND_DEVICE static inline double block_rows_at(const struct block_rows *rows, int block,
                                                           int64_t I, int place, int unknown)
{
    return rows->values[(place * block + unknown) * rows->n + I];
}

/* S_I */
CGSOLVE_HOST_AND_DEVICE static inline double block_rows_sum(const struct block_rows *rows,
                                                            int block, int64_t I)
{
    int64_t J = I / block;
    int c = (int)(I % block);
    struct cell at = cell_of(rows->cells.n, J);
    struct block_places own = rows->places[I];
    double of[BLOCK_MAX] = {0};
    for (int s = rows->near.count; s >= 0; s--) { /* the last ones are the row's own cell's */
        int k = s > 0 ? rows->near.sorted[s - 1] : -1;
        if (k >= 0 && !cell_has(rows->cells.n, &at, rows->near.step[k], -1))
            continue;
        int64_t behind = k >= 0 ? J - rows->near.offset[k] : J;
        for (int u = 0; u < (k >= 0 ? block : c); u++)
            if (block_places_has(&rows->places[behind * block + u], 1 + k, c))
                of[u] += block_rows_at(rows, block, behind * block + u, 1 + k, c);
    }
    for (int s = -1; s < rows->near.count; s++) {
        int place = s < 0 ? 0 : 1 + rows->near.sorted[s];
        for (int v = 0; v < block; v++)
            if (block_places_has(&own, place, v))
                of[v] += block_rows_at(rows, block, I, place, v);
    }
    double sum = of[c];
    for (int v = 0; v < block; v++)
        sum -= v == c ? 0 : fabs(of[v]);
    return sum;
}

/* Row I of the level's matrix, of a sum S_I: its columns ascending, *columns and *values of them;
 * returns how many. */
CGSOLVE_HOST_AND_DEVICE static inline int block_rows_rescaled(const struct block_rows *rows,
                                                              int block, int64_t I, double sum,
                                                              double kept, int32_t *columns,
                                                              double *values)
{
    struct block_places own = rows->places[I];
    int count = 0;
    for (int s = -1; s < rows->near.count; s++) {
        int k = s < 0 ? -1 : rows->near.sorted[s];
        int64_t J = I / block + (s < 0 ? 0 : rows->near.offset[k]);
        for (int v = 0; v < block; v++)
            if (block_places_has(&own, 1 + k, v)) {
                columns[count] = (int32_t)(J * block + v);
                values[count++] = block_rows_at(rows, block, I, 1 + k, v) / rows->correction;
            }
    }
    values[0] += kept - sum / rows->correction;
    return count;
}

#endif

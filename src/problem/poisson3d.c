#include "problem/poisson3d.h"

#include "problem/grid.h"
#include "problem/problem.h"

#include <inttypes.h>
#include <stdbool.h>

static bool in_block(const struct poisson3d *poisson, const struct grid_point *cell)
{
    for (int axis = 0; axis < 3; axis++) {
        int64_t quarters = 4 * cell->index[axis];
        if (quarters < poisson->n[axis] || quarters >= 3 * poisson->n[axis])
            return false;
    }
    return true;
}

static double kappa(const struct poisson3d *poisson, const struct grid_point *cell)
{
    return in_block(poisson, cell) ? poisson->jump : 1;
}

/* The coefficient of the face between a cell and its neighbour `step` (+1 or -1) along an axis; a
 * boundary face takes the cell's own kappa. Symmetric in the two cells, bit for bit. */
static double face(const struct poisson3d *poisson, const struct grid_point *cell, int axis,
                   int step)
{
    double own = kappa(poisson, cell);
    struct grid_point neighbour = *cell;
    neighbour.index[axis] += step;
    if (neighbour.index[axis] < 0 || neighbour.index[axis] == poisson->n[axis])
        return poisson->weights[axis] * own;
    double other = kappa(poisson, &neighbour);
    return poisson->weights[axis] * (own == other ? own : 2 * own * other / (own + other));
}

static void fill_row(const struct poisson3d *poisson, const struct grid *grid, int64_t row,
                     struct csr *A)
{
    struct grid_point cell = grid_point_of(grid, row);
    int64_t place = A->offsets[row];
    double diagonal = 0;
    for (int axis = 0; axis < 3; axis++)
        diagonal += face(poisson, &cell, axis, -1) + face(poisson, &cell, axis, 1);
    A->values[place++] = diagonal + poisson->shift;
    for (int axis = 0; axis < 3; axis++)
        if (grid_has_next(grid, &cell, axis))
            A->values[place++] = -face(poisson, &cell, axis, 1);
}

enum status poisson3d_create(const struct poisson3d *poisson, struct csr *A, struct error *error)
{
    enum status status = problem_check(&problem_poisson3d, poisson, error);
    if (status)
        return status;
    struct grid grid;
    for (int axis = 0; axis < 3; axis++) {
        grid.n[axis] = poisson->n[axis];
        grid.coupled[axis] = poisson->weights[axis] > 0;
    }
    status = grid_create(&grid, A, error);
    if (status)
        return status;
#pragma omp parallel for schedule(static)
    for (int64_t row = 0; row < A->n; row++)
        fill_row(poisson, &grid, row, A);
    return STATUS_OK;
}

/* ---- the component --------------------------------------------------------------------------- */

static int64_t rows(const void *options)
{
    return grid_rows(((const struct poisson3d *)options)->n);
}

static const char *complain(const void *options, const char **parameter)
{
    const struct poisson3d *poisson = options;
    const double *weights = poisson->weights;
    *parameter = "n";
    if (grid_rows(poisson->n) < 0)
        return grid_too_large;
    *parameter = "anisotropy";
    return weights[0] == 0 && weights[1] == 0 && weights[2] == 0 ? "not every weight can be 0"
                                                                 : NULL;
}

static enum status make(const void *options, struct csr *A, struct error *error)
{
    return poisson3d_create(options, A, error);
}

static void describe(const void *options, FILE *stream)
{
    const struct poisson3d *p = options;
    fprintf(stream, "poisson3d, %" PRId64 " x %" PRId64 " x %" PRId64, p->n[0], p->n[1], p->n[2]);
    if (p->weights[0] != 1 || p->weights[1] != 1 || p->weights[2] != 1)
        fprintf(stream, ", weights %g, %g, %g", p->weights[0], p->weights[1], p->weights[2]);
    if (p->jump != 1)
        fprintf(stream, ", jump %g", p->jump);
}

/* A weight and a jump are at most 1e100, so that no product of two overflows. */
static const struct parameter parameters[] = {
    {"n", "cells along x, y and z", NULL, TAKES_INTEGER(struct poisson3d, n, 1, INT32_MAX),
     .count = 3, .one_for_all = true},
    {"anisotropy", "weights of the three axes, not all 0", "1",
     TAKES_REAL(struct poisson3d, weights, 0, 1e100), .count = 3},
    {"jump", "the coefficient in the block in the middle of the box; it is 1 elsewhere", "1",
     TAKES_REAL(struct poisson3d, jump, 1e-100, 1e100)},
    {"shift", "what is added to the diagonal: a negative one makes the matrix indefinite", "0",
     TAKES_REAL(struct poisson3d, shift, -1e100, 1e100)},
    {0}};

const struct problem problem_poisson3d = {{COMPONENT_PROBLEM, "poisson3d",
                                           "Poisson's equation on a box", parameters,
                                           sizeof(struct poisson3d), complain},
                                          .rows = rows,
                                          .make = make,
                                          .describe = describe};

#include "problem/poisson3d.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

/* Of a weight or a jump, so that no product of two overflows. */
static const double LARGEST = 1e100;

int64_t poisson3d_rows(const struct poisson3d *poisson)
{
    int64_t rows = 1;
    for (int axis = 0; axis < 3; axis++) {
        if (poisson->n[axis] < 1 || poisson->n[axis] > INT32_MAX / rows)
            return -1;
        rows *= poisson->n[axis];
    }
    return rows;
}

static enum status check(const struct poisson3d *poisson, struct error *error)
{
    const int64_t *n = poisson->n;
    const double *weights = poisson->weights;
    if (poisson3d_rows(poisson) < 0)
        return error_set(error, STATUS_CONFIG,
                         "problem.n = [%" PRId64 ", %" PRId64 ", %" PRId64
                         "]: every number must be at least 1 and their product at most %" PRId32,
                         n[0], n[1], n[2], INT32_MAX);
    for (int axis = 0; axis < 3; axis++)
        if (!(weights[axis] >= 0 && weights[axis] <= LARGEST))
            return error_set(error, STATUS_CONFIG,
                             "problem.anisotropy: the weight %g lies outside 0 to %g",
                             weights[axis], LARGEST);
    if (weights[0] == 0 && weights[1] == 0 && weights[2] == 0)
        return error_set(error, STATUS_CONFIG, "problem.anisotropy: all weights are zero");
    if (!(poisson->jump >= 1 / LARGEST && poisson->jump <= LARGEST))
        return error_set(error, STATUS_CONFIG, "problem.jump = %g lies outside %g to %g",
                         poisson->jump, 1 / LARGEST, LARGEST);
    return STATUS_OK;
}

struct cell {
    int64_t index[3];
};

static bool in_block(const struct poisson3d *poisson, const struct cell *cell)
{
    for (int axis = 0; axis < 3; axis++) {
        int64_t quarters = 4 * cell->index[axis];
        if (quarters < poisson->n[axis] || quarters >= 3 * poisson->n[axis])
            return false;
    }
    return true;
}

static double kappa(const struct poisson3d *poisson, const struct cell *cell)
{
    return in_block(poisson, cell) ? poisson->jump : 1;
}

/* The coefficient of the face between a cell and its neighbour `step` (+1 or -1) along an axis; a
 * boundary face takes the cell's own kappa. Symmetric in the two cells, bit for bit. */
static double face(const struct poisson3d *poisson, const struct cell *cell, int axis, int step)
{
    double own = kappa(poisson, cell);
    struct cell neighbour = *cell;
    neighbour.index[axis] += step;
    if (neighbour.index[axis] < 0 || neighbour.index[axis] == poisson->n[axis])
        return poisson->weights[axis] * own;
    double other = kappa(poisson, &neighbour);
    return poisson->weights[axis] * (own == other ? own : 2 * own * other / (own + other));
}

static bool has_next(const struct poisson3d *poisson, const struct cell *cell, int axis)
{
    return poisson->weights[axis] > 0 && cell->index[axis] + 1 < poisson->n[axis];
}

static struct cell cell_of_row(const struct poisson3d *poisson, int64_t row)
{
    const int64_t *n = poisson->n;
    return (struct cell){{row % n[0], row / n[0] % n[1], row / n[0] / n[1]}};
}

static void fill_row(const struct poisson3d *poisson, int64_t row, struct csr *A)
{
    const int64_t strides[3] = {1, poisson->n[0], poisson->n[0] * poisson->n[1]};
    struct cell cell = cell_of_row(poisson, row);
    int64_t place = A->offsets[row];
    double diagonal = 0;
    for (int axis = 0; axis < 3; axis++)
        diagonal += face(poisson, &cell, axis, -1) + face(poisson, &cell, axis, 1);
    A->columns[place] = (int32_t)row;
    A->values[place++] = diagonal;
    for (int axis = 0; axis < 3; axis++) {
        if (!has_next(poisson, &cell, axis))
            continue;
        A->columns[place] = (int32_t)(row + strides[axis]);
        A->values[place++] = -face(poisson, &cell, axis, 1);
    }
}

/* Entries of the rows before `row`: each row has its diagonal and one entry an axis, except the
 * last cell of that axis. Counted in closed form, so that rows can be filled in parallel. */
static int64_t entries_before(const struct poisson3d *poisson, int64_t row)
{
    const int64_t *n = poisson->n;
    int64_t line = row / n[0], plane = line / n[1];
    int64_t entries = row;
    if (poisson->weights[0] > 0)
        entries += row - line;
    if (poisson->weights[1] > 0) {
        int64_t in_last_line = row % (n[0] * n[1]) - n[0] * (n[1] - 1);
        entries += row - plane * n[0] - (in_last_line > 0 ? in_last_line : 0);
    }
    if (poisson->weights[2] > 0) {
        int64_t in_last_plane = row - n[0] * n[1] * (n[2] - 1);
        entries += row - (in_last_plane > 0 ? in_last_plane : 0);
    }
    return entries;
}

enum status poisson3d_create(const struct poisson3d *poisson, struct csr *A, struct error *error)
{
    enum status status = check(poisson, error);
    if (status)
        return status;
    int64_t rows = poisson3d_rows(poisson);
    status = csr_create(A, CSR_SYMMETRIC, rows, entries_before(poisson, rows), error);
    if (status)
        return status;
#pragma omp parallel for schedule(static)
    for (int64_t row = 0; row <= rows; row++) {
        A->offsets[row] = entries_before(poisson, row);
        if (row < rows)
            fill_row(poisson, row, A);
    }
    return STATUS_OK;
}

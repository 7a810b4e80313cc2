#include "problem/convection3d.h"

#include "problem/grid.h"

#include <math.h>
#include <stdbool.h>

static const double LARGEST = 1e100;

static enum status check(const struct convection3d *convection, struct error *error)
{
    const double *velocity = convection->velocity;
    enum status status = grid_check(convection->n, error);
    if (status)
        return status;
    for (int axis = 0; axis < 3; axis++)
        if (!(fabs(velocity[axis]) <= LARGEST))
            return error_set(error, STATUS_CONFIG,
                             "problem.velocity: the component %g lies outside %g to %g",
                             velocity[axis], -LARGEST, LARGEST);
    if (velocity[0] == 0 && velocity[1] == 0 && velocity[2] == 0)
        return error_set(error, STATUS_CONFIG, "problem.velocity: all components are zero");
    return STATUS_OK;
}

enum status convection3d_create(const struct convection3d *convection, struct csr *A,
                                struct error *error)
{
    enum status status = check(convection, error);
    if (status)
        return status;
    struct grid grid;
    for (int axis = 0; axis < 3; axis++) {
        grid.n[axis] = convection->n[axis];
        grid.coupled[axis] = convection->velocity[axis] != 0;
    }
    status = grid_create(&grid, A, error);
    if (status)
        return status;
    A->kind = CSR_SKEW;
#pragma omp parallel for schedule(static)
    for (int64_t row = 0; row < A->n; row++) {
        struct grid_point point = grid_point_of(&grid, row);
        int64_t place = A->offsets[row];
        A->values[place++] = 0;
        for (int axis = 0; axis < 3; axis++)
            if (grid_has_next(&grid, &point, axis))
                A->values[place++] = convection->velocity[axis];
    }
    return STATUS_OK;
}

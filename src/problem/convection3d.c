#include "problem/convection3d.h"

#include "base/threads.h"
#include "problem/grid.h"
#include "problem/problem.h"

#include <inttypes.h>
#include <stdbool.h>

struct filling {
    const struct convection3d *convection;
    struct grid grid;
    struct csr *A; /* with its offsets and columns */
};

static void fill_rows(void *context, int64_t begin, int64_t end)
{
    const struct filling *filling = context;
    const struct csr *A = filling->A;
    for (int64_t row = begin; row < end; row++) {
        struct grid_point point = grid_point_of(&filling->grid, row);
        int64_t place = A->offsets[row];
        A->values[place++] = 0;
        for (int axis = 0; axis < 3; axis++)
            if (grid_has_next(&filling->grid, &point, axis))
                A->values[place++] = filling->convection->velocity[axis];
    }
}

enum status convection3d_create(const struct convection3d *convection, struct csr *A,
                                struct error *error)
{
    enum status status = problem_check(&problem_convection3d, convection, error);
    if (status)
        return status;
    struct filling filling = {.convection = convection, .A = A};
    for (int axis = 0; axis < 3; axis++) {
        filling.grid.n[axis] = convection->n[axis];
        filling.grid.coupled[axis] = convection->velocity[axis] != 0;
    }
    status = grid_create(&filling.grid, A, error);
    if (status)
        return status;
    A->kind = CSR_SKEW;
    threads_each(threads_lent(), A->n, fill_rows, &filling);
    return STATUS_OK;
}

/* ---- the component --------------------------------------------------------------------------- */

static int64_t rows(const void *options)
{
    return grid_rows(((const struct convection3d *)options)->n);
}

static const char *complain(const void *options, const char **parameter)
{
    const struct convection3d *convection = options;
    const double *velocity = convection->velocity;
    *parameter = "n";
    if (grid_rows(convection->n) < 0)
        return grid_too_large;
    *parameter = "velocity";
    return velocity[0] == 0 && velocity[1] == 0 && velocity[2] == 0 ? "not every component can be 0"
                                                                    : NULL;
}

static enum status make(const void *options, struct csr *A, struct error *error)
{
    return convection3d_create(options, A, error);
}

static void describe(const void *options, FILE *stream)
{
    const struct convection3d *convection = options;
    const int64_t *n = convection->n;
    const double *velocity = convection->velocity;
    fprintf(stream,
            "convection3d, %" PRId64 " x %" PRId64 " x %" PRId64 ", velocity %.6g, %.6g, %.6g",
            n[0], n[1], n[2], velocity[0], velocity[1], velocity[2]);
}

static const struct parameter parameters[] = {
    {"n", "points along x, y and z", NULL, TAKES_INTEGER(struct convection3d, n, 1, INT32_MAX),
     .count = 3, .one_for_all = true},
    {"velocity", "the three components of the velocity over twice the spacing, not all 0", "1",
     TAKES_REAL(struct convection3d, velocity, -1e100, 1e100), .count = 3},
    {0}};

const struct problem problem_convection3d = {{COMPONENT_PROBLEM, "convection3d",
                                              "convection on a box, which is skew-symmetric",
                                              parameters, sizeof(struct convection3d), complain},
                                             .rows = rows,
                                             .make = make,
                                             .describe = describe};

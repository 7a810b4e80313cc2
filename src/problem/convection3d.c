/* Central differences of a constant velocity, v . grad u, on a grid of n_x x n_y x n_z points with
 * homogeneous Dirichlet boundaries: a skew-symmetric matrix. Point (i, j, k) is row
 * i + n_x (j + n_y k), and along each axis a, with c the point and d the next one,
 *
 *     A[c][d] = w_a,    A[d][c] = -w_a,    A[c][c] = 0
 *
 * where w_a stands for v_a / (2 h_a). An axis of weight 0 has no entries.
 *
 * The eigenvalues are
 *
 *     2 i (w_x cos(pi l / (n_x + 1)) + w_y cos(pi m / (n_y + 1)) + w_z cos(pi p / (n_z + 1))),
 *
 * l = 1 ... n_x, ...: A is singular where such a sum is 0. With n_x n_y n_z odd it
 * always is (the middle index of each axis has the cosine 0). Of unit weights, an even number of
 * points is not enough (the only sums of three such cosines that are 0: Conway and Jones 1976,
 * theorem 7). Singular are also
 *
 *     one n odd, the n + 1 of the two others with a common factor
 *         (0 and two cosines of opposite signs: 6 x 6 x 5)
 *     n + 1 divisible by 5, 5 and 3
 *         (cos pi/5 - cos 2 pi/5 - cos pi/3: 4 x 4 x 2)
 *     n_x = n_y = n_z from 5 on, n + 1 divisible by 3
 *         (cos t + cos(t + 2 pi/3) + cos(t - 2 pi/3): 8^3)
 *
 * and, in the last way, grids whose three n + 1 are multiples of one such number. */
#include "problem/generators.h"
#include "problem/grid.h"

#include <inttypes.h>
#include <stdbool.h>

static void fill_row(const void *options, const struct grid *grid, int64_t row, int64_t count,
                     const int32_t *columns, double *values)
{
    const struct convection3d *convection = options;
    struct grid_point point = grid_point_of(grid, row);
    (void)count, (void)columns;
    *values++ = 0;
    for (int axis = 0; axis < 3; axis++)
        if (grid_has_next(grid, &point, axis))
            *values++ = convection->velocity[axis];
}

static enum status make(const void *options, struct csr *A, struct error *error)
{
    const struct convection3d *convection = options;
    struct grid grid;
    for (int axis = 0; axis < 3; axis++) {
        grid.n[axis] = convection->n[axis];
        grid.coupled[axis] = convection->velocity[axis] != 0;
    }
    enum status status = grid_create(&grid, fill_row, convection, A, error);
    if (!status)
        A->kind = CSR_SKEW;
    return status;
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

/* A network of conductances on a box of nx x ny x nz nodes: neighbours along an axis are joined by
 * a conductance that is drawn for them, over as many powers of ten as are asked for, and every node
 * is joined to the ground. A is its nodal matrix, a weighted graph Laplacian:
 *
 *     A[v][w] = -c_vw,    A[v][v] = ground + the sum of the c of v's neighbours
 *
 * so A (1, ..., 1)' = ground (1, ..., 1)' but for rounding: `ground` is the smallest eigenvalue,
 * and the largest lies between the largest c and twelve times that. The ground alone keeps the sum
 * of a row from cancelling, so this is where the order of additions matters. With ground below the
 * rounding of the diagonal, some 1e-16 max c, A may be indefinite.
 *
 * Node (i, j, k) is v = i + nx (j + ny k). The conductance of v and its next node along axis a is
 *
 *     c = (1 + 9 f) / 10^d,   f = (splitmix64(seed, 6 v + 2 a) >> 11) 2^-53,
 *                             d = splitmix64(seed, 6 v + 2 a + 1) mod decades
 *
 * (base/random.h), and 1 where decades = 0, which makes a matrix of whole numbers if ground is
 * one. The diagonal adds ground and the conductances of the neighbours in ascending order of their
 * numbers. With scaling > 0 A becomes S A S, A[v][w] (s_v s_w), with s_v = (1 + 9 f) / 10^d
 * likewise of seed + 1 and 6 v, and d below scaling: badly scaled, with entries over twice as many
 * powers of ten. Only + - * / and fma are used, so every machine makes the same bits. */
#include "base/random.h"
#include "base/text.h"
#include "problem/generators.h"
#include "problem/grid.h"

#include <inttypes.h>
#include <math.h>

/* (1 + 9 f) / 10^d, or 1 for no decades. */
static double draw(uint64_t seed, uint64_t index, int64_t decades)
{
    if (decades == 0)
        return 1;
    double f = (double)(splitmix64(seed, index) >> 11) * 0x1p-53, power = 1;
    for (uint64_t d = splitmix64(seed, index + 1) % (uint64_t)decades; d > 0; d--)
        power *= 10;
    return fma(9, f, 1) / power;
}

static double conductance(const struct network *network, int64_t node, int axis)
{
    return draw((uint64_t)network->seed, 6 * (uint64_t)node + 2 * (uint64_t)axis, network->decades);
}

static double scale(const struct network *network, int64_t node)
{
    return draw((uint64_t)network->seed + 1, 6 * (uint64_t)node, network->scaling);
}

static double diagonal(const struct network *network, const struct grid *grid, int64_t node)
{
    struct grid_point point = grid_point_of(grid, node);
    double sum = network->ground;
    for (int axis = 2; axis >= 0; axis--)
        if (point.index[axis] > 0)
            sum += conductance(network, node - grid_stride(grid, axis), axis);
    for (int axis = 0; axis < 3; axis++)
        if (grid_has_next(grid, &point, axis))
            sum += conductance(network, node, axis);
    return sum;
}

static void fill_row(const void *options, const struct grid *grid, int64_t node, int64_t count,
                     const int32_t *columns, double *values)
{
    const struct network *network = options;
    struct grid_point point = grid_point_of(grid, node);
    int64_t place = 0;
    values[place++] = diagonal(network, grid, node);
    for (int axis = 0; axis < 3; axis++)
        if (grid_has_next(grid, &point, axis))
            values[place++] = -conductance(network, node, axis);
    double own = scale(network, node);
    for (place = 0; place < count && network->scaling > 0; place++)
        values[place] *= own * scale(network, columns[place]);
}

static enum status make(const void *options, struct csr *A, struct error *error)
{
    const struct network *network = options;
    const int64_t *n = network->n;
    const struct grid grid = {{n[0], n[1], n[2]}, {true, true, true}};
    return grid_create(&grid, fill_row, network, A, error);
}

/* ---- the component --------------------------------------------------------------------------- */

static int64_t rows(const void *options)
{
    return grid_rows(((const struct network *)options)->n);
}

static const char *complain(const void *options, const char **parameter)
{
    *parameter = "n";
    return rows(options) < 0 ? grid_too_large : NULL;
}

static void describe(const void *options, FILE *stream)
{
    const struct network *network = options;
    fprintf(stream,
            "network, %" PRId64 " x %" PRId64 " x %" PRId64 ", %" PRId64
            " decade%s, ground %.6g, seed %" PRId64,
            network->n[0], network->n[1], network->n[2], network->decades,
            text_plural(network->decades), network->ground, network->seed);
    if (network->scaling > 0)
        fprintf(stream, ", scaled over %" PRId64 " decade%s", network->scaling,
                text_plural(network->scaling));
}

static const struct parameter parameters[] = {
    {"n", "nodes along x, y and z", NULL, TAKES_INTEGER(struct network, n, 1, INT32_MAX),
     .count = 3, .one_for_all = true},
    {"decades", "powers of ten over which the conductances are drawn; 0: all are 1", "8",
     TAKES_INTEGER(struct network, decades, 0, NETWORK_DECADES_MAX)},
    {"ground", "the conductance from each node to the ground: the smallest eigenvalue", "1e-6",
     TAKES_REAL(struct network, ground, 0, 1e100), .above = true},
    {"scaling", "powers of ten over which rows and columns are scaled at random; 0: not at all",
     "0", TAKES_INTEGER(struct network, scaling, 0, NETWORK_DECADES_MAX)},
    {"seed", "seed of the conductances and of the scaling", "1",
     TAKES_INTEGER(struct network, seed, 0, INT64_MAX)},
    {0}};

const struct problem problem_network = {{COMPONENT_PROBLEM, "network",
                                         "conductances between the points of a box", parameters,
                                         sizeof(struct network), complain},
                                        .rows = rows,
                                        .make = make,
                                        .describe = describe};

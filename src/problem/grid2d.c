/* Nodes of an nx x ny grid with a few neighbours each: the structure of a two-dimensional Markov
 * chain, as the epidemiology matrix mc2depi of the SuiteSparse collection. Node (i, j) is row
 * i + nx j.
 *
 *     kind = symmetric   a honeycomb, drawn as a brick wall: (i, j) is joined to (i + 1, j), and,
 *                        where i + j is even, to (i, j + 1); with the diagonal four entries a row
 *                        inside
 *     kind = general     from a state (i, j) a chain stays, or goes to (i + 1, j), (i, j + 1) or
 *                        (i - 1, j - 1): the same four entries, in a nonsymmetric pattern
 *
 * On 513 x 1025 nodes the general one has exactly mc2depi's rows, entries, standard deviation, and
 * shortest and longest row. */
#include "problem/generators.h"
#include "problem/grid.h"

#include <inttypes.h>
#include <stddef.h>

static int64_t rows(const void *options)
{
    const int64_t *n = ((const struct grid2d *)options)->n;
    return grid_rows((const int64_t[]){n[0], n[1], 1});
}

static int64_t honeycomb_row(const void *generator, int64_t row, int32_t *columns)
{
    const int64_t *n = ((const struct grid2d *)generator)->n;
    int64_t i = row % n[0], j = row / n[0], next[2];
    int length = 0;
    if (i + 1 < n[0])
        next[length++] = row + 1;
    if (j + 1 < n[1] && (i + j) % 2 == 0)
        next[length++] = row + n[0];
    return pattern_give(next, length, columns);
}

static int64_t markov_row(const void *generator, int64_t row, int32_t *columns)
{
    const int64_t *n = ((const struct grid2d *)generator)->n;
    int64_t i = row % n[0], j = row / n[0], next[4];
    int length = 0;
    if (i > 0 && j > 0)
        next[length++] = row - n[0] - 1;
    next[length++] = row;
    if (i + 1 < n[0])
        next[length++] = row + 1;
    if (j + 1 < n[1])
        next[length++] = row + n[0];
    return pattern_give(next, length, columns);
}

static enum status make(const void *options, struct csr *A, struct error *error)
{
    const struct grid2d *grid = options;
    return pattern_create(&grid->pattern, rows(grid),
                          grid->pattern.kind == PATTERN_SYMMETRIC ? honeycomb_row : markov_row,
                          grid, A, error);
}

/* ---- the component --------------------------------------------------------------------------- */

static const char *complain(const void *options, const char **parameter)
{
    *parameter = "n";
    return rows(options) < 0 ? grid_too_large
                             : pattern_check(&((const struct grid2d *)options)->pattern, parameter);
}

static void describe(const void *options, FILE *stream)
{
    const struct grid2d *grid = options;
    fprintf(stream, "grid2d, %" PRId64 " x %" PRId64, grid->n[0], grid->n[1]);
    pattern_describe(&grid->pattern, stream);
}

static const struct parameter parameters[] = {
    {"n", "nodes along x and y", NULL, TAKES_INTEGER(struct grid2d, n, 1, INT32_MAX), .count = 2,
     .one_for_all = true},
    PARAMETERS_OF(struct grid2d, pattern, pattern_parameters),
    {0}};

const struct problem problem_grid2d = {{COMPONENT_PROBLEM, "grid2d",
                                        "sparsity pattern of a Markov chain on a 2D grid",
                                        parameters, sizeof(struct grid2d), complain},
                                       .rows = rows,
                                       .make = make,
                                       .describe = describe};

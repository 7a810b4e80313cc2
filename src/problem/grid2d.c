#include "problem/grid2d.h"

#include "problem/grid.h"
#include "problem/problem.h"

#include <inttypes.h>
#include <stddef.h>

int64_t grid2d_rows(const int64_t n[2])
{
    return n[0] < 1 || n[1] < 1 || n[0] > INT32_MAX / n[1] ? -1 : n[0] * n[1];
}

static int64_t honeycomb_row(const void *generator, int64_t row, int32_t *columns)
{
    const int64_t *n = ((const struct grid2d *)generator)->n;
    int64_t i = row % n[0], j = row / n[0], next[2];
    int64_t length = 0;
    if (i + 1 < n[0])
        next[length++] = row + 1;
    if (j + 1 < n[1] && (i + j) % 2 == 0)
        next[length++] = row + n[0];
    for (int64_t k = 0; columns && k < length; k++)
        columns[k] = (int32_t)next[k];
    return length;
}

static int64_t markov_row(const void *generator, int64_t row, int32_t *columns)
{
    const int64_t *n = ((const struct grid2d *)generator)->n;
    int64_t i = row % n[0], j = row / n[0], next[4];
    int64_t length = 0;
    if (i > 0 && j > 0)
        next[length++] = row - n[0] - 1;
    next[length++] = row;
    if (i + 1 < n[0])
        next[length++] = row + 1;
    if (j + 1 < n[1])
        next[length++] = row + n[0];
    for (int64_t k = 0; columns && k < length; k++)
        columns[k] = (int32_t)next[k];
    return length;
}

struct grid2d_pattern {
    struct grid2d grid;
    struct pattern_options pattern;
};

enum status grid2d_create(const struct grid2d *grid, const struct pattern_options *options,
                          struct csr *A, struct error *error)
{
    const struct grid2d_pattern made = {*grid, *options};
    enum status status = problem_check(&problem_grid2d, &made, error);
    if (status)
        return status;
    return pattern_create(options, grid2d_rows(grid->n),
                          options->kind == PATTERN_SYMMETRIC ? honeycomb_row : markov_row, grid, A,
                          error);
}

/* ---- the component --------------------------------------------------------------------------- */

static int64_t rows(const void *options)
{
    return grid2d_rows(((const struct grid2d_pattern *)options)->grid.n);
}

static const char *complain(const void *options, const char **parameter)
{
    *parameter = "n";
    return rows(options) < 0
               ? grid_too_large
               : pattern_check(&((const struct grid2d_pattern *)options)->pattern, parameter);
}

static enum status make(const void *options, struct csr *A, struct error *error)
{
    const struct grid2d_pattern *made = options;
    return grid2d_create(&made->grid, &made->pattern, A, error);
}

static void describe(const void *options, FILE *stream)
{
    const struct grid2d_pattern *made = options;
    fprintf(stream, "grid2d, %" PRId64 " x %" PRId64, made->grid.n[0], made->grid.n[1]);
    pattern_describe(&made->pattern, stream);
}

static const struct parameter parameters[] = {
    {"n", "nodes along x and y", NULL, TAKES_INTEGER(struct grid2d_pattern, grid.n, 1, INT32_MAX),
     .count = 2, .one_for_all = true},
    PARAMETERS_OF(struct grid2d_pattern, pattern, pattern_parameters),
    {0}};

const struct problem problem_grid2d = {{COMPONENT_PROBLEM, "grid2d",
                                        "sparsity pattern of a Markov chain on a 2D grid",
                                        parameters, sizeof(struct grid2d_pattern), complain},
                                       .rows = rows,
                                       .make = make,
                                       .describe = describe};

#include "problem/grid2d.h"

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

enum status grid2d_create(const struct grid2d *grid, const struct pattern_options *options,
                          struct csr *A, struct error *error)
{
    if (grid2d_rows(grid->n) < 0)
        return error_set(error, STATUS_CONFIG,
                         "problem.n = [%" PRId64 ", %" PRId64
                         "]: every number must be at least 1 and their product at most %" PRId32,
                         grid->n[0], grid->n[1], INT32_MAX);
    return pattern_create(options, grid2d_rows(grid->n),
                          options->kind == PATTERN_SYMMETRIC ? honeycomb_row : markov_row, grid, A,
                          error);
}

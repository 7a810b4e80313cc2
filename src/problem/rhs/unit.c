/* b_i = 1 for i = row - 1, 0 else; in column j for i = row - 1 + j. */
#include "problem/rhs.h"

#include <inttypes.h>

struct unit {
    int64_t row; /* from 1 */
};

static enum status fill(const void *options, const struct csr *A, double shift,
                        const struct rhs_part *part, double *B, struct error *error)
{
    const struct unit *unit = options;
    int64_t columns = part->columns;
    (void)shift;
    if (unit->row < 1 || unit->row > A->n)
        return error_set(error, STATUS_CONFIG,
                         "rhs.row = %" PRId64 ": the matrix has the rows 1 to %" PRId64, unit->row,
                         A->n);
    if (columns > A->n - unit->row + 1)
        return error_set(error, STATUS_CONFIG,
                         "rhs.columns = %" PRId64 " does not fit: the last row is %" PRId64
                         ", and rhs.row = %" PRId64 " leaves %" PRId64,
                         columns, A->n, unit->row, A->n - unit->row + 1);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = part->first; i < part->last; i++)
            B[j * A->n + i] = i == unit->row - 1 + j;
    return STATUS_OK;
}

static const struct parameter parameters[] = {
    {"row", "the row of the 1, counted from 1; of column j, counted from 0, row + j", "1",
     TAKES_INTEGER(struct unit, row, 1, INT32_MAX)},
    {0}};

const struct rhs rhs_unit = {
    {COMPONENT_RHS, "unit", "1 in one row, 0 elsewhere", parameters, sizeof(struct unit), NULL},
    fill,
    NULL};

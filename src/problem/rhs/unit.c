/* b_i = 1 for i = row - 1, 0 else. */
#include "problem/rhs.h"

#include <inttypes.h>

struct unit {
    int64_t row; /* from 1 */
};

static enum status fill(const void *options, const struct csr *A, double shift, double *b,
                        struct error *error)
{
    const struct unit *unit = options;
    (void)shift;
    if (unit->row < 1 || unit->row > A->n)
        return error_set(error, STATUS_CONFIG,
                         "rhs.row = %" PRId64 ": the matrix has the rows 1 to %" PRId64, unit->row,
                         A->n);
    for (int64_t i = 0; i < A->n; i++)
        b[i] = i == unit->row - 1;
    return STATUS_OK;
}

static const struct parameter parameters[] = {
    {"row", "the row of the 1, counted from 1", "1", TAKES_INTEGER(struct unit, row, 1, INT32_MAX)},
    {0}};

const struct rhs rhs_unit = {
    {COMPONENT_RHS, "unit", "1 in one row, 0 elsewhere", parameters, sizeof(struct unit), NULL},
    fill};

/* Whether a vector v is a null vector in row i of a symmetric A (solver/null_space.h has the
 * bounds):
 *
 *     s_i = the chain of fma(a_ij, v_j, .) by ascending j, without entries that are 0,  |s_i| small
 *
 * On the host the entries of the upper triangle are added one after the other, on a device each row
 * reads both triangles: the same chains. */
#ifndef SOLVER_NULL_ROWS_H
#define SOLVER_NULL_ROWS_H

#include "matrix/csr.h"
#include "space/find.h"

#include <math.h>

struct null_row {
    double sum, size;
    int64_t entries;
};

PASS_FUNCTION void null_row_add(struct null_row *row, double value, double v)
{
    row->sum = fma(value, v, row->sum);
    row->size = fma(fabs(value), fabs(v), row->size);
    row->entries++;
}

/* given: v was given; else it is 1. */
PASS_FUNCTION bool null_row_is_zero(const struct null_row *row, bool given)
{
    double bound = given ? 0x1p-40 : (double)row->entries * 0x1p-52;
    return fabs(row->sum) <= bound * row->size;
}

/* *everywhere: v[n] on the host, in A's numbering, NULL: 1, is one in all rows of an A in the
 * memory of any space; `lower` is its lower triangle (spmv/lower_rows.h). Errors: STATUS_MEMORY,
 * STATUS_DEVICE. */
enum status null_rows_hold(const struct csr *A, const struct csr *lower, const double *v,
                           bool *everywhere, struct error *error);

#endif

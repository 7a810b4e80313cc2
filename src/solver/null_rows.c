#include "solver/null_rows.h"

#include "space/define_pass.h"
#include "space/rows.h"

struct null_rows {
    struct csr lower, upper;
    const double *v; /* NULL: 1 */
};

PASS_FUNCTION void add_row(const struct null_rows *work, const struct csr *A, int64_t i,
                           struct null_row *row)
{
    for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
        if (A->values[k] != 0)
            null_row_add(row, A->values[k], work->v ? work->v[A->columns[k]] : 1);
}

/* How many rows are not 0. */
FIND_AT(looking_at_null_rows, null_rows)
{
    struct null_row row = {0, 0, 0};
    add_row(work, &work->lower, i, &row);
    add_row(work, &work->upper, i, &row);
    found->sum += !null_row_is_zero(&row, work->v != NULL);
}

FIND(find_other_rows, looking_at_null_rows, null_rows, "the null space of A")

#ifndef __CUDACC__
enum status null_rows_hold(const struct csr *A, const struct csr *lower, const double *v,
                           bool *everywhere, struct error *error)
{
    struct found found;
    double *copy = NULL;
    enum status status = STATUS_OK;
    int64_t bytes = A->n * (int64_t)sizeof *copy;
    if (v)
        status = rows_array(A->space, A->n, sizeof *copy, "a null vector", (void **)&copy, error);
    if (!status && v)
        status = rows_upload(A->space, bytes, v, copy, error);
    const struct null_rows work = {*lower, *A, copy};
    if (!status)
        status = space_find(A->space, &find_other_rows, A->n, &work, &found, error);
    *everywhere = !status && found.sum == 0;
    rows_release(A->space, copy);
    return status;
}
#endif

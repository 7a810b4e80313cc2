#include "precondition/row_chains.h"

#include "space/define_pass.h"
#include "space/rows.h"
#include "spmv/device_csr.h"

#include <float.h>

ELEMENTS_SUMS(row_chains, row_chains_work, 1, 1)
PASS(pass_row_chains, row_chains, row_chains_work, .name = "a product with rows",
     .sum = row_chains_sum, .apart_on_cuda = true, .reads = 1, .writes = 1, .summed = 2)

ELEMENTS_AT(row_chains_columns, row_chains_work)
PASS(pass_row_chains_columns, row_chains_columns, row_chains_work,
     .name = "a product with rows, for columns", .reads = 1, .writes = 1)

ELEMENTS_AT(row_chains_singles, row_chains_singles)
PASS(pass_row_chains_singles, row_chains_singles, row_chains_singles,
     .name = "a product of singles with rows", .reads = 0.5, .writes = 0.5)

/* Row i in singles. The greatest n - i of a wrong row i. */
FIND_AT(rounding_rows, row_chains)
{
    for (int64_t k = work->offsets[i]; k < work->offsets[i + 1]; k++) {
        float single = (float)work->doubles[k];
        work->singles[k] = single;
        if (!isfinite(single) || (work->columns[k] == i && !(fabsf(single) >= FLT_MIN)))
            found_most(found, 0, (double)(work->n - i));
    }
}

FIND(find_rounded, rounding_rows, row_chains, "rows in single precision")

#ifndef __CUDACC__
/* Rows on the host go to the space. */
static enum status bring(struct space *space, struct csr *R, struct error *error)
{
    struct csr brought;
    if (R->space || space->operations->kind == SPACE_CPU)
        return STATUS_OK;
    enum status status = device_csr_bring(space, R, &brought, error);
    if (status)
        return status;
    csr_free(R);
    *R = brought;
    return STATUS_OK;
}

enum status row_chains_round(struct space *space, struct row_chains *rows, int64_t *wrong,
                             struct error *error)
{
    struct found found;
    enum status status = rows_array(space, rows->nnz, sizeof *rows->singles,
                                    "rows in single precision", (void **)&rows->singles, error);
    if (!status)
        status = space_find(space, &find_rounded, rows->n, rows, &found, error);
    if (status)
        return status;
    *wrong = found.most[0] > 0 ? rows->n - (int64_t)found.most[0] : rows->n;
    space_release(space, rows->doubles);
    rows->doubles = NULL;
    return STATUS_OK;
}

enum status row_chains_take(struct space *space, struct csr *R, bool singles,
                            struct row_chains *rows, int64_t *wrong, struct error *error)
{
    *rows = (struct row_chains){0};
    *wrong = R->n;
    enum status status = bring(space, R, error);
    if (status)
        return status;
    *rows = (struct row_chains){R->n, R->nnz, R->offsets, R->columns, R->values, NULL};
    *R = (struct csr){0};
    return singles ? row_chains_round(space, rows, wrong, error) : STATUS_OK;
}

void row_chains_free(struct space *space, struct row_chains *rows)
{
    space_release(space, rows->offsets);
    space_release(space, rows->columns);
    space_release(space, rows->doubles);
    space_release(space, rows->singles);
    *rows = (struct row_chains){0};
}

int64_t row_chains_bytes(const struct row_chains *rows)
{
    size_t value = rows->singles ? sizeof *rows->singles : sizeof *rows->doubles;
    return (rows->n + 1) * (int64_t)sizeof *rows->offsets +
           rows->nnz * (int64_t)(sizeof *rows->columns + value);
}
#endif

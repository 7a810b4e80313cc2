#include "precondition/transposed_rows.h"

#include "space/define_pass.h"
#include "space/rows.h"
#include "spmv/device_csr.h"

#define PASS_OF_ENTRIES(its)                                                                       \
    ELEMENTS_AT(its, transposing)                                                                  \
    PASS(pass_##its, its, transposing, .name = "transposed rows", .always = true)

PASS_OF_ENTRIES(transposing)
PASS_OF_ENTRIES(ending_transposed)

#ifndef __CUDACC__
static const char what[] = "transposed rows";

/* Room for as many entries as the sort has counted. */
static enum status take_room(const struct csr *R, struct transposing *work, struct error *error)
{
    struct space *space = R->space;
    uint32_t count = 0;
    enum status status = rows_download(space, sizeof count, work->begins + R->width, &count, error);
    if (!status)
        status =
            space ? device_csr_create(space, CSR_GENERAL, R->width, count, &work->transposed, error)
                  : csr_create(&work->transposed, CSR_GENERAL, R->width, count, error);
    work->transposed.width = R->n;
    return status;
}

enum status transposed_rows(const struct csr *R, struct csr *transposed, struct error *error)
{
    struct space *space = R->space;
    uint32_t *order = NULL;
    struct transposing work = {.R = *R};
    enum status status =
        rows_array(space, R->nnz, sizeof *work.rows, what, (void **)&work.rows, error);
    if (!status)
        status =
            rows_array(space, R->nnz + R->width + 2, sizeof *order, what, (void **)&order, error);
    uint32_t *begins = order ? order + R->nnz : NULL;
    work.order = order;
    work.begins = begins;
    if (!status)
        status = rows_number(space, R->n, R->offsets, work.rows, error);
    if (!status)
        status = rows_sort(space, R->nnz, R->columns, R->width, order, begins, error);
    if (!status)
        status = take_room(R, &work, error);
    if (!status)
        status = rows_run(space, &pass_transposing, work.transposed.nnz, &work, error);
    if (!status)
        status = rows_run(space, &pass_ending_transposed, R->width + 1, &work, error);
    rows_release(space, work.rows);
    rows_release(space, order);
    if (status)
        device_csr_free(&work.transposed);
    *transposed = work.transposed;
    return status;
}
#endif

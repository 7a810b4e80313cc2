#include "spmv/lower_rows.h"

#include "space/define_pass.h"
#include "space/rows.h"
#include "spmv/device_csr.h"

#define PASS_OF_ENTRIES(its)                                                                       \
    ELEMENTS_AT(its, lowering)                                                                     \
    PASS(pass_##its, its, lowering, .name = "the lower triangle", .always = true)

PASS_OF_ENTRIES(lowering)
PASS_OF_ENTRIES(ending_rows)

#ifndef __CUDACC__
static enum status take_room(struct space *space, const struct csr *A, uint32_t **order,
                             struct lowering *work, struct error *error)
{
    static const char what[] = "the lower triangle";
    enum status status =
        device_csr_create(space, CSR_GENERAL, A->n, A->nnz - A->n, &work->lower, error);
    if (!status)
        status = rows_array(space, A->nnz, sizeof *work->rows, what, (void **)&work->rows, error);
    if (!status)
        status = rows_array(space, A->nnz + A->n + 2, sizeof **order, what, (void **)order, error);
    return status;
}

enum status lower_rows(const struct csr *A, struct csr *lower, struct error *error)
{
    struct space *space = A->space;
    uint32_t *order = NULL;
    if (!space)
        return csr_lower(A, lower, error);
    struct lowering work = {.upper = *A};
    enum status status = take_room(space, A, &order, &work, error);
    uint32_t *begins = order + A->nnz;
    work.order = order;
    work.begins = begins;
    if (!status)
        status = rows_number(space, A->n, A->offsets, work.rows, error);
    if (!status)
        status = rows_sort(space, A->nnz, A->columns, A->n, order, begins, error);
    if (!status)
        status = rows_run(space, &pass_lowering, A->nnz, &work, error);
    if (!status)
        status = rows_run(space, &pass_ending_rows, A->n + 1, &work, error);
    rows_release(space, work.rows);
    rows_release(space, order);
    if (status)
        device_csr_free(&work.lower);
    *lower = work.lower;
    return status;
}
#endif

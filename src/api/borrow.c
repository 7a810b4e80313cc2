/* A matrix whose columns and values stay the caller's. They are read as they are, so they must be
 * what a struct csr wants. */
#include "api/arrays.h"

#include "base/memory.h"

#include <inttypes.h>

static enum status check_form(const struct cgs_matrix_data *data, struct error *error)
{
    const char *wanted = NULL;
    if (!data->offsets)
        wanted = "offsets, not rows";
    else if (data->part != CGS_UPPER)
        wanted = "CGS_UPPER";
    else if (data->index != CGS_INT32)
        wanted = "CGS_INT32";
    else if (data->real != CGS_DOUBLE)
        wanted = "CGS_DOUBLE";
    else if (data->base != 0)
        wanted = "base 0";
    return wanted ? error_set(error, STATUS_CONFIG, "a matrix that borrows its arrays wants %s",
                              wanted)
                  : STATUS_OK;
}

/* Whether columns [begin, end) of row i are the diagonal and then others, in order. */
static enum status check_row(const int32_t *columns, int64_t begin, int64_t end, int64_t i,
                             struct error *error)
{
    if (begin == end || columns[begin] != i)
        return error_set(error, STATUS_INPUT,
                         "row %" PRId64 " does not begin with a(%" PRId64 ",%" PRId64
                         "): borrowed arrays hold the diagonal first in each row, zero or not",
                         i + 1, i + 1, i + 1);
    for (int64_t k = begin + 1; k < end; k++)
        if (columns[k] <= columns[k - 1])
            return error_set(error, STATUS_INPUT,
                             "a(%" PRId64 ",%d) stands behind a(%" PRId64
                             ",%d): in borrowed arrays the columns of a row increase",
                             i + 1, columns[k] + 1, i + 1, columns[k - 1] + 1);
    return STATUS_OK;
}

static enum status check_all(const struct csr *A, struct error *error)
{
    int64_t bad = A->n;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (int64_t i = 0; i < A->n; i++)
        if (check_row(A->columns, A->offsets[i], A->offsets[i + 1], i, NULL) && i < bad)
            bad = i;
    return bad == A->n ? STATUS_OK
                       : check_row(A->columns, A->offsets[bad], A->offsets[bad + 1], bad, error);
}

enum status arrays_borrow(const struct cgs_matrix_data *data, struct csr *A, struct error *error)
{
    bool sorted;
    *A = (struct csr){0};
    enum status status = arrays_check(data, &sorted, error);
    if (!status)
        status = check_form(data, error);
    if (status)
        return status;
    int64_t n = data->n, *offsets = memory_array(n + 1, sizeof *offsets, "the matrix", error);
    if (!offsets)
        return STATUS_MEMORY;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i <= n; i++)
        offsets[i] = ((const int32_t *)data->offsets)[i];
    *A = (struct csr){.kind = data->kind == CGS_SKEW ? CSR_SKEW : CSR_SYMMETRIC,
                      .n = n,
                      .width = n,
                      .nnz = data->nnz,
                      .offsets = offsets,
                      .columns = (int32_t *)data->columns,
                      .values = (double *)data->values};
    status = check_all(A, error);
    if (status)
        arrays_give_back(A);
    return status;
}

void arrays_give_back(struct csr *A)
{
    memory_free(A->offsets);
    *A = (struct csr){0};
}

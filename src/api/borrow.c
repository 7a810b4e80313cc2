/* A matrix with borrowed columns and values. They are not converted, so they must obey the rules of
 * struct csr. */
#include "api/arrays.h"
#include "api/integers.h"

#include "base/memory.h"
#include "base/threads.h"

#include <inttypes.h>

static enum status check_form(const struct cgs_matrix_data *data, struct error *error)
{
    const char *wanted = NULL;
    if (!data->offsets.data)
        wanted = "offsets, not rows";
    else if (data->part != CGS_UPPER)
        wanted = "CGS_UPPER";
    else if (data->columns.type != CGS_INT32)
        wanted = "columns of CGS_INT32";
    else if (data->values.type != CGS_DOUBLE)
        wanted = "values of CGS_DOUBLE";
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
                             "a(%" PRId64 ",%d) follows a(%" PRId64
                             ",%d): in borrowed arrays the columns of a row increase",
                             i + 1, columns[k] + 1, i + 1, columns[k - 1] + 1);
    return STATUS_OK;
}

struct borrowing {
    const struct cgs_array *offsets; /* the caller's */
    struct csr *A;
    int64_t bad; /* the first row with a fault, or n */
};

static void borrow_rows(void *context, int64_t begin, int64_t end)
{
    struct borrowing *borrowing = context;
    const struct csr *A = borrowing->A;
    for (int64_t i = begin; i < end; i++) {
        int64_t first = given_at(borrowing->offsets, i), last = given_at(borrowing->offsets, i + 1);
        A->offsets[i + 1] = last;
        if (check_row(A->columns, first, last, i, NULL))
            ATOMIC_LEAST(&borrowing->bad, i);
    }
}

/* Makes A->offsets. */
static enum status borrow_all(const struct cgs_array *offsets, struct csr *A, struct error *error)
{
    struct borrowing borrowing = {offsets, A, A->n};
    A->offsets[0] = 0;
    threads_each(threads_lent(), A->n, borrow_rows, &borrowing);
    int64_t bad = borrowing.bad;
    return bad == A->n ? STATUS_OK
                       : check_row(A->columns, A->offsets[bad], A->offsets[bad + 1], bad, error);
}

enum status arrays_borrow(const struct cgs_matrix_data *data, struct csr *A, struct error *error)
{
    struct array_rows_seen seen;
    *A = (struct csr){0};
    enum status status = arrays_check(data, &seen, error);
    if (!status)
        status = check_form(data, error);
    if (status)
        return status;
    int64_t n = data->n, *offsets = memory_array(n + 1, sizeof *offsets, "the matrix", error);
    if (!offsets)
        return STATUS_MEMORY;
    *A = (struct csr){.kind = data->kind == CGS_SKEW ? CSR_SKEW : CSR_SYMMETRIC,
                      .n = n,
                      .width = n,
                      .nnz = data->columns.rows,
                      .offsets = offsets,
                      .columns = data->columns.data,
                      .values = data->values.data};
    status = borrow_all(&data->offsets, A, error);
    if (status)
        arrays_give_back(A);
    return status;
}

void arrays_give_back(struct csr *A)
{
    memory_free(A->offsets);
    *A = (struct csr){0};
}

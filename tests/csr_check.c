#include "csr_check.h"

#include <inttypes.h>
#include <math.h>

static enum status check_row(const struct csr *A, int64_t i, struct error *error)
{
    int64_t begin = A->offsets[i], end = A->offsets[i + 1];
    if (begin > end || end > A->nnz)
        return error_set(error, STATUS_INPUT,
                         "row %" PRId64 ": its offsets do not lie in order within the entries",
                         i + 1);
    if (A->kind != CSR_GENERAL && (begin == end || A->columns[begin] != i))
        return error_set(error, STATUS_INPUT,
                         "row %" PRId64 ": the diagonal entry does not come first", i + 1);
    int64_t previous = -1;
    for (int64_t k = begin; k < end; k++) {
        int64_t j = A->columns[k];
        if (j < 0 || j >= A->width)
            return error_set(error, STATUS_INPUT,
                             "row %" PRId64 ": column %" PRId64 " lies outside 1 to %" PRId64,
                             i + 1, j + 1, A->width);
        if (j <= previous)
            return error_set(error, STATUS_INPUT,
                             "row %" PRId64 ": column %" PRId64 " does not come after column "
                             "%" PRId64,
                             i + 1, j + 1, previous + 1);
        if (!isfinite(A->values[k]))
            return error_set(error, STATUS_INPUT,
                             "row %" PRId64 ", column %" PRId64 ": the value %g is not finite",
                             i + 1, j + 1, A->values[k]);
        previous = j;
    }
    if (A->kind == CSR_SKEW && A->values[begin] != 0)
        return error_set(error, STATUS_INPUT,
                         "row %" PRId64 ": the diagonal %g of a skew-symmetric matrix is not zero",
                         i + 1, A->values[begin]);
    return STATUS_OK;
}

enum status csr_check(const struct csr *A, struct error *error)
{
    if (A->n < 1 || A->n > INT32_MAX)
        return error_set(error, STATUS_INPUT, "n = %" PRId64 " lies outside 1 to %" PRId32, A->n,
                         INT32_MAX);
    if (A->width < 1 || A->width > INT32_MAX)
        return error_set(error, STATUS_INPUT, "%" PRId64 " columns: not from 1 to %" PRId32,
                         A->width, INT32_MAX);
    if (A->kind != CSR_GENERAL && A->width != A->n)
        return error_set(error, STATUS_INPUT,
                         "a symmetric matrix of %" PRId64 " rows and %" PRId64 " columns", A->n,
                         A->width);
    if (A->offsets[0] != 0 || A->offsets[A->n] != A->nnz)
        return error_set(error, STATUS_INPUT, "the row offsets do not span the entries");
    for (int64_t i = 0; i < A->n; i++) {
        enum status status = check_row(A, i, error);
        if (status)
            return status;
    }
    return STATUS_OK;
}

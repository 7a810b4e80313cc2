#include "spmv/single.h"

#include "base/memory.h"

#include <math.h>

enum status single_check_largest(double largest, struct error *error)
{
    if (isfinite((float)largest))
        return STATUS_OK;
    return error_set(error, STATUS_CONFIG,
                     "precision: a value of size %g is too large for single precision", largest);
}

enum status single_check(const struct csr *A, struct error *error)
{
    double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
    for (int64_t k = 0; k < A->nnz; k++)
        largest = fmax(largest, fabs(A->values[k]));
    return single_check_largest(largest, error);
}

void single_narrow(const double *values, int64_t count, float *singles)
{
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < count; k++)
        singles[k] = (float)values[k];
}

enum status single_values(const struct csr *A, float **singles, struct error *error)
{
    *singles = memory_array(A->nnz, sizeof **singles, "the values in single precision", error);
    if (!*singles)
        return STATUS_MEMORY;
    single_narrow(A->values, A->nnz, *singles);
    return STATUS_OK;
}

enum status single_round(const struct csr *A, struct csr *rounded, struct error *error)
{
    *rounded = *A;
    rounded->maker = NULL;
    rounded->values = memory_array(A->nnz, sizeof *A->values, "the rounded values", error);
    if (!rounded->values)
        return STATUS_MEMORY;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < A->nnz; k++)
        rounded->values[k] = (float)A->values[k];
    return STATUS_OK;
}

int64_t single_bytes(const struct csr *A)
{
    return csr_bytes(A) - A->nnz * (int64_t)(sizeof(double) - sizeof(float));
}

int64_t single_bytes_full(const struct csr *A, bool narrow)
{
    struct csr full = {.n = A->n, .nnz = csr_nnz_full(A)};
    return narrow ? single_bytes(&full) : csr_bytes(&full);
}

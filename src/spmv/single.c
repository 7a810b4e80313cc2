#include "spmv/single.h"

#include "base/memory.h"

#include <math.h>

enum status single_values(const struct csr *A, float **singles, struct error *error)
{
    float *values = memory_array(A->nnz, sizeof *values, "the values in single precision", error);
    *singles = values;
    if (!values)
        return STATUS_MEMORY;
    double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
    for (int64_t k = 0; k < A->nnz; k++) {
        values[k] = (float)A->values[k];
        largest = fmax(largest, fabs(A->values[k]));
    }
    if (isfinite((float)largest))
        return STATUS_OK;
    memory_free(values);
    *singles = NULL;
    return error_set(error, STATUS_CONFIG,
                     "precision: a value of size %g is too large for single precision", largest);
}

int64_t single_bytes(const struct csr *A)
{
    return csr_bytes(A) - A->nnz * (int64_t)(sizeof(double) - sizeof(float));
}

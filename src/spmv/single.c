#include "spmv/single.h"

#include "base/memory.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

enum status single_check_largest(double largest, struct error *error)
{
    if (isfinite((float)largest))
        return STATUS_OK;
    return error_set(error, STATUS_CONFIG,
                     "precision: a value of size %g is too large for single precision", largest);
}

/* Of each row the largest |a_ij|, mirrored entries too. */
static void find_largest(const struct csr *A, double *largest)
{
    for (int64_t i = 0; i < A->n; i++)
        largest[i] = 0;
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            int32_t j = A->columns[k];
            double size = fabs(A->values[k]);
            largest[i] = fmax(largest[i], size);
            if (A->kind != CSR_GENERAL)
                largest[j] = fmax(largest[j], size);
        }
}

/* Values that lose digits below FLT_MIN are nothing beside a larger one of their row; a row of such
 * values is lost. */
static enum status check_rows(const struct csr *A, struct error *error)
{
    double *largest = memory_array(A->width > A->n ? A->width : A->n, sizeof *largest,
                                   "the largest value of each row", error);
    enum status status = largest ? STATUS_OK : STATUS_MEMORY;
    if (!status)
        find_largest(A, largest);
    for (int64_t i = 0; i < A->n && !status; i++)
        if (largest[i] > 0 && largest[i] < FLT_MIN)
            status = error_set(error, STATUS_CONFIG,
                               "precision: row %" PRId64 " has no value above a size of %g, which "
                               "is too small for single precision",
                               i + 1, largest[i]);
    memory_free(largest);
    return status;
}

enum status single_check(const struct csr *A, struct error *error)
{
    double largest = 0, least = INFINITY; /* but for 0 */
#pragma omp parallel for schedule(static) reduction(max : largest) reduction(min : least)
    for (int64_t k = 0; k < A->nnz; k++) {
        double size = fabs(A->values[k]);
        largest = fmax(largest, size);
        least = size > 0 ? fmin(least, size) : least;
    }
    enum status status = single_check_largest(largest, error);
    return status || least >= FLT_MIN ? status : check_rows(A, error);
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

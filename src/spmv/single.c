#include "spmv/single.h"

#include "base/memory.h"
#include "base/threads.h"

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

/* Values, and what is made or found of them. */
struct values {
    const double *of;
    float *singles;
    double *rounded;
    double largest, least; /* size; but for 0 */
};

static void find_sizes(void *context, int64_t k, int64_t end)
{
    struct values *values = context;
    double largest = 0, least = INFINITY;
    for (; k < end; k++) {
        double size = fabs(values->of[k]);
        largest = fmax(largest, size);
        least = size > 0 ? fmin(least, size) : least;
    }
    ATOMIC_MOST(&values->largest, largest);
    ATOMIC_LEAST(&values->least, least);
}

enum status single_check(const struct csr *A, struct error *error)
{
    struct values values = {.of = A->values, .least = INFINITY};
    threads_each(threads_lent(), A->nnz, find_sizes, &values);
    enum status status = single_check_largest(values.largest, error);
    return status || values.least >= FLT_MIN ? status : check_rows(A, error);
}

static void narrow(void *context, int64_t k, int64_t end)
{
    const struct values *values = context;
    for (; k < end; k++)
        values->singles[k] = (float)values->of[k];
}

void single_narrow(const double *values, int64_t count, float *singles)
{
    threads_each(threads_lent(), count, narrow, &(struct values){.of = values, .singles = singles});
}

enum status single_values(const struct csr *A, float **singles, struct error *error)
{
    *singles = memory_array(A->nnz, sizeof **singles, "the values in single precision", error);
    if (!*singles)
        return STATUS_MEMORY;
    single_narrow(A->values, A->nnz, *singles);
    return STATUS_OK;
}

static void round_values(void *context, int64_t k, int64_t end)
{
    const struct values *values = context;
    for (; k < end; k++)
        values->rounded[k] = (float)values->of[k];
}

enum status single_round(const struct csr *A, struct csr *rounded, struct error *error)
{
    *rounded = *A;
    rounded->maker = NULL;
    rounded->values = memory_array(A->nnz, sizeof *A->values, "the rounded values", error);
    if (!rounded->values)
        return STATUS_MEMORY;
    threads_each(threads_lent(), A->nnz, round_values,
                 &(struct values){.of = A->values, .rounded = rounded->values});
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

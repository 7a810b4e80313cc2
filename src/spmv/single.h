/* The values of a matrix in single precision, for the kernels that keep them so. */
#ifndef SPMV_SINGLE_H
#define SPMV_SINGLE_H

#include "matrix/csr.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* STATUS_CONFIG when a value is too large for single precision, or all values of a row that are not
 * 0 are too small for its normal numbers. The second looks at the largest of all alone. Errors:
 * also STATUS_MEMORY. */
enum status single_check(const struct csr *A, struct error *error);
enum status single_check_largest(double largest, struct error *error);

/* singles[k] = fl(values[k]), k < count. */
void single_narrow(const double *values, int64_t count, float *singles);

/* *singles = an array of fl(A->values[k]), k < nnz, of an A that has passed single_check. The
 * caller calls memory_free. Errors: STATUS_MEMORY. */
enum status single_values(const struct csr *A, float **singles, struct error *error);

/* *rounded = A with the values fl(A->values[k]), as doubles; all else is A's, which has passed
 * single_check. The caller calls memory_free(rounded->values), which is NULL on failure. Errors:
 * STATUS_MEMORY. */
enum status single_round(const struct csr *A, struct csr *rounded, struct error *error);

/* csr_bytes of A with such values. */
int64_t single_bytes(const struct csr *A);

/* csr_bytes of the full matrix of A, with such values where `narrow`. */
int64_t single_bytes_full(const struct csr *A, bool narrow);

#ifdef __cplusplus
}
#endif
#endif

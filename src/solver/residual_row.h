/* One row of the true residual (residual.h), for host and device: the order of its terms is
 * b_i, the shift's, the mirrored entries in ascending order of their rows, and the row's own. */
#ifndef SOLVER_RESIDUAL_ROW_H
#define SOLVER_RESIDUAL_ROW_H

#include "base/host_device.h"
#include "matrix/csr.h"
#include "space/sum/compensated.h"

/* b_i - shift x_i; b = NULL: 0. */
CGSOLVE_HOST_AND_DEVICE static inline struct compensated
residual_row_begin(const double *b, double shift, const double *x, int64_t i)
{
    struct compensated r = {b ? b[i] : 0, 0};
    return shift != 0 ? compensated_add_product(r, -shift, x[i]) : r;
}

/* Less the entry k of A times x_j, or times that of a mirrored entry, sign x_j. */
CGSOLVE_HOST_AND_DEVICE static inline struct compensated
residual_row_subtract(struct compensated r, const struct csr *A, int64_t k, double x)
{
    return compensated_add_product(r, -A->values[k], x);
}

/* Less (A x)_i, for a symmetric or skew-symmetric A with entries at the distances from the diagonal
 * distances[count] alone, ascending, the first of them 0. */
CGSOLVE_HOST_AND_DEVICE static inline struct compensated
residual_row(struct compensated r, const struct csr *A, const int32_t *distances, int count,
             const double *x, int64_t i)
{
    double sign = A->kind == CSR_SKEW ? -1 : 1;
    for (int p = count - 1; p > 0; p--) {
        int64_t j = i - distances[p], k = j < 0 ? -1 : csr_find_entry(A, j, i);
        if (k >= 0)
            r = residual_row_subtract(r, A, k, sign * x[j]);
    }
    for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
        r = residual_row_subtract(r, A, k, x[A->columns[k]]);
    return r;
}

#endif

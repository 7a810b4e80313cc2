/* One row of the true residual (residual.h), for host and device: the order of its terms is
 * b_i, the shift's, the mirrored entries in ascending order of their rows, and the row's own. */
#ifndef SOLVER_RESIDUAL_ROW_H
#define SOLVER_RESIDUAL_ROW_H

#include "cgsolve/csr.h"
#include "cgsolve/host_device.h"
#include "space/compensated.h"

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

#endif

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

/* Less the row's own entries times x. */
CGSOLVE_HOST_AND_DEVICE static inline struct compensated
residual_row_own(struct compensated r, const struct csr *A, const double *x, int64_t i)
{
    for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
        r = residual_row_subtract(r, A, k, x[A->columns[k]]);
    return r;
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
    return residual_row_own(r, A, x, i);
}

/* The entries of A by their columns, those of a column by their rows: column j has entries[m],
 * begins[j] <= m < begins[j + 1], the last of them its diagonal. */
struct residual_columns {
    const uint32_t *begins;  /* [n + 1] */
    const uint32_t *entries; /* [nnz], the place of each among A's */
    const int32_t *rows;     /* [nnz], the row of A's entry k */
};

/* The same by these. */
CGSOLVE_HOST_AND_DEVICE static inline struct compensated
residual_row_by_columns(struct compensated r, const struct csr *A,
                        const struct residual_columns *columns, const double *x, int64_t i)
{
    double sign = A->kind == CSR_SKEW ? -1 : 1;
    for (int64_t m = columns->begins[i]; m + 1 < columns->begins[i + 1]; m++) {
        int64_t k = columns->entries[m];
        r = residual_row_subtract(r, A, k, sign * x[columns->rows[k]]);
    }
    return residual_row_own(r, A, x, i);
}

#endif

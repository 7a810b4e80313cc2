#include "solver/residual.h"

#include "base/memory.h"
#include "base/multiversion.h"
#include "space/compensated.h"

#include <math.h>

MULTIVERSION static void subtract_matrix(const struct csr *A, const double *x,
                                         struct compensated *r)
{
    double sign = A->kind == CSR_SKEW ? -1 : 1;
    for (int64_t i = 0; i < A->n; i++) {
        double mirrored = sign * x[i];
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            int32_t j = A->columns[k];
            r[i] = compensated_add_product(r[i], -A->values[k], x[j]);
            if (A->kind != CSR_GENERAL && j != i)
                r[j] = compensated_add_product(r[j], -A->values[k], mirrored);
        }
    }
}

double vector_norm(int64_t n, const double *v)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(v[i]))
            return NAN;
        largest = fmax(largest, fabs(v[i]));
    }
    if (largest == 0)
        return 0;
    int exponent;
    frexp(largest, &exponent);
    struct compensated squares = {0, 0};
    for (int64_t i = 0; i < n; i++) {
        double scaled = ldexp(v[i], -exponent);
        squares = compensated_add_product(squares, scaled, scaled);
    }
    return ldexp(sqrt(squares.sum + squares.error), exponent);
}

enum status residual_norm(const struct csr *A, const double *b, const double *x, double *norm,
                          struct error *error)
{
    struct compensated *r = memory_array(A->n, sizeof *r, "the true residual", error);
    if (!r)
        return STATUS_MEMORY;
    for (int64_t i = 0; i < A->n; i++)
        r[i] = (struct compensated){b[i], 0};
    subtract_matrix(A, x, r);
    double *rounded = (double *)r;
    for (int64_t i = 0; i < A->n; i++)
        rounded[i] = r[i].sum + r[i].error;
    *norm = vector_norm(A->n, rounded);
    memory_free(r);
    return STATUS_OK;
}

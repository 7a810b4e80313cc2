#include "matrix/multiply.h"

CSR_MULTIPLY_ROWS(multiply_rows, double, double, double)
CSR_MULTIPLY_UPPER(multiply_upper, double, double, double)

void csr_multiply_rows(const struct csr *A, int64_t begin, int64_t end, const double *x, double *y)
{
    multiply_rows(A, A->values, begin, end, x, y);
}

void csr_multiply(const struct csr *A, const double *x, double *y)
{
    if (A->kind == CSR_GENERAL)
        multiply_rows(A, A->values, 0, A->n, x, y);
    else
        multiply_upper(A, A->values, A->kind == CSR_SKEW ? -1 : 1, x, y);
}

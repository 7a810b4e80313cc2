#include "cgsolve/csr.h"

#include "base/multiversion.h"

#include <math.h>
#include <string.h>

MULTIVERSION static void multiply_rows(const struct csr *A, int64_t begin, int64_t end,
                                       const double *x, double *y)
{
    for (int64_t i = begin; i < end; i++) {
        double sum = 0;
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
            sum = fma(A->values[k], x[A->columns[k]], sum);
        y[i] = sum;
    }
}

void csr_multiply_rows(const struct csr *A, int64_t begin, int64_t end, const double *x, double *y)
{
    multiply_rows(A, begin, end, x, y);
}

enum { AHEAD = 4096 };

/* Zero y from `zeroed` to the given column, and some way ahead; gives where it stopped. */
static int64_t zero_ahead(const struct csr *A, int64_t zeroed, int64_t column, double *y)
{
    int64_t end = A->n - column < AHEAD ? A->n : column + AHEAD;
    memset(y + zeroed, 0, (size_t)(end - zeroed) * sizeof *y);
    return end;
}

/* Every entry right of the diagonal is used twice: in its own row, and in the row of its column,
 * which lies below and has so far met the columns left of i only. Each row's additions therefore
 * come in ascending column order, as if the full row were walked. y is zeroed just ahead of the
 * farthest column met, so that it passes through memory once. */
MULTIVERSION static void multiply_upper(const struct csr *A, double sign, const double *x,
                                        double *y)
{
    int64_t zeroed = 0;
    for (int64_t i = 0; i < A->n; i++) {
        int64_t k = A->offsets[i], end = A->offsets[i + 1];
        if (zeroed <= A->columns[end - 1])
            zeroed = zero_ahead(A, zeroed, A->columns[end - 1], y);
        double mirrored = sign * x[i];
        double sum = fma(A->values[k], x[i], y[i]);
        for (k++; k < end; k++) {
            int32_t j = A->columns[k];
            sum = fma(A->values[k], x[j], sum);
            y[j] = fma(A->values[k], mirrored, y[j]);
        }
        y[i] = sum;
    }
}

void csr_multiply(const struct csr *A, const double *x, double *y)
{
    if (A->kind == CSR_GENERAL)
        multiply_rows(A, 0, A->n, x, y);
    else
        multiply_upper(A, A->kind == CSR_SKEW ? -1 : 1, x, y);
}

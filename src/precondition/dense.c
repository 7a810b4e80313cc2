#include "precondition/dense.h"

#include "base/multiversion.h"

#include <math.h>

void dense_take(const struct csr *A, int64_t first, struct dense *dense)
{
    int64_t m = dense->m, stride = dense->stride;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j <= i; j++)
            dense->l[i * stride + j] = 0;
    for (int64_t j = 0; j < m; j++)
        for (int64_t k = A->offsets[first + j]; k < A->offsets[first + j + 1]; k++) {
            int64_t i = A->columns[k] - first;
            if (i >= m)
                break;
            dense->l[i * stride + j] = A->values[k];
        }
}

/* d_j is 0 until all pivots are known. */
static void drop(struct dense *dense, int64_t j)
{
    dense->d[j] = 0;
    for (int64_t i = j + 1; i < dense->m; i++)
        dense->l[i * dense->stride + j] = 0;
}

MULTIVERSION int64_t dense_factor(struct dense *dense)
{
    int64_t m = dense->m, stride = dense->stride;
    double *d = dense->d, *l = dense->l, *lower = dense->lower;
    for (int64_t j = 0; j < m; j++) {
        d[j] = l[j * stride + j];
        for (int64_t k = 0; k < j; k++) {
            lower[k] = l[j * stride + k] * d[k];
            d[j] = fma(-lower[k], l[j * stride + k], d[j]);
        }
        if (dense->from && d[j] >= dense->from[j] && d[j] <= dense->until[j]) {
            drop(dense, j);
            continue;
        }
        if (!(d[j] > 0 && isfinite(d[j]) && isfinite(1 / d[j])))
            return j;
        for (int64_t i = j + 1; i < m; i++) {
            double s = l[i * stride + j];
            for (int64_t k = 0; k < j; k++)
                s = fma(-lower[k], l[i * stride + k], s);
            l[i * stride + j] = s / d[j];
        }
    }
    for (int64_t j = 0; j < m; j++)
        d[j] = d[j] == 0 ? INFINITY : d[j];
    return m;
}

MULTIVERSION bool dense_invert(struct dense *dense, int64_t column, double *inverse)
{
    int64_t m = dense->m, stride = dense->stride;
    const double *d = dense->d, *l = dense->l;
    double *w = dense->w;
    bool finite = true;
    for (int64_t j = 0; j < m; j++) {
        w[j * stride + j] = 1;
        for (int64_t i = j + 1; i < m; i++) {
            double s = -l[i * stride + j];
            for (int64_t k = j + 1; k < i; k++)
                s = fma(-l[i * stride + k], w[k * stride + j], s);
            w[i * stride + j] = s;
        }
    }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = i; j < m; j++) {
            double b = 0;
            for (int64_t k = j; k < m; k++)
                b = fma(w[k * stride + i] / d[k], w[k * stride + j], b);
            finite = finite && isfinite(b);
            inverse[j * column + i] = inverse[i * column + j] = b;
        }
    return finite;
}

#include "precondition/multigrid/rescale.h"

#include "base/memory.h"

#include <math.h>

/* Of the couplings between aggregate `at` along the axis and the next one. */
static double ratio(const struct cells *cells, int axis, int64_t at)
{
    if (!cells_halved(cells, axis))
        return 1;
    int now = cells->halvings[axis];
    int64_t n = cells->n[axis], before = cells->before[axis];
    return (cells_width(cells, axis, now, n, at) + cells_width(cells, axis, now, n, at + 1)) /
           (cells_width(cells, axis, now - 1, before, 2 * at + 1) +
            cells_width(cells, axis, now - 1, before, 2 * at + 2));
}

/* f_IJ */
static double factor(const struct rescaling *by, int64_t I, int64_t J)
{
    if (by->cells->n[0] == 0)
        return by->correction;
    double most = 1;
    for (int axis = 0; axis < 3; axis++) {
        int64_t n = by->cells->n[axis], i = axis < 2 ? I % n : I, j = axis < 2 ? J % n : J;
        if (i != j)
            most = fmax(most, ratio(by->cells, axis, i < j ? i : j));
        I /= n;
        J /= n;
    }
    return 1 + (by->correction - 1) * (most - 1);
}

enum status rescale(const struct rescaling *by, struct csr *coarse, struct error *error)
{
    int64_t n = coarse->n;
    if (by->of_sum == 0) {
#pragma omp parallel for schedule(static)
        for (int64_t k = 0; k < coarse->nnz; k++)
            coarse->values[k] /= by->correction;
        return STATUS_OK;
    }
    double *ones = memory_array(3 * n, sizeof *ones, "the sums of the rows", error);
    if (!ones)
        return STATUS_MEMORY;
    double *sums = ones + n, *couplings = sums + n;
    for (int64_t i = 0; i < n; i++)
        ones[i] = 1;
    csr_multiply(coarse, ones, sums);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        int64_t k = coarse->offsets[i];
        coarse->values[k] = 0;
        for (k++; k < coarse->offsets[i + 1]; k++)
            coarse->values[k] /= factor(by, i, coarse->columns[k]);
    }
    csr_multiply(coarse, ones, couplings);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        coarse->values[coarse->offsets[i]] =
            (sums[i] > 0 ? by->of_sum * sums[i] : sums[i] / by->correction) - couplings[i];
    memory_free(ones);
    return STATUS_OK;
}

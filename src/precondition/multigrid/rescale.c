#include "precondition/multigrid/rescale.h"

#include "base/memory.h"
#include "precondition/multigrid/grid_rows.h"

#include <math.h>
#include <string.h>

/* f_IJ */
static double factor(const struct rescaling *by, int64_t I, int64_t J)
{
    if (by->cells->n[0] == 0)
        return by->correction;
    struct cell i = cell_of(by->cells->n, I), j = cell_of(by->cells->n, J);
    return rescale_factor(by->cells, by->correction, &i, &j);
}

/* S of every row. of[n block]: for each row its sums over the columns of each unknown. */
static void sum_rows(const struct csr *A, int64_t block, double *of, double *sums)
{
    memset(of, 0, (size_t)(A->n * block) * sizeof *of);
    for (int64_t i = 0; i < A->n; i++) {
        int64_t own = i % block;
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            int64_t j = A->columns[k];
            of[i * block + (uint32_t)j % (uint32_t)block] += A->values[k];
            if (j > i)
                of[j * block + own] += A->values[k];
        }
    }
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < A->n; i++) {
        sums[i] = of[i * block + i % block];
        for (int64_t c = 0; c < block; c++)
            sums[i] -= c == i % block ? 0 : fabs(of[i * block + c]);
    }
}

/* What becomes of S, in its place. */
static void keep_sums(const struct rescaling *by, int64_t n, double *sums)
{
    double least = INFINITY;
#pragma omp parallel for schedule(static) reduction(min : least)
    for (int64_t i = 0; i < n; i++)
        least = fmin(least, sums[i]);
    least = rescale_mass(by->correction, by->block, least);
    double of_sum = fmax(by->of_sum, 1 / by->correction);
    double most = rescale_most(by->cells, by->correction);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        sums[i] = rescale_kept(least, of_sum, most, sums[i]);
}

static void rescale_blocks(const struct rescaling *by, struct csr *coarse, const double *sums,
                           const double *kept)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < coarse->n; i++) {
        int64_t k = coarse->offsets[i];
        for (int64_t m = k; m < coarse->offsets[i + 1]; m++)
            coarse->values[m] /= by->correction;
        coarse->values[k] += kept[i] - sums[i] / by->correction;
    }
}

static void rescale_rows(const struct rescaling *by, struct csr *coarse, double *ones,
                         double *couplings, const double *kept)
{
    int64_t n = coarse->n;
    double most = rescale_most(by->cells, by->correction);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        int64_t k = coarse->offsets[i];
        ones[i] = 1;
        coarse->values[k] = 0;
        for (k++; k < coarse->offsets[i + 1]; k++)
            coarse->values[k] =
                rescale_coupling(coarse->values[k], factor(by, i, coarse->columns[k]), most);
    }
    csr_multiply(coarse, ones, couplings);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        coarse->values[coarse->offsets[i]] = kept[i] - couplings[i];
}

enum status rescale(const struct rescaling *by, struct csr *coarse, struct error *error)
{
    int64_t n = coarse->n, more = by->block > 1 ? by->block : 2;
    double *kept = memory_array((2 + more) * n, sizeof *kept, "the sums of the rows", error);
    if (!kept)
        return STATUS_MEMORY;
    double *sums = kept + n, *room = sums + n;
    sum_rows(coarse, by->block, room, sums);
    memcpy(kept, sums, (size_t)n * sizeof *kept);
    keep_sums(by, n, kept);
    if (by->block > 1)
        rescale_blocks(by, coarse, sums, kept);
    else
        rescale_rows(by, coarse, room, room + n, kept);
    memory_free(kept);
    return STATUS_OK;
}

#include "precondition/multigrid/setup/rescale.h"

#include "precondition/multigrid/setup/grid_rows.h"
#include "space/define_pass.h"
#include "space/find.h"
#include "space/rows.h"
#include "spmv/device_csr.h"
#include "spmv/lower_rows.h"

#include <math.h>
#include <string.h>

struct rescaled {
    struct csr coarse, lower; /* lower: left of the diagonal, in the memory of a device */
    struct cells cells;
    int64_t block, begin, end; /* and the rows that this rank answers for */
    double correction, mass, of_sum, most;
    double *sums; /* [n]: S */
    double *of;   /* [n block]: for each row its sums over the columns of each unknown */
};

/* `sum` and the entries of row i that are in columns of the unknown. */
PASS_FUNCTION double add_entries(const struct csr *A, int64_t block, int64_t i, int64_t unknown,
                                 double sum)
{
    for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
        if (block == 1 || (uint32_t)A->columns[k] % (uint32_t)block == unknown)
            sum += A->values[k];
    return sum;
}

PASS_AT(adding_rows, rescaled)
{
    int64_t block = work->block;
    for (int64_t c = 0; c < block; c++)
        work->of[i * block + c] =
            add_entries(&work->coarse, block, i, c, add_entries(&work->lower, block, i, c, 0));
}

/* S_i, and the least: as the greatest of those with another sign. */
FIND_AT(summing, rescaled)
{
    int64_t block = work->block, own = block == 1 ? 0 : i % block;
    const double *of = work->of + i * block;
    double sum = of[own];
    for (int64_t c = 0; c < block; c++)
        sum -= c == own ? 0 : fabs(of[c]);
    work->sums[i] = sum;
    if (i >= work->begin && i < work->end)
        found_most(found, 0, -sum);
}

/* What becomes of S_i. */
PASS_FUNCTION double kept(const struct rescaled *by, int64_t i)
{
    return rescale_kept(by->mass, by->of_sum, by->most, by->sums[i]);
}

PASS_AT(rescaling_blocks, rescaled)
{
    const struct csr *coarse = &work->coarse;
    int64_t begin = coarse->offsets[i];
    for (int64_t k = begin; k < coarse->offsets[i + 1]; k++)
        coarse->values[k] /= work->correction;
    coarse->values[begin] += kept(work, i) - work->sums[i] / work->correction;
}

/* f_IJ */
PASS_FUNCTION double factor(const struct rescaled *by, int64_t I, int64_t J)
{
    if (by->cells.n[0] == 0)
        return by->correction;
    struct cell i = cell_of(by->cells.n, I), j = cell_of(by->cells.n, J);
    return rescale_factor(&by->cells, by->correction, &i, &j);
}

PASS_FUNCTION void rescale_entries(const struct rescaled *by, const struct csr *A, int64_t i,
                                   int64_t first)
{
    for (int64_t k = first; k < A->offsets[i + 1]; k++)
        A->values[k] = rescale_coupling(A->values[k], factor(by, i, A->columns[k]), by->most);
}

PASS_AT(rescaling_couplings, rescaled)
{
    int64_t begin = work->coarse.offsets[i];
    work->coarse.values[begin] = 0;
    rescale_entries(work, &work->coarse, i, begin + 1);
    if (work->lower.n > 0)
        rescale_entries(work, &work->lower, i, work->lower.offsets[i]);
}

PASS_AT(setting_diagonal, rescaled)
{
    work->coarse.values[work->coarse.offsets[i]] = kept(work, i) - work->of[i];
}

#define PASS_OF_SUMS(its)                                                                          \
    ELEMENTS_AT(its, rescaled)                                                                     \
    PASS(pass_##its, its, rescaled, .name = "a coarse matrix", .always = true)

PASS_OF_SUMS(adding_rows)
PASS_OF_SUMS(rescaling_blocks)
PASS_OF_SUMS(rescaling_couplings)
PASS_OF_SUMS(setting_diagonal)
FIND(find_summing, summing, rescaled, "the sums of the rows")

#ifndef __CUDACC__
/* On the host an entry is added to both of its rows as it is met: in the same order. */
static void add_blocks(const struct rescaled *by)
{
    const struct csr *A = &by->coarse;
    int64_t block = by->block;
    double *of = by->of;
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
}

/* `of` of both triangles. */
static enum status add_rows(const struct rescaled *by, struct error *error)
{
    struct space *space = by->coarse.space;
    int64_t n = by->coarse.n;
    if (space)
        return rows_run(space, &pass_adding_rows, n, by, error);
    double *ones = by->of + n;
    for (int64_t i = 0; i < n && by->block == 1; i++)
        ones[i] = 1;
    if (by->block == 1)
        csr_multiply(&by->coarse, ones, by->of);
    else
        add_blocks(by);
    return STATUS_OK;
}

enum status rescaling_mass(const struct rescaling *by, struct found *found, double *mass,
                           struct error *error)
{
    enum status status = ranks_join_found(by->slab ? by->slab->ranks : NULL, found, error);
    *mass = status ? 0 : rescale_mass(by->correction, by->block, -found->most[0]);
    return status;
}

/* S of all rows, and what follows from them. */
static enum status look_at_sums(const struct rescaling *by, struct rescaled *work,
                                struct error *error)
{
    struct space *space = work->coarse.space;
    struct slab_rows rows = rescaling_rows(by, work->coarse.n);
    struct found found;
    work->begin = rows.begin;
    work->end = rows.end;
    work->of_sum = fmax(by->of_sum, 1 / by->correction);
    work->most = rescale_most(rescaling_cells(by), by->correction);
    enum status status = add_rows(work, error);
    if (!status)
        status = space_find(space, &find_summing, work->coarse.n, work, &found, error);
    return status ? status : rescaling_mass(by, &found, &work->mass, error);
}

static enum status rescale_rows(const struct rescaled *work, struct error *error)
{
    struct space *space = work->coarse.space;
    int64_t n = work->coarse.n;
    if (work->block > 1)
        return rows_run(space, &pass_rescaling_blocks, n, work, error);
    enum status status = rows_run(space, &pass_rescaling_couplings, n, work, error);
    if (!status)
        status = add_rows(work, error);
    return status ? status : rows_run(space, &pass_setting_diagonal, n, work, error);
}

enum status rescale(const struct rescaling *by, struct csr *coarse, struct error *error)
{
    struct space *space = coarse->space;
    int64_t n = coarse->n, more = by->block > 1 ? by->block : 2;
    struct rescaled work = {
        .coarse = *coarse, .cells = *by->cells, .block = by->block, .correction = by->correction};
    enum status status = rows_array(space, (1 + more) * n, sizeof *work.sums,
                                    "the sums of the rows", (void **)&work.sums, error);
    if (!status && space)
        status = lower_rows(coarse, &work.lower, error);
    work.of = work.sums + n;
    if (!status)
        status = look_at_sums(by, &work, error);
    if (!status)
        status = rescale_rows(&work, error);
    device_csr_free(&work.lower);
    rows_release(space, work.sums);
    return status;
}
#endif

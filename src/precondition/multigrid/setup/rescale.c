#include "precondition/multigrid/setup/rescale.h"

#include "base/memory.h"
#include "base/threads.h"
#include "precondition/multigrid/setup/grid_rows.h"
#include "space/find.h"

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

/* The state of a loop that rescales the rows of A_c. */
struct making {
    const struct rescaling *by;
    struct csr *coarse;
    double *sums; /* [n]: S */
    double *room; /* [n block]: for each row its sums over the columns of each unknown; [2 n] */
    int64_t begin, end; /* the rows that this rank answers for */
    double least;       /* of their S */
    double mass, of_sum, most;
};

static void finish_sums(void *context, int64_t i, int64_t end)
{
    struct making *making = context;
    int64_t block = making->by->block;
    double least = INFINITY;
    for (; i < end; i++) {
        const double *of = making->room + i * block;
        double sum = of[i % block];
        for (int64_t c = 0; c < block; c++)
            sum -= c == i % block ? 0 : fabs(of[c]);
        making->sums[i] = sum;
        least = i >= making->begin && i < making->end ? fmin(least, sum) : least;
    }
    ATOMIC_LEAST(&making->least, least);
}

static void sum_rows(struct making *making)
{
    const struct csr *A = making->coarse;
    int64_t block = making->by->block;
    double *of = making->room;
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
    threads_each(threads_lent(), A->n, finish_sums, making);
}

/* What becomes of S. */
static double kept(const struct making *making, int64_t i)
{
    return rescale_kept(making->mass, making->of_sum, making->most, making->sums[i]);
}

static void rescale_blocks(void *context, int64_t i, int64_t end)
{
    const struct making *making = context;
    for (; i < end; i++)
        rescale_blocks_row(making->coarse, making->by->correction, kept(making, i), making->sums[i],
                           i);
}

static void rescale_couplings(void *context, int64_t i, int64_t end)
{
    const struct making *making = context;
    struct csr *coarse = making->coarse;
    for (; i < end; i++) {
        int64_t k = coarse->offsets[i];
        making->room[i] = 1;
        coarse->values[k] = 0;
        for (k++; k < coarse->offsets[i + 1]; k++)
            coarse->values[k] = rescale_coupling(
                coarse->values[k], factor(making->by, i, coarse->columns[k]), making->most);
    }
}

static void set_diagonal(void *context, int64_t i, int64_t end)
{
    const struct making *making = context;
    struct csr *coarse = making->coarse;
    for (; i < end; i++)
        coarse->values[coarse->offsets[i]] = kept(making, i) - making->room[coarse->n + i];
}

/* S of all rows, and what follows from them. */
static enum status look_at_sums(struct making *making, struct error *error)
{
    const struct rescaling *by = making->by;
    const struct slab *slab = by->slab;
    making->begin = slab ? slab->coarse.begin : 0;
    making->end = slab ? slab->coarse.end : making->coarse->n;
    sum_rows(making);
    struct found found = {.most = {-making->least, -INFINITY}};
    enum status status = ranks_join_found(slab ? slab->ranks : NULL, &found, error);
    making->mass = rescale_mass(by->correction, by->block, -found.most[0]);
    making->of_sum = fmax(by->of_sum, 1 / by->correction);
    making->most = rescale_most(slab ? &slab->all : by->cells, by->correction);
    return status;
}

enum status rescale(const struct rescaling *by, struct csr *coarse, struct error *error)
{
    int64_t n = coarse->n, more = by->block > 1 ? by->block : 2;
    double *sums = memory_array((1 + more) * n, sizeof *sums, "the sums of the rows", error);
    if (!sums)
        return STATUS_MEMORY;
    struct making making = {
        .by = by, .coarse = coarse, .sums = sums, .room = sums + n, .least = INFINITY};
    enum status status = look_at_sums(&making, error);
    if (by->block > 1) {
        threads_each(threads_lent(), n, rescale_blocks, &making);
    } else {
        threads_each(threads_lent(), n, rescale_couplings, &making);
        csr_multiply(coarse, making.room, making.room + n); /* by 1 */
        threads_each(threads_lent(), n, set_diagonal, &making);
    }
    memory_free(sums);
    return status;
}

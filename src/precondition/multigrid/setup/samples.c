#include "precondition/multigrid/setup/samples.h"

#include "base/memory.h"
#include "base/random.h"
#include "matrix/implicit_rows.h"
#include "space/define_pass.h"
#include "space/space.h"

enum { SAMPLES = 1024 };

struct samples {
    struct csr A;
    int64_t block, count;
    struct distances *of; /* [count]; NULL: not wanted */
};

PASS_FUNCTION void distances_add(struct distances *all, int64_t distance)
{
    int64_t at = 0;
    while (at < all->count && all->of[at] < distance)
        at++;
    if (all->count < 0 || (at < all->count && all->of[at] == distance))
        return;
    if (all->count == NEIGHBOURS_MAX) {
        all->count = -1;
        return;
    }
    for (int64_t k = all->count++; k > at; k--)
        all->of[k] = all->of[k - 1];
    all->of[at] = distance;
}

/* The first row of sample i, of distances and of shared columns. */
PASS_FUNCTION int64_t sampled_node(const struct samples *work, int64_t i)
{
    return work->A.n / work->block * i / work->count * work->block;
}

PASS_FUNCTION int64_t sampled_row(const struct samples *work, int64_t i)
{
    return work->count < SAMPLES ? i : random_below(SAMPLES, (uint64_t)i, work->A.n - 1);
}

/* Those of sample i. */
FIND_AT(distances, samples)
{
    const struct csr *A = &work->A;
    int64_t block = work->block, first = sampled_node(work, i), node = first / block;
    struct distances own = {0}; /* all of it is copied to the host */
    for (int64_t r = first; r < first + block; r++) {
        const struct csr_row row = csr_row_at(A, r);
        for (int64_t k = 0; k < row.count; k++) {
            int64_t other = (row.from + row.columns[k]) / block;
            if (other > node)
                distances_add(&own, other - node);
        }
    }
    work->of[i] = own;
}

/* How many samples share their columns. */
FIND_AT(shared, samples)
{
    int64_t first = sampled_row(work, i);
    const struct csr_row row = csr_row_at(&work->A, first), next = csr_row_at(&work->A, first + 1);
    int64_t k = 1, common = 0;
    for (int64_t m = 0; m < next.count; m++) {
        int64_t column = next.from + next.columns[m] - row.from;
        while (k < row.count && row.columns[k] < column)
            k++;
        common += k < row.count && row.columns[k] == column;
    }
    found->sum += 2 * common > row.count - 1;
}

FIND(find_distances, distances, samples, "samples of the matrix")
FIND(find_shared, shared, samples, "samples of the matrix")

#ifndef __CUDACC__

#include "precondition/multigrid/setup/slab.h"

static bool is_own(const struct slab *slab, int64_t row)
{
    const struct slab_rows *own = slab ? &slab->fine : NULL;
    return !own || (row >= own->base + own->begin && row < own->base + own->end);
}

/* Each sample gets its rows of an A that is not stored, as a matrix. */
static enum status look_at_made(const struct samples *samples, const struct slab *slab,
                                const struct find *find, struct found *found, struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t i = 0; i < samples->count && !status; i++) {
        struct samples one = {.block = samples->block, .count = 1};
        int64_t first = sampled_row(samples, i), rows = 2;
        if (samples->of) {
            one.of = samples->of + i;
            first = sampled_node(samples, i);
            rows = samples->block;
        }
        if (!is_own(slab, first))
            continue;
        status = csr_make_rows(&samples->A, first, first + rows, &one.A, error);
        if (!status)
            find->look(&one, 0, 1, found);
        csr_free(&one.A);
    }
    return status;
}

static enum status take(struct samples *samples, const struct slab *slab, struct distances *on_host,
                        struct error *error)
{
    struct space *space = samples->A.space;
    struct found none;
    int64_t count = samples->count;
    void *in_space = on_host;
    enum status status = STATUS_OK;
    if (space)
        status = space->operations->allocate(space, count, sizeof *on_host, "samples of the matrix",
                                             &in_space, error);
    samples->of = in_space;
    if (!status && !csr_has_rows(&samples->A))
        return look_at_made(samples, slab, &find_distances, &none, error);
    if (!status)
        status = space_find(space, &find_distances, count, samples, &none, error);
    if (!status && space)
        status = space->operations->download(space, count * (int64_t)sizeof *on_host, in_space,
                                             on_host, error);
    if (space)
        space_release(space, in_space);
    return status;
}

/* *all = those of both. */
static void add_distances(const struct distances *more, struct distances *all)
{
    for (int k = 0; k < more->count && all->count >= 0; k++)
        distances_add(all, more->of[k]);
    all->count = more->count < 0 ? -1 : all->count;
}

static enum status join_distances(const struct slab *slab, struct distances *found,
                                  struct error *error)
{
    struct exchange *exchange = slab->ranks->partition.exchange;
    struct distances *each = memory_array(exchange->count, sizeof *each, "the ranks", error);
    enum status status =
        each ? exchange_gather_each(exchange, found, sizeof *found, each, error) : STATUS_MEMORY;
    *found = (struct distances){0};
    for (int r = 0; r < exchange->count && !status; r++)
        add_distances(&each[r], found);
    memory_free(each);
    return status;
}

enum status samples_distances(const struct csr *A, const struct slab *slab, int64_t block,
                              struct distances *found, struct error *error)
{
    int64_t nodes = A->n / block;
    struct samples samples = {.A = *A, .block = block, .count = nodes < SAMPLES ? nodes : SAMPLES};
    *found = (struct distances){0};
    struct distances *of = memory_zeros(samples.count, sizeof *of, "samples of the matrix", error);
    if (!of)
        return STATUS_MEMORY;
    enum status status = take(&samples, slab, of, error);
    for (int64_t s = 0; s < samples.count && !status; s++)
        add_distances(&of[s], found);
    memory_free(of);
    return status || !slab || csr_has_rows(A) ? status : join_distances(slab, found, error);
}

enum status samples_share_columns(const struct csr *A, const struct slab *slab, bool *shares,
                                  struct error *error)
{
    struct samples samples = {.A = *A, .count = A->n - 1 < SAMPLES ? A->n - 1 : SAMPLES};
    struct found found = {{0}, 0};
    enum status status = STATUS_OK;
    if (samples.count > 0 && !csr_has_rows(A))
        status = look_at_made(&samples, slab, &find_shared, &found, error);
    else if (samples.count > 0)
        status = space_find(A->space, &find_shared, samples.count, &samples, &found, error);
    int64_t sharing = (int64_t)found.sum;
    if (!status && slab && !csr_has_rows(A))
        status = ranks_sum(slab->ranks, 1, &sharing, error);
    *shares = !status && samples.count > 0 && 4 * sharing >= samples.count;
    return status;
}

#endif

#include "precondition/fsai_rows.h"

#include "base/threads.h"
#include "precondition/diagonal.h"
#include "precondition/shared_transposed.h"
#include "precondition/transposed_rows.h"
#include "space/define_pass.h"
#include "space/ranks/ranks.h"
#include "space/rows.h"
#include "spmv/device_csr.h"
#include "spmv/lower_rows.h"

#include <inttypes.h>

#define PASS_OF_ROWS(its)                                                                          \
    ELEMENTS_AT(its, fsai_rows)                                                                    \
    PASS(pass_##its, its, fsai_rows, .name = "rows of an approximate inverse", .always = true)

PASS_OF_ROWS(growing_rows)
PASS_OF_ROWS(gathering_rows)

/* The greatest n - i of a wrong row i. */
FIND_AT(taking_roots, fsai_rows)
{
    double a = fsai_diagonal(&work->A, i);
    work->inverse[i] = 1 / sqrt(a);
    if (!(a > 0 && isfinite(1 / a)))
        found_most(found, 0, (double)(work->A.n - i));
}

FIND(find_roots, taking_roots, fsai_rows, "the diagonal")

FIND_AT(counting_ended, fsai_rows)
{
    found->sum += work->ended[i];
}

FIND(find_ended, counting_ended, fsai_rows, "rows of an approximate inverse")

#ifndef __CUDACC__
static const char what[] = "the approximate inverse";

static enum status take_room(struct fsai_rows *work, struct error *error)
{
    enum { OF_THREAD = 4, ON_DEVICE = 16384 };
    struct space *space = work->A.space;
    int64_t n = work->A.n, rows = work->count;
    int64_t most = space ? ON_DEVICE : OF_THREAD * threads_count(threads_lent());
    work->slots = rows < most ? rows : most;
    struct {
        int64_t count;
        size_t size;
        void *array;
    } wanted[] = {
        {work->slots, sizeof *work->rooms, &work->rooms},
        {n + rows, sizeof *work->inverse, &work->inverse},
        {rows * work->entries, sizeof *work->columns, &work->columns},
        {rows * work->entries, sizeof *work->values, &work->values},
        {rows, sizeof *work->ended, &work->ended},
    };
    enum status status = STATUS_OK;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted && !status; k++)
        status = rows_array(space, wanted[k].count, wanted[k].size, what, wanted[k].array, error);
    work->scales = work->inverse ? work->inverse + n : NULL;
    return status;
}

static void release_room(struct fsai_rows *work)
{
    struct space *space = work->A.space;
    rows_release(space, work->rooms);
    rows_release(space, work->inverse);
    rows_release(space, work->columns);
    rows_release(space, work->values);
    rows_release(space, work->ended);
    device_csr_free(&work->lower);
}

static enum status find_wrong(struct fsai_rows *work, struct fsai_found *made, struct error *error)
{
    struct found found;
    enum status status = space_find(work->A.space, &find_roots, work->A.n, work, &found, error);
    made->wrong = !status && found.most[0] > 0 ? work->A.n - (int64_t)found.most[0] : work->A.n;
    return status;
}

static enum status make_rows(struct fsai_rows *work, struct fsai_found *made, struct error *error)
{
    struct found found;
    struct space *space = work->A.space;
    const int64_t none = 0; /* where there are no rows */
    enum status status = lower_rows(&work->A, &work->lower, error);
    if (!status)
        status = device_csr_begin(space, CSR_GENERAL, work->count, &work->G, error);
    if (!status)
        status = rows_upload(space, sizeof none, &none, work->G.offsets, error);
    if (!status)
        status = rows_run(space, &pass_growing_rows, work->slots, work, error);
    if (!status)
        status = device_csr_complete(&work->G, error);
    if (!status)
        status = rows_run(space, &pass_gathering_rows, work->count, work, error);
    if (!status)
        status = space_find(space, &find_ended, work->count, work, &found, error);
    made->ended = status ? 0 : (int64_t)found.sum;
    return status;
}

enum status fsai_make_rows(const struct csr *A, int64_t first, int64_t count,
                           struct fsai_growth growth, struct csr *G, struct fsai_found *found,
                           struct error *error)
{
    struct fsai_rows work = {.A = *A,
                             .first = first,
                             .count = count,
                             .growth = growth,
                             .entries = growth.looks * growth.step};
    *found = (struct fsai_found){0};
    enum status status = take_room(&work, error);
    if (!status)
        status = find_wrong(&work, found, error);
    if (!status && found->wrong == A->n)
        status = make_rows(&work, found, error);
    release_room(&work);
    if (status)
        device_csr_free(&work.G);
    *G = work.G;
    return status;
}

/* The own rows of G, where A is. */
static enum status make_own(const char *name, struct fsai_growth growth, const struct csr *A,
                            const struct ranks *ranks, struct csr *G, struct fsai_found *found,
                            struct error *error)
{
    double diagonal;
    int64_t first = ranks ? partition_first(&ranks->partition) : 0;
    int64_t count = ranks ? partition_rows(&ranks->partition) : A->n;
    enum status status = fsai_make_rows(A, first, count, growth, G, found, error);
    if (!status && G->nnz > UINT32_MAX)
        return error_set(error, STATUS_CONFIG,
                         "preconditioner %s: G has %" PRId64
                         " entries, 2^32 or more: take fewer looks, or a higher threshold",
                         name, G->nnz);
    if (status || found->wrong == A->n)
        return status;
    status = diagonal_value(A, found->wrong, &diagonal, error);
    return status ? status : diagonal_fault(name, A, found->wrong, diagonal, error);
}

/* Ranks make them all on devices, or all on hosts. *again: on the host, though that was not so. */
static enum status agree_on_place(struct ranks *ranks, const struct csr *A, enum status status,
                                  bool *again, struct error *error)
{
    int64_t on_host = status == STATUS_MEMORY || !A->space;
    *again = A->space && status == STATUS_MEMORY;
    if (!ranks || (status && !*again))
        return status;
    enum status agreed = ranks_sum(ranks, 1, &on_host, error);
    *again = A->space && on_host > 0;
    return agreed ? agreed : status;
}

enum status fsai_make_both(const char *name, struct fsai_growth growth, const struct csr *A,
                           struct ranks *ranks, struct csr *G, struct csr *transposed,
                           struct fsai_found *found, struct error *error)
{
    struct csr copy = {0};
    bool again, suits = !A->space || A->nnz <= UINT32_MAX;
    *G = *transposed = (struct csr){0};
    enum status status = suits ? make_own(name, growth, A, ranks, G, found, error) : STATUS_MEMORY;
    if (!status && !ranks)
        status = transposed_rows(G, transposed, error);
    status = agree_on_place(ranks, A, status, &again, error);
    if (!again)
        return status || !ranks ? status : shared_transposed(ranks, G, transposed, error);
    device_csr_free(G);
    status = device_csr_on_host(A, &A, &copy, error);
    if (!status)
        status = fsai_make_both(name, growth, A, ranks, G, transposed, found, error);
    csr_free(&copy);
    return status;
}
#endif

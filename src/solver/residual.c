#include "solver/residual.h"

#include "base/cuda_part.h"
#include "base/memory.h"
#include "base/multiversion.h"
#include "base/threads.h"
#include "matrix/implicit_rows.h"
#include "solver/residual_row.h"
#include "space/ranks/rank_vector.h"
#include "space/ranks/ranks.h"
#include "space/vector_norm.h"
#include "spmv/device_csr.h"

#include <stdbool.h>

/* Rows that are looked through together for one that reaches into a thread's share. */
enum { TILE = 1024 };

/* What all threads know: r -= A x or, where r holds nothing yet, r = b - (shift I + A) x with each
 * sum rounded. */
struct subtraction {
    const struct csr *A;
    const double *x;
    struct compensated *r;
    bool begins;
    const double *b;
    double shift;
    int32_t *reach;      /* the last column of each tile's rows; NULL: no rows are looked through */
    int64_t first, rows; /* which r are made */
};

/* Sums of a share are begun just ahead of the farthest row met, so that they pass through memory
 * once: rows below `begun` are. */
enum { AHEAD = 1024 };

static inline int64_t begin_rows(const struct subtraction *work, int64_t last, int64_t begun,
                                 int64_t end)
{
    if (last < begun)
        return begun;
    int64_t until = end - last < AHEAD ? end : last + AHEAD;
    for (int64_t i = begun; i < until; i++)
        work->r[i] = residual_row_begin(work->b, work->shift, work->x, i);
    return until;
}

/* The mirrored entries of the rows first <= i < last, all above the share; what is begun then. */
MULTIVERSION static int64_t cross_rows(const struct subtraction *work, int64_t first, int64_t last,
                                       int64_t begin, int64_t end, int64_t begun)
{
    const struct csr *A = work->A;
    struct compensated *r = work->r;
    double sign = A->kind == CSR_SKEW ? -1 : 1;
    for (int64_t i = first; i < last; i++) {
        int64_t stop = A->offsets[i + 1], farthest = A->columns[stop - 1];
        if (farthest < begin)
            continue;
        begun = begin_rows(work, farthest < end ? farthest : end - 1, begun, end);
        double mirrored = sign * work->x[i];
        for (int64_t k = A->offsets[i]; k < stop && A->columns[k] < end; k++) {
            int32_t j = A->columns[k];
            if (j >= begin)
                r[j] = residual_row_subtract(r[j], A, k, mirrored);
        }
    }
    return begun;
}

/* The rows of the share; the terms of each r_i come in the order of the rows, and then of the
 * columns of its own. */
MULTIVERSION static void walk_rows(const struct subtraction *work, int64_t begin, int64_t end,
                                   int64_t begun)
{
    const struct csr *A = work->A;
    const double *x = work->x;
    struct compensated *r = work->r;
    bool mirrors = A->kind != CSR_GENERAL;
    double sign = A->kind == CSR_SKEW ? -1 : 1;
    for (int64_t i = begin; i < end; i++) {
        int64_t k = A->offsets[i], stop = A->offsets[i + 1];
        int64_t farthest = mirrors ? A->columns[stop - 1] : i;
        begun = begin_rows(work, farthest < end ? farthest : end - 1, begun, end);
        double mirrored =
            mirrors ? sign * x[i] : 0; /* a general matrix may have more rows than columns */
        struct compensated sum = r[i];
        for (; k < stop; k++) {
            int32_t j = A->columns[k];
            sum = residual_row_subtract(sum, A, k, x[j]);
            if (mirrors && j != i && j < end)
                r[j] = residual_row_subtract(r[j], A, k, mirrored);
        }
        if (work->begins)
            sum.sum += sum.error;
        r[i] = sum;
    }
}

static void subtract(void *context, int64_t begin, int64_t end)
{
    const struct subtraction *work = context;
    int64_t begun = work->begins ? begin : end;
    for (int64_t first = 0; work->A->kind != CSR_GENERAL && first < begin; first += TILE)
        if (!work->reach || work->reach[first / TILE] >= begin)
            begun = cross_rows(work, first, first + TILE < begin ? first + TILE : begin, begin, end,
                               begun);
    walk_rows(work, begin, end, begun);
}

static void subtract_share(void *context, int64_t begin, int64_t end)
{
    int64_t first = ((const struct subtraction *)context)->first;
    subtract(context, first + begin, first + end);
}

static void find_reach(void *context, int64_t first, int64_t last)
{
    const struct subtraction *work = context;
    const struct csr *A = work->A;
    for (int64_t tile = first; tile < last; tile++) {
        int64_t end = (tile + 1) * TILE < A->n ? (tile + 1) * TILE : A->n;
        int32_t reach = 0;
        for (int64_t i = tile * TILE; i < end; i++) {
            int32_t farthest = A->columns[A->offsets[i + 1] - 1];
            reach = farthest > reach ? farthest : reach;
        }
        work->reach[tile] = reach;
    }
}

/* Each thread has rows of its own, and looks through those above for entries that reach these: of
 * several threads it knows which ones need not be looked at. Without memory for that all are. */
static void subtract_all(struct threads *threads, struct subtraction *work)
{
    int64_t tiles = (work->A->n + TILE - 1) / TILE;
    struct error ignored;
    if (work->A->kind != CSR_GENERAL && threads_count(threads) > 1)
        work->reach = memory_array(tiles, sizeof *work->reach, "the true residual", &ignored);
    if (work->reach)
        threads_each(threads, tiles, find_reach, work);
    threads_each(threads, work->rows, subtract_share, work);
    memory_free(work->reach);
}

/* r of an A that is not stored: as many of its rows are made at a time as reach into a part of r.
 * */
static enum status subtract_made(struct threads *threads, const struct subtraction *work,
                                 struct error *error)
{
    enum { PART = 1 << 22 };
    const struct csr *A = work->A;
    int64_t reach = A->maker->reach(A->maker_options), end = work->first + work->rows;
    int64_t part = PART > 4 * reach ? PART : 4 * reach;
    enum status status = STATUS_OK;
    struct threads *before = threads_lend(threads);
    for (int64_t first = work->first; first < end && !status; first += part) {
        struct csr rows;
        int64_t base = first > reach ? first - reach : 0;
        int64_t last = end - first < part ? end : first + part;
        status = csr_make_rows(A, base, last, &rows, error);
        if (status)
            break;
        subtract_all(threads, &(struct subtraction){.A = &rows,
                                                    .x = work->x + base,
                                                    .r = work->r + base,
                                                    .begins = work->begins,
                                                    .b = work->b ? work->b + base : NULL,
                                                    .shift = work->shift,
                                                    .first = first - base,
                                                    .rows = last - first});
        csr_free(&rows);
    }
    threads_lend(before);
    return status;
}

void residual_subtract_product(struct threads *threads, const struct csr *A, const double *x,
                               struct compensated *r)
{
    subtract_all(threads, &(struct subtraction){.A = A, .x = x, .r = r, .rows = A->n});
}

static enum status subtract_rows(struct threads *threads, struct subtraction *work,
                                 struct error *error)
{
    if (!work->A->offsets)
        return subtract_made(threads, work, error);
    subtract_all(threads, work);
    return STATUS_OK;
}

enum status residual_norm(struct threads *threads, const struct csr *A, double shift,
                          const double *b, const double *x, double *norm, struct error *error)
{
    struct compensated *r = memory_array(A->n, sizeof *r, "the true residual", error);
    if (!r)
        return STATUS_MEMORY;
    struct subtraction work = {
        .A = A, .x = x, .r = r, .begins = true, .b = b, .shift = shift, .rows = A->n};
    enum status status = subtract_rows(threads, &work, error);
    if (!status)
        *norm = vector_norm_apart(threads, A->n, sizeof *r / sizeof(double), &r->sum);
    memory_free(r);
    return status;
}

/* r[work->rows], on the device of the space where A's rows are made there. */
static enum status make_own(struct space *space, struct subtraction *work, double *r,
                            struct error *error)
{
    bool suits = false;
    enum status status = STATUS_OK;
    if (device_csr_makes(space, work->A))
        status =
            CUDA_PART(residual_rows_cuda)(space, work->A, work->first, work->first + work->rows,
                                          work->shift, work->b, work->x, &suits, r, error);
    if (status || suits)
        return status;
    struct compensated *own = memory_array(work->rows, sizeof *own, "the true residual", error);
    if (!own)
        return STATUS_MEMORY;
    work->r = own - work->first; /* of which the own rows are made alone */
    status = subtract_rows(space->threads, work, error);
    for (int64_t i = 0; i < work->rows && !status; i++)
        r[i] = own[i].sum;
    memory_free(own);
    return status;
}

/* The rows of x that the rows first <= i < last of r read: from <= j < until. */
struct need {
    const struct csr *A;
    int64_t first, last, from, until;
};

/* Of the rows above `first`. */
static void find_from(void *context, int64_t begin, int64_t end)
{
    struct need *need = context;
    const struct csr *A = need->A;
    int64_t i = begin;
    while (i < end && A->columns[A->offsets[i + 1] - 1] < need->first)
        i++;
    if (i < end)
        ATOMIC_LEAST(&need->from, i);
}

static void find_until(void *context, int64_t begin, int64_t end)
{
    struct need *need = context;
    const struct csr *A = need->A;
    int64_t until = need->last;
    for (int64_t i = need->first + begin; i < need->first + end; i++) {
        int32_t farthest = A->columns[A->offsets[i + 1] - 1];
        until = farthest < until ? until : farthest + 1;
    }
    ATOMIC_MOST(&need->until, until);
}

static void find_needed(struct threads *threads, struct need *need)
{
    const struct csr *A = need->A;
    int64_t first = need->first, last = need->last;
    need->from = first;
    need->until = last;
    if (A->maker) {
        int64_t reach = A->maker->reach(A->maker_options);
        need->from = first > reach ? first - reach : 0;
        need->until = A->n - last > reach ? last + reach : A->n;
        return;
    }
    threads_each(threads, first, find_from, need);
    threads_each(threads, last - first, find_until, need);
}

static enum status fetch_x(struct ranks *ranks, const struct csr *A, double *x, struct error *error)
{
    struct partition *partition = &ranks->partition;
    int64_t first = partition_first(partition);
    struct need need = {.A = A, .first = first, .last = first + partition_rows(partition)};
    find_needed(ranks->real->threads, &need);
    return rank_vector_fetch(partition, sizeof *x, need.from, need.until, x, error);
}

enum status residual_norm_in(struct space *space, const struct csr *A, double shift,
                             const double *b, double *x, double *norm, struct error *error)
{
    struct ranks *ranks = ranks_of(space);
    struct space *real = ranks ? ranks->real : space;
    struct partition *partition = ranks ? &ranks->partition : NULL;
    if (!ranks && !device_csr_makes(space, A))
        return residual_norm(space->threads, A, shift, b, x, norm, error);
    struct subtraction work = {
        .A = A, .x = x, .begins = true, .b = b, .shift = shift, .rows = A->n};
    if (ranks) {
        work.first = partition_first(partition);
        work.rows = partition_rows(partition);
    }
    double *r = rank_vector_create(partition, A->n, sizeof *r, "the true residual", error);
    enum status status = r ? STATUS_OK : STATUS_MEMORY;
    if (ranks && !status)
        status = fetch_x(ranks, A, x, error);
    if (!status)
        status = make_own(real, &work, r + work.first, error);
    if (!status)
        status = rank_vector_norm(space->threads, partition, A->n, r, norm, error);
    rank_vector_free(partition, A->n, sizeof *r, r);
    return status;
}

/* The rows, the residual, a mark for each distance, and what is small. */
int64_t residual_bytes_on_device(const struct csr *A)
{
    enum { SMALL = 1 << 20 };
    int64_t rows = A->space ? 0 : csr_bytes(A);
    return rows + A->n * (int64_t)(sizeof(double) + 1) + SMALL;
}

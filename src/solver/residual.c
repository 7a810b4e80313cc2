#include "solver/residual.h"

#include "base/memory.h"
#include "base/multiversion.h"
#include "solver/residual_row.h"
#include "space/ranks.h"
#include "space/vector_norm.h"

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

void residual_subtract_product(struct threads *threads, const struct csr *A, const double *x,
                               struct compensated *r)
{
    subtract_all(threads, &(struct subtraction){.A = A, .x = x, .r = r, .rows = A->n});
}

/* Each of several ranks makes its rows of r; then all have them. */
static enum status norm_over(struct threads *threads, struct ranks *ranks, struct subtraction *work,
                             double *norm, struct error *error)
{
    int64_t n = work->A->n;
    enum status status = STATUS_OK;
    struct compensated *r = work->r = memory_array(n, sizeof *work->r, "the true residual", error);
    if (!r)
        return STATUS_MEMORY;
    work->begins = true;
    work->rows = n;
    if (ranks) {
        work->first = partition_first(&ranks->partition);
        work->rows = partition_rows(&ranks->partition);
    }
    subtract_all(threads, work);
    if (ranks)
        status = ranks_gather(ranks, r + work->first, sizeof *r, r, error);
    if (!status)
        *norm = vector_norm_apart(threads, n, sizeof *r / sizeof(double), &r->sum);
    memory_free(r);
    return status;
}

enum status residual_norm(struct threads *threads, const struct csr *A, double shift,
                          const double *b, const double *x, double *norm, struct error *error)
{
    struct subtraction work = {.A = A, .x = x, .b = b, .shift = shift};
    return norm_over(threads, NULL, &work, norm, error);
}

enum status residual_norm_in(struct space *space, const struct csr *A, double shift,
                             const double *b, const double *x, double *norm, struct error *error)
{
    struct subtraction work = {.A = A, .x = x, .b = b, .shift = shift};
    return norm_over(space->threads, ranks_of(space), &work, norm, error);
}

/* The rows, the residual, a mark for each distance, and what is small. */
int64_t residual_bytes_there(const struct csr *A)
{
    enum { SMALL = 1 << 20 };
    return csr_bytes(A) + A->n * (int64_t)(sizeof(double) + 1) + SMALL;
}

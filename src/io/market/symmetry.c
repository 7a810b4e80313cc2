#include "io/market/symmetry.h"

#include "base/memory.h"
#include "base/threads.h"
#include "io/market/entries.h"
#include "io/market/symmetry_pair.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>

/* Two triangles, and what comes of them. */
struct comparison {
    const struct csr *upper, *lower;
    enum csr_kind kind;
    struct matrix_market_part own; /* the rows that are counted */
    int64_t *counts;               /* [n]: the entries of the rows i together */
    _Atomic int64_t unequal, counted;
    double *largest;    /* [n] m_i */
    double *is_coupled; /* [n] 1: row i is no rounding */
    pthread_mutex_t lock;
    struct asymmetry worst; /* the pair alone */
    struct csr *A;          /* their mean */
};

/* A position of at least one of the two rows. */
struct pair {
    int32_t column;
    double upper, lower; /* 0 where it is not stored; on the diagonal both are the entry */
    double wanted;       /* the wanted value of upper: lower, or -lower */
};

/* Walks two rows at once. */
struct row_pair {
    const struct csr *upper, *lower;
    enum csr_kind kind;
    int64_t row, k, k_end, l, l_end;
};

static struct row_pair row_pair_start(const struct comparison *of, int64_t i)
{
    const struct csr *upper = of->upper, *lower = of->lower;
    return (struct row_pair){upper,
                             lower,
                             of->kind,
                             i,
                             upper->offsets[i],
                             upper->offsets[i + 1],
                             lower->offsets[i],
                             lower->offsets[i + 1]};
}

static int row_pair_next(struct row_pair *rows, struct pair *pair)
{
    int32_t up = rows->k < rows->k_end ? rows->upper->columns[rows->k] : INT32_MAX;
    int32_t low = rows->l < rows->l_end ? rows->lower->columns[rows->l] : INT32_MAX;
    if (rows->k == rows->k_end && rows->l == rows->l_end)
        return 0;
    pair->column = up < low ? up : low;
    pair->upper = up == pair->column ? rows->upper->values[rows->k++] : 0;
    pair->lower = low == pair->column ? rows->lower->values[rows->l++] : 0;
    if (pair->column == rows->row)
        pair->lower = pair->upper;
    pair->wanted = rows->kind == CSR_SKEW ? -pair->lower : pair->lower;
    return 1;
}

bool asymmetry_is_worse(const struct asymmetry *a, const struct asymmetry *b)
{
    return a->worst > b->worst || (a->worst == b->worst && a->worst > 0 && a->row < b->row);
}

/* The entries of the rows i together; *unequal of them are pairs that differ. */
static int64_t count_row(const struct comparison *of, int64_t i, int64_t *unequal)
{
    struct row_pair rows = row_pair_start(of, i);
    struct pair pair;
    int64_t count = 0;
    for (*unequal = 0; row_pair_next(&rows, &pair); count++)
        *unequal += pair.upper != pair.wanted;
    return count;
}

static void count_pairs(void *context, int64_t begin, int64_t end)
{
    struct comparison *of = context;
    int64_t all = 0, counted = 0;
    for (int64_t i = begin; i < end; i++) {
        int64_t unequal;
        of->counts[i] = count_row(of, i, &unequal);
        all += unequal;
        counted += i >= of->own.first && i < of->own.last ? unequal : 0;
    }
    of->unequal += all;
    of->counted += counted;
}

static void take_largest(const struct csr *triangle, double *largest)
{
    for (int64_t i = 0; i < triangle->n; i++)
        for (int64_t k = triangle->offsets[i]; k < triangle->offsets[i + 1]; k++) {
            double *other = &largest[triangle->columns[k]], value = fabs(triangle->values[k]);
            largest[i] = fmax(largest[i], value);
            *other = fmax(*other, value);
        }
}

static void find_coupled(const struct comparison *of)
{
    for (int64_t i = 0; i < of->upper->n; i++) {
        struct row_pair rows = row_pair_start(of, i);
        struct pair pair;
        while (row_pair_next(&rows, &pair)) {
            if (pair.column != i &&
                symmetry_couples(pair.upper, pair.wanted, of->largest[i], of->largest[pair.column]))
                of->is_coupled[i] = of->is_coupled[pair.column] = 1;
        }
    }
}

/* s_ij */
static double scale_of(const struct comparison *of, int64_t i, int64_t j)
{
    double a = of->largest[i], b = of->largest[j];
    return symmetry_scale(a, b, of->is_coupled[a < b ? i : j] > 0);
}

static void measure_row(const struct comparison *of, int64_t i, struct asymmetry *found)
{
    struct row_pair rows = row_pair_start(of, i);
    struct pair pair;
    while (row_pair_next(&rows, &pair)) {
        double difference =
            symmetry_difference(pair.upper, pair.wanted, scale_of(of, i, pair.column));
        if (difference > found->worst) {
            found->worst = difference;
            found->row = i;
            found->column = pair.column;
            found->upper = pair.upper;
            found->lower = pair.lower;
        }
    }
}

/* Computes largest and is_coupled; each rank for its own rows, then the ranks share them. */
static enum status find_scales(const struct comparison *of, const struct matrix_market_ranks *ranks,
                               struct error *error)
{
    enum status status = STATUS_OK;
    take_largest(of->upper, of->largest);
    take_largest(of->lower, of->largest);
    if (ranks)
        status = entries_share_rows(ranks, of->largest, error);
    if (!status)
        find_coupled(of);
    if (!status && ranks)
        status = entries_share_rows(ranks, of->is_coupled, error);
    return status;
}

static void measure(void *context, int64_t begin, int64_t end)
{
    struct comparison *of = context;
    struct asymmetry mine = {0};
    for (int64_t i = begin; i < end; i++)
        measure_row(of, i, &mine);
    pthread_mutex_lock(&of->lock);
    if (asymmetry_is_worse(&mine, &of->worst))
        of->worst = mine;
    pthread_mutex_unlock(&of->lock);
}

/* counts[i], and *found. */
static enum status compare(struct comparison *of, const struct matrix_market_ranks *ranks,
                           struct asymmetry *found, struct error *error)
{
    int64_t n = of->upper->n;
    of->largest = memory_zeros(n, 2 * sizeof *of->largest, "the scales of the rows", error);
    of->is_coupled = of->largest ? of->largest + n : NULL;
    enum status status = of->largest && of->counts ? STATUS_OK : STATUS_MEMORY;
    if (!status)
        threads_each(threads_lent(), n, count_pairs, of);
    bool unequal = of->unequal > 0;
    if (ranks)
        status = entries_meet_shared(ranks, status, &unequal, error);
    if (!status && unequal)
        status = find_scales(of, ranks, error);
    if (!status && unequal)
        threads_each(threads_lent(), n, measure, of);
    *found = of->worst;
    found->unequal_pairs = of->unequal;
    found->counted = of->counted;
    memory_free(of->largest);
    return status;
}

static void fill(void *context, int64_t begin, int64_t end)
{
    const struct comparison *of = context;
    const struct csr *A = of->A;
    for (int64_t i = begin; i < end; i++) {
        struct row_pair rows = row_pair_start(of, i);
        struct pair pair;
        for (int64_t k = A->offsets[i]; row_pair_next(&rows, &pair); k++) {
            A->columns[k] = pair.column;
            A->values[k] = symmetry_mean(pair.upper, pair.wanted);
        }
    }
}

enum status symmetry_merge(const struct csr *upper, const struct csr *lower, enum csr_kind kind,
                           double limit, const struct matrix_market_ranks *ranks, struct csr *A,
                           struct asymmetry *found, struct error *error)
{
    *A = (struct csr){0};
    int64_t *counts = memory_array(upper->n, sizeof *counts, "the row counts", error);
    struct comparison of = {.upper = upper,
                            .lower = lower,
                            .kind = kind,
                            .own = {.last = upper->n},
                            .counts = counts,
                            .lock = PTHREAD_MUTEX_INITIALIZER,
                            .A = A};
    if (ranks)
        of.own = ranks->parts[ranks->exchange->rank];
    enum status status = compare(&of, ranks, found, error);
    if (!status && found->worst <= limit) {
        int64_t nnz = 0;
        for (int64_t i = 0; i < upper->n; i++)
            nnz += counts[i];
        status = csr_create(A, kind, upper->n, nnz, error);
    }
    if (A->offsets) {
        A->offsets[0] = 0;
        for (int64_t i = 0; i < A->n; i++)
            A->offsets[i + 1] = A->offsets[i] + counts[i];
        threads_each(threads_lent(), A->n, fill, &of);
    }
    memory_free(counts);
    return status;
}

#include "io/market/symmetry.h"

#include "base/memory.h"
#include "io/market/entries_shared.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* One position that at least one of the two rows has. */
struct pair {
    int32_t column;
    double upper, lower; /* 0 where it is not stored; on the diagonal both are the entry */
    double wanted;       /* what lower says of upper: lower, or -lower */
};

/* Walks two rows at once. */
struct row_pair {
    const struct csr *upper, *lower;
    enum csr_kind kind;
    int64_t row, k, k_end, l, l_end;
};

static struct row_pair row_pair_start(const struct csr *upper, const struct csr *lower,
                                      enum csr_kind kind, int64_t i)
{
    return (struct row_pair){upper,
                             lower,
                             kind,
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

/* |a - b| / scale, above 0 where a and b differ. */
static double relative_difference(double a, double b, double scale)
{
    double difference = fabs(a - b);
    if (a == b)
        return 0;
    return fmax(isfinite(difference) ? difference / scale : fabs(a / scale - b / scale),
                DBL_TRUE_MIN);
}

static double mean(double a, double b)
{
    double sum = a + b;
    if (a == b)
        return a;
    return isfinite(sum) ? sum / 2 : a / 2 + b / 2;
}

static int is_worse(const struct asymmetry *a, const struct asymmetry *b)
{
    return a->worst > b->worst || (a->worst == b->worst && a->worst > 0 && a->row < b->row);
}

/* The entries of the rows i together; *unequal of them are pairs that differ. */
static int64_t count_row(const struct csr *upper, const struct csr *lower, enum csr_kind kind,
                         int64_t i, int64_t *unequal)
{
    struct row_pair rows = row_pair_start(upper, lower, kind, i);
    struct pair pair;
    int64_t count = 0;
    for (*unequal = 0; row_pair_next(&rows, &pair); count++)
        *unequal += pair.upper != pair.wanted;
    return count;
}

static void count_pairs(const struct csr *upper, const struct csr *lower, enum csr_kind kind,
                        const struct matrix_market_ranks *ranks, int64_t *counts,
                        struct asymmetry *found)
{
    struct matrix_market_part own = {.last = upper->n};
    int64_t all = 0, counted = 0;
    if (ranks)
        own = ranks->parts[ranks->exchange->rank];
#pragma omp parallel for schedule(static) reduction(+ : all, counted)
    for (int64_t i = 0; i < upper->n; i++) {
        int64_t unequal;
        counts[i] = count_row(upper, lower, kind, i, &unequal);
        all += unequal;
        counted += i >= own.first && i < own.last ? unequal : 0;
    }
    *found = (struct asymmetry){.unequal_pairs = all, .counted = counted};
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

static void measure_row(const struct csr *upper, const struct csr *lower, enum csr_kind kind,
                        const double *largest, int64_t i, struct asymmetry *found)
{
    struct row_pair rows = row_pair_start(upper, lower, kind, i);
    struct pair pair;
    while (row_pair_next(&rows, &pair)) {
        double a = largest[i], b = largest[pair.column], scale = fmax(fmin(a, b), fmax(a, b) / 64);
        double difference = relative_difference(pair.upper, pair.wanted, scale);
        if (difference > found->worst) {
            found->worst = difference;
            found->row = i;
            found->column = pair.column;
            found->upper = pair.upper;
            found->lower = pair.lower;
        }
    }
}

/* Of the rows of other ranks, of which this one has not all entries, from these. */
static enum status find_largest(const struct csr *upper, const struct csr *lower,
                                const struct matrix_market_ranks *ranks, double *largest,
                                struct error *error)
{
    take_largest(upper, largest);
    take_largest(lower, largest);
    return ranks ? entries_share_rows(ranks, largest, error) : STATUS_OK;
}

static void measure(const struct csr *upper, const struct csr *lower, enum csr_kind kind,
                    const double *largest, struct asymmetry *found)
{
    struct asymmetry worst = {0};
#pragma omp parallel
    {
        struct asymmetry mine = {0};
#pragma omp for schedule(static)
        for (int64_t i = 0; i < upper->n; i++)
            measure_row(upper, lower, kind, largest, i, &mine);
#pragma omp critical
        if (is_worse(&mine, &worst))
            worst = mine;
    }
    worst.unequal_pairs = found->unequal_pairs;
    worst.counted = found->counted;
    *found = worst;
}

/* counts[i] = the entries of the rows i together, and *found. */
static enum status compare(const struct csr *upper, const struct csr *lower, enum csr_kind kind,
                           const struct matrix_market_ranks *ranks, int64_t *counts,
                           struct asymmetry *found, struct error *error)
{
    double *largest = memory_zeros(upper->n, sizeof *largest, "the scales of the rows", error);
    enum status status = largest && counts ? STATUS_OK : STATUS_MEMORY;
    *found = (struct asymmetry){0};
    if (!status)
        count_pairs(upper, lower, kind, ranks, counts, found);
    bool unequal = found->unequal_pairs > 0;
    if (ranks)
        status = entries_meet_shared(ranks, status, &unequal, error);
    if (!status && unequal)
        status = find_largest(upper, lower, ranks, largest, error);
    if (!status && unequal)
        measure(upper, lower, kind, largest, found);
    memory_free(largest);
    return status;
}

static void fill(const struct csr *upper, const struct csr *lower, struct csr *A)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < A->n; i++) {
        struct row_pair rows = row_pair_start(upper, lower, A->kind, i);
        struct pair pair;
        for (int64_t k = A->offsets[i]; row_pair_next(&rows, &pair); k++) {
            A->columns[k] = pair.column;
            A->values[k] = mean(pair.upper, pair.wanted);
        }
    }
}

enum status symmetry_merge(const struct csr *upper, const struct csr *lower, enum csr_kind kind,
                           double limit, const struct matrix_market_ranks *ranks, struct csr *A,
                           struct asymmetry *found, struct error *error)
{
    *A = (struct csr){0};
    int64_t *counts = memory_array(upper->n, sizeof *counts, "the row counts", error);
    enum status status = compare(upper, lower, kind, ranks, counts, found, error);
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
        fill(upper, lower, A);
    }
    memory_free(counts);
    return status;
}

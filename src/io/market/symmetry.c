#include "io/market/symmetry.h"

#include "base/memory.h"

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

static double relative_difference(double a, double b)
{
    double scale = fmax(fabs(a), fabs(b)), difference = fabs(a - b);
    if (difference == 0)
        return 0;
    return isfinite(difference) ? difference / scale : fabs(a / scale - b / scale);
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

/* Compare the rows i; counts[i] = their entries together. */
static void compare_row(const struct csr *upper, const struct csr *lower, enum csr_kind kind,
                        const struct matrix_market_part *part, int64_t i, int64_t *counts,
                        struct asymmetry *found)
{
    struct row_pair rows = row_pair_start(upper, lower, kind, i);
    struct pair pair;
    bool counted = !part || (i >= part->first && i < part->last);
    counts[i] = 0;
    while (row_pair_next(&rows, &pair)) {
        counts[i]++;
        double difference = relative_difference(pair.upper, pair.wanted);
        found->unequal_pairs += difference > 0;
        found->counted += counted && difference > 0;
        if (difference > found->worst) {
            found->worst = difference;
            found->row = i;
            found->column = pair.column;
            found->upper = pair.upper;
            found->lower = pair.lower;
        }
    }
}

static void compare(const struct csr *upper, const struct csr *lower, enum csr_kind kind,
                    const struct matrix_market_part *part, int64_t *counts, struct asymmetry *found)
{
    *found = (struct asymmetry){0};
#pragma omp parallel
    {
        struct asymmetry mine = {0};
#pragma omp for schedule(static)
        for (int64_t i = 0; i < upper->n; i++)
            compare_row(upper, lower, kind, part, i, counts, &mine);
#pragma omp critical
        {
            int64_t pairs = found->unequal_pairs + mine.unequal_pairs;
            int64_t counted = found->counted + mine.counted;
            if (is_worse(&mine, found))
                *found = mine;
            found->unequal_pairs = pairs;
            found->counted = counted;
        }
    }
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
                           double limit, const struct matrix_market_part *part, struct csr *A,
                           struct asymmetry *found, struct error *error)
{
    *A = (struct csr){0};
    int64_t *counts = memory_array(upper->n, sizeof *counts, "the row counts", error);
    if (!counts)
        return STATUS_MEMORY;
    compare(upper, lower, kind, part, counts, found);
    enum status status = STATUS_OK;
    if (found->worst <= limit) {
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

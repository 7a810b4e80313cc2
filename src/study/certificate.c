#include "study/certificate.h"

#include "base/threads.h"
#include "space/sum/exact_sum.h"
#include "spmv/symmetric/transpose_index.h"

#include <float.h>
#include <math.h>

enum { LOWEST_BIT = -1074, SIGNIFICANT = 53, BEYOND = 1024 }; /* of a double */

/* The products of one row, in two passes: for `last`, and then for the sums. */
struct row_products {
    bool is_finite, rounds;
    int last;                  /* e: the place of the lowest set bit of a product */
    double positive, negative; /* P and N in units of 2^e; integers */
    double most;               /* the bound of both */
    bool too_large;
};

typedef void product_taker(struct row_products *row, double a, double x);

static void take_bits(struct row_products *row, double a, double x)
{
    struct exact_term p;
    if (exact_multiply(a, x, &p)) {
        row->is_finite = false;
        return;
    }
    if ((p.low | p.high) == 0)
        return;
    int last = p.exponent + (p.low ? __builtin_ctzll(p.low) : 64 + __builtin_ctzll(p.high));
    int above = p.exponent + (p.high ? 128 - __builtin_clzll(p.high) : 64 - __builtin_clzll(p.low));
    row->rounds |= above - last > SIGNIFICANT || last < LOWEST_BIT || above > BEYOND;
    row->last = last < row->last ? last : row->last;
}

/* a x is a double: the first walk has found that. */
static void take_size(struct row_products *row, double a, double x)
{
    double units = ldexp(a * x, -row->last), size = fabs(units);
    double *sum = units < 0 ? &row->negative : &row->positive;
    if (size > row->most - *sum)
        row->too_large = true;
    else
        *sum += size;
}

/* All entries of row i of the full matrix. */
static void visit(const struct csr *A, const struct transpose_index *mirror, const double *x,
                  int64_t i, product_taker *take, struct row_products *row)
{
    double sign = A->kind == CSR_SKEW ? -1 : 1;
    if (A->kind != CSR_GENERAL)
        for (int64_t q = mirror->offsets[i]; q < mirror->offsets[i + 1]; q++)
            take(row, sign * A->values[mirror->places[q]], x[mirror->columns[q]]);
    for (int64_t p = A->offsets[i]; p < A->offsets[i + 1]; p++)
        take(row, A->values[p], x[A->columns[p]]);
}

static enum row_verdict judge(const struct csr *A, const struct transpose_index *mirror,
                              const double *x, int64_t i)
{
    struct row_products row = {.is_finite = true, .last = INT32_MAX};
    visit(A, mirror, x, i, take_bits, &row);
    if (!row.is_finite)
        return ROW_NOT_FINITE;
    if (row.rounds)
        return ROW_PRODUCT_ROUNDS;
    if (row.last == INT32_MAX)
        return ROW_CERTIFIED;
    row.most = fmin(0x1p53, ldexp(DBL_MAX, -row.last));
    visit(A, mirror, x, i, take_size, &row);
    return row.too_large ? ROW_SUM_CAN_ROUND : ROW_CERTIFIED;
}

struct judging {
    const struct csr *A;
    const struct transpose_index *mirror; /* zeroed for a general matrix */
    const double *x;
    unsigned char *verdicts;
    struct certificate *certificate;
};

static void judge_rows(void *context, int64_t begin, int64_t end)
{
    const struct judging *judging = context;
    const struct transpose_index *mirror = judging->mirror;
    int64_t rows[ROW_VERDICTS] = {0}, added_twice = 0;
    for (int64_t i = begin; i < end; i++) {
        enum row_verdict verdict = judge(judging->A, mirror, judging->x, i);
        judging->verdicts[i] = (unsigned char)verdict;
        rows[verdict]++;
        added_twice += verdict != ROW_CERTIFIED && verdict != ROW_NOT_FINITE && mirror->offsets &&
                       mirror->offsets[i + 1] - mirror->offsets[i] <= 1;
    }
    for (int verdict = 0; verdict < ROW_VERDICTS; verdict++)
        ATOMIC_ADD(&judging->certificate->rows[verdict], rows[verdict]);
    ATOMIC_ADD(&judging->certificate->added_twice, added_twice);
}

enum status certificate_make(const struct csr *A, const double *x, unsigned char *verdicts,
                             struct certificate *certificate, struct error *error)
{
    struct transpose_index mirror = {0};
    bool mirrors = A->kind != CSR_GENERAL;
    *certificate = (struct certificate){.added_twice = 0};
    if (mirrors) {
        enum status status = transpose_index_create(A->n, A->offsets, A->columns, &mirror, error);
        if (status)
            return status;
    }
    threads_take(threads_lent(), A->n, 256, judge_rows,
                 &(struct judging){A, &mirror, x, verdicts, certificate});
    transpose_index_free(&mirror);
    return STATUS_OK;
}

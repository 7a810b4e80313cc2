#include "spmv/cuda_twins.h"

#include "support.h"

#include <math.h>
#include <string.h>

enum { THREADS_MAX = 32 };

/* What a thread holds of a row, or adds to y. */
struct term {
    double sum, error; /* error: what the sum lost, where that is kept */
};

/* y_row += term.sum, on its way. */
struct addition {
    int64_t row;
    struct term term;
};

int twin_threads_per_row(int64_t n, int64_t nnz)
{
    int threads = THREADS_MAX;
    while (threads > 1 && nnz < 4 * threads * n)
        threads /= 2;
    return threads;
}

static void *array(int64_t count, size_t size)
{
    struct error error;
    void *made = memory_array(count, size, "a twin's array", &error);
    ck_assert_ptr_nonnull(made);
    return made;
}

static struct csr expanded(const struct csr *A)
{
    struct error error;
    struct csr full;
    expect_ok(csr_expand(A, &full, &error), &error);
    return full;
}

/* ---- one row shared by threads, as the kernels that begin with cuda_ do it ------------------- */

typedef struct term row_sum(const struct csr *A, int64_t row, int threads, const double *x);

static struct term plain_row(const struct csr *A, int64_t row, int threads, const double *x)
{
    double s[THREADS_MAX] = {0};
    for (int l = 0; l < threads; l++)
        for (int64_t k = A->offsets[row] + l; k < A->offsets[row + 1]; k += threads)
            s[l] = fma(A->values[k], x[A->columns[k]], s[l]);
    for (int half = threads / 2; half >= 1; half /= 2)
        for (int l = 0; l < half; l++)
            s[l] = s[l] + s[l + half];
    return (struct term){s[0], 0};
}

/* What a + b lost when it was rounded to `sum` (Knuth's TwoSum). */
static double lost(double a, double b, double sum)
{
    double part = sum - a;
    return (a - (sum - part)) + (b - part);
}

/* a x and what its rounding lost (TwoProduct). */
static struct term product(double a, double x)
{
    double rounded = a * x;
    return (struct term){rounded, fma(a, x, -rounded)};
}

static struct term compensated_row(const struct csr *A, int64_t row, int threads, const double *x)
{
    struct term s[THREADS_MAX] = {{0, 0}};
    for (int l = 0; l < threads; l++) {
        for (int64_t k = A->offsets[row] + l; k < A->offsets[row + 1]; k += threads) {
            struct term p = product(A->values[k], x[A->columns[k]]);
            double next = s[l].sum + p.sum;
            s[l].error += p.error + lost(s[l].sum, p.sum, next);
            s[l].sum = next;
        }
    }
    for (int half = threads / 2; half >= 1; half /= 2) {
        for (int l = 0; l < half; l++) {
            double next = s[l].sum + s[l + half].sum;
            s[l].error = s[l].error + (s[l + half].error + lost(s[l].sum, s[l + half].sum, next));
            s[l].sum = next;
        }
    }
    return s[0];
}

void twin_csr_subwarp(const struct csr *A, int threads, const double *x, double *y)
{
    struct csr full = expanded(A);
    if (threads == 0)
        threads = twin_threads_per_row(full.n, full.nnz);
    for (int64_t i = 0; i < full.n; i++)
        y[i] = plain_row(&full, i, threads, x).sum;
    csr_free(&full);
}

/* ---- atomic additions -------------------------------------------------------------------------- */

/* In any order, each as likely as any other (Fisher and Yates). */
static void shuffle(struct addition *list, int64_t count, uint64_t *state)
{
    for (int64_t last = count - 1; last > 0; last--) {
        int64_t other = test_random_below(state, last + 1);
        struct addition kept = list[last];
        list[last] = list[other];
        list[other] = kept;
    }
}

static double mirror_sign(const struct csr *A)
{
    return A->kind == CSR_SKEW ? -1 : 1;
}

/* One addition a stored entry: of the products of the lower triangle, and of the row in the place of
 * its diagonal. */
static struct addition *all_additions(const struct csr *A, int threads, row_sum *sum,
                                      const double *x)
{
    struct addition *list = array(A->nnz, sizeof *list);
    if (threads == 0)
        threads = twin_threads_per_row(A->n, A->nnz);
    for (int64_t i = 0; i < A->n; i++) {
        int64_t k = A->offsets[i];
        double mirrored = mirror_sign(A) * x[i];
        list[k] = (struct addition){i, sum(A, i, threads, x)};
        for (k++; k < A->offsets[i + 1]; k++)
            list[k] = (struct addition){A->columns[k], product(A->values[k], mirrored)};
    }
    return list;
}

void twin_sym_atomic(const struct csr *A, int threads, uint64_t seed, const double *x, double *y)
{
    struct addition *list = all_additions(A, threads, plain_row, x);
    shuffle(list, A->nnz, &seed);
    memset(y, 0, (size_t)A->n * sizeof *y);
    for (int64_t k = 0; k < A->nnz; k++)
        y[list[k].row] += list[k].term.sum;
    memory_free(list);
}

void twin_sym_compensated(const struct csr *A, int threads, uint64_t seed, const double *x,
                          double *y)
{
    struct addition *list = all_additions(A, threads, compensated_row, x);
    double *c = array(A->n, sizeof *c);
    memset(y, 0, (size_t)A->n * sizeof *y);
    memset(c, 0, (size_t)A->n * sizeof *c);
    shuffle(list, A->nnz, &seed);
    for (int64_t k = 0; k < A->nnz; k++) {
        double *target = &y[list[k].row], before = *target;
        struct term *term = &list[k].term;
        *target = before + term->sum;
        term->error = term->error + lost(before, term->sum, *target);
    }
    shuffle(list, A->nnz, &seed);
    for (int64_t k = 0; k < A->nnz; k++)
        c[list[k].row] += list[k].term.error;
    for (int64_t i = 0; i < A->n; i++)
        y[i] += c[i];
    memory_free(c);
    memory_free(list);
}

/* ---- the library's products -------------------------------------------------------------------- */

/* Add two of the terms, whichever, until one is left. terms[count] is used up. */
static double sum_in_any_way(double *terms, int64_t count, uint64_t *state)
{
    while (count > 1) {
        int64_t taken = test_random_below(state, count);
        double value = terms[taken];
        terms[taken] = terms[--count];
        terms[test_random_below(state, count)] += value;
    }
    return terms[0];
}

static void multiply_in_any_way(const struct csr *A, uint64_t *state, const double *x, double *y)
{
    double *terms = array(A->n, sizeof *terms);
    for (int64_t i = 0; i < A->n; i++) {
        int64_t begin = A->offsets[i], length = A->offsets[i + 1] - begin;
        terms[0] = 0;
        for (int64_t k = 0; k < length; k++)
            terms[k] = A->values[begin + k] * x[A->columns[begin + k]];
        y[i] = sum_in_any_way(terms, length, state);
    }
    memory_free(terms);
}

void twin_cusparse_full(const struct csr *A, uint64_t seed, const double *x, double *y)
{
    struct csr full = expanded(A);
    multiply_in_any_way(&full, &seed, x, y);
    csr_free(&full);
}

static struct csr with_half_diagonal(const struct csr *A)
{
    struct error error;
    struct csr U;
    expect_ok(csr_create(&U, A->kind, A->n, A->nnz, &error), &error);
    memcpy(U.offsets, A->offsets, (size_t)(A->n + 1) * sizeof *U.offsets);
    memcpy(U.columns, A->columns, (size_t)A->nnz * sizeof *U.columns);
    memcpy(U.values, A->values, (size_t)A->nnz * sizeof *U.values);
    for (int64_t i = 0; i < U.n; i++)
        U.values[U.offsets[i]] *= 0.5;
    return U;
}

void twin_cusparse_half(const struct csr *A, uint64_t seed, const double *x, double *y)
{
    struct csr U = with_half_diagonal(A);
    multiply_in_any_way(&U, &seed, x, y);
    struct addition *list = array(U.nnz, sizeof *list);
    for (int64_t i = 0; i < U.n; i++)
        for (int64_t k = U.offsets[i]; k < U.offsets[i + 1]; k++)
            list[k] = (struct addition){U.columns[k], {mirror_sign(A) * (U.values[k] * x[i]), 0}};
    shuffle(list, U.nnz, &seed);
    for (int64_t k = 0; k < U.nnz; k++)
        y[list[k].row] += list[k].term.sum;
    memory_free(list);
    csr_free(&U);
}

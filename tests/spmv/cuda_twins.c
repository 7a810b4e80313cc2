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

/* ---- arithmetic: in single precision the doubles hold singles -------------------------------- */

static double multiply_add(enum precision precision, double a, double b, double c)
{
    return precision == PRECISION_FLOAT ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
}

static double times(enum precision precision, double a, double b)
{
    return precision == PRECISION_FLOAT ? (double)((float)a * (float)b) : a * b;
}

static double plus(enum precision precision, double a, double b)
{
    return precision == PRECISION_FLOAT ? (double)((float)a + (float)b) : a + b;
}

/* A matrix and x as the kernel has them. */
struct rounded {
    struct csr A;
    double *x;
    enum precision precision;
};

static struct rounded rounded(struct csr A, enum precision precision, const double *x)
{
    struct rounded made = {A, array(A.width, sizeof *made.x), precision};
    for (int64_t k = 0; k < A.nnz && precision != PRECISION_DOUBLE; k++)
        made.A.values[k] = (double)(float)A.values[k];
    for (int64_t j = 0; j < A.width; j++)
        made.x[j] = precision == PRECISION_FLOAT ? (double)(float)x[j] : x[j];
    return made;
}

static struct rounded full_rows(const struct csr *A, enum precision precision, const double *x)
{
    struct error error;
    struct csr full;
    expect_ok(csr_expand(A, &full, &error), &error);
    return rounded(full, precision, x);
}

static struct rounded upper_rows(const struct csr *A, enum precision precision, const double *x)
{
    struct error error;
    struct csr copy;
    expect_ok(csr_create(&copy, A->kind, A->n, A->nnz, &error), &error);
    memcpy(copy.offsets, A->offsets, (size_t)(A->n + 1) * sizeof *A->offsets);
    memcpy(copy.columns, A->columns, (size_t)A->nnz * sizeof *A->columns);
    memcpy(copy.values, A->values, (size_t)A->nnz * sizeof *A->values);
    return rounded(copy, precision, x);
}

static void rounded_free(struct rounded *rounded)
{
    csr_free(&rounded->A);
    memory_free(rounded->x);
}

/* ---- one row shared by threads, as the kernels that begin with cuda_ do it ------------------- */

typedef struct term row_sum(const struct rounded *M, int64_t row, int threads);

static struct term plain_row(const struct rounded *M, int64_t row, int threads)
{
    const struct csr *A = &M->A;
    double s[THREADS_MAX] = {0};
    for (int l = 0; l < threads; l++)
        for (int64_t k = A->offsets[row] + l; k < A->offsets[row + 1]; k += threads)
            s[l] = multiply_add(M->precision, A->values[k], M->x[A->columns[k]], s[l]);
    for (int half = threads / 2; half >= 1; half /= 2)
        for (int l = 0; l < half; l++)
            s[l] = plus(M->precision, s[l], s[l + half]);
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

static struct term compensated_row(const struct rounded *M, int64_t row, int threads)
{
    const struct csr *A = &M->A;
    struct term s[THREADS_MAX] = {{0, 0}};
    for (int l = 0; l < threads; l++) {
        for (int64_t k = A->offsets[row] + l; k < A->offsets[row + 1]; k += threads) {
            struct term p = product(A->values[k], M->x[A->columns[k]]);
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

void twin_csr_subwarp(const struct csr *A, enum precision precision, int threads, const double *x,
                      double *y)
{
    struct rounded full = full_rows(A, precision, x);
    if (threads == 0)
        threads = twin_threads_per_row(full.A.n, full.A.nnz);
    for (int64_t i = 0; i < full.A.n; i++)
        y[i] = plain_row(&full, i, threads).sum;
    rounded_free(&full);
}

void twin_csr_scalar(const struct csr *A, enum precision precision, const double *x, double *y)
{
    struct rounded full = full_rows(A, precision, x);
    for (int64_t i = 0; i < full.A.n; i++) {
        double sum = 0;
        for (int64_t k = full.A.offsets[i]; k < full.A.offsets[i + 1]; k++)
            sum = multiply_add(precision, full.A.values[k], full.x[full.A.columns[k]], sum);
        y[i] = sum;
    }
    rounded_free(&full);
}

/* One block, of which `shared` is the memory that its threads share. A step is made by its threads
 * in an order that no warp of a device would take, the last one first: no thread may read what
 * another writes in the same step. */
static void vector_block(const struct rounded *M, int64_t block, int block_size, double *shared,
                         double *y)
{
    const struct csr *A = &M->A;
    int64_t first = block * (block_size / 32);
    for (int thread = block_size - 1; thread >= 0; thread--) {
        int64_t row = first + thread / 32;
        shared[thread] = NAN;
        if (row >= A->n)
            continue;
        double sum = 0;
        for (int64_t k = A->offsets[row] + thread % 32; k < A->offsets[row + 1]; k += 32)
            sum = multiply_add(M->precision, A->values[k], M->x[A->columns[k]], sum);
        shared[thread] = sum;
    }
    for (int half = 16; half >= 1; half /= 2)
        for (int thread = block_size - 1; thread >= 0; thread--)
            if (thread % 32 < half)
                shared[thread] = plus(M->precision, shared[thread], shared[thread + half]);
    for (int64_t row = first; row < first + block_size / 32 && row < A->n; row++)
        y[row] = shared[(row - first) * 32];
}

void twin_csr_vector(const struct csr *A, enum precision precision, int block_size, const double *x,
                     double *y)
{
    struct rounded full = full_rows(A, precision, x);
    double *shared = array(block_size, sizeof *shared);
    int rows = block_size / 32;
    for (int64_t block = 0; block < (full.A.n + rows - 1) / rows; block++)
        vector_block(&full, block, block_size, shared, y);
    memory_free(shared);
    rounded_free(&full);
}

/* ---- atomic additions ------------------------------------------------------------------------ */

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

/* One addition a stored entry: of the products of the lower triangle, and of the row in the place
 * of its diagonal; each with the error that came before it, where those are kept. */
static struct addition *all_additions(const struct rounded *M, int threads, row_sum *sum,
                                      bool errors)
{
    const struct csr *A = &M->A;
    struct addition *list = array(A->nnz, sizeof *list);
    if (threads == 0)
        threads = twin_threads_per_row(A->n, A->nnz);
    for (int64_t i = 0; i < A->n; i++) {
        int64_t k = A->offsets[i];
        double mirrored = mirror_sign(A) * M->x[i];
        list[k] = (struct addition){i, sum(M, i, threads)};
        for (k++; k < A->offsets[i + 1]; k++) {
            double p = times(M->precision, A->values[k], mirrored);
            double error = errors ? fma(A->values[k], mirrored, -p) : 0;
            list[k] = (struct addition){A->columns[k], {p, error}};
        }
    }
    return list;
}

void twin_sym_atomic(const struct csr *A, enum precision precision, int threads, uint64_t seed,
                     const double *x, double *y)
{
    struct rounded upper = upper_rows(A, precision, x);
    struct addition *list = all_additions(&upper, threads, plain_row, false);
    shuffle(list, A->nnz, &seed);
    memset(y, 0, (size_t)A->n * sizeof *y);
    for (int64_t k = 0; k < A->nnz; k++)
        y[list[k].row] = plus(precision, y[list[k].row], list[k].term.sum);
    memory_free(list);
    rounded_free(&upper);
}

void twin_sym_terms(const struct csr *A, enum precision precision, int threads, const double *x,
                    struct csr *terms)
{
    struct error error;
    struct rounded upper = upper_rows(A, precision, x);
    struct addition *list = all_additions(&upper, threads, plain_row, false);
    expect_ok(csr_create(terms, CSR_GENERAL, A->n, A->nnz, &error), &error);
    terms->width = A->n;
    memset(terms->offsets, 0, (size_t)(A->n + 1) * sizeof *terms->offsets);
    for (int64_t k = 0; k < A->nnz; k++)
        terms->offsets[list[k].row + 1]++;
    for (int64_t i = 0; i < A->n; i++)
        terms->offsets[i + 1] += terms->offsets[i];
    int32_t *held = array(A->n, sizeof *held);
    memset(held, 0, (size_t)A->n * sizeof *held);
    for (int64_t k = 0; k < A->nnz; k++) {
        int64_t i = list[k].row, place = terms->offsets[i] + held[i];
        terms->columns[place] = held[i]++;
        terms->values[place] = list[k].term.sum;
    }
    memory_free(held);
    memory_free(list);
    rounded_free(&upper);
}

static void sym_compensated(const struct csr *A, enum precision precision, int threads,
                            uint64_t seed, bool all, const double *x, double *y)
{
    ck_assert_int_ne(precision, PRECISION_FLOAT);
    struct rounded upper = upper_rows(A, precision, x);
    struct addition *list = all_additions(&upper, threads, all ? compensated_row : plain_row, all);
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
    rounded_free(&upper);
}

void twin_sym_compensated(const struct csr *A, enum precision precision, int threads, uint64_t seed,
                          const double *x, double *y)
{
    sym_compensated(A, precision, threads, seed, false, x, y);
}

void twin_sym_compensated_all(const struct csr *A, enum precision precision, int threads,
                              uint64_t seed, const double *x, double *y)
{
    sym_compensated(A, precision, threads, seed, true, x, y);
}

/* ---- the library's products ------------------------------------------------------------------ */

/* Add two of the terms, whichever, until one is left. terms[count] is used up. */
static double sum_in_any_way(enum precision precision, double *terms, int64_t count,
                             uint64_t *state)
{
    if (count == 0)
        return 0;
    while (count > 1) {
        int64_t taken = test_random_below(state, count);
        double value = terms[taken];
        terms[taken] = terms[--count];
        double *other = &terms[test_random_below(state, count)];
        *other = plus(precision, *other, value);
    }
    return terms[0];
}

static void multiply_in_any_way(const struct rounded *M, uint64_t *state, double *y)
{
    const struct csr *A = &M->A;
    double *terms = array(A->width, sizeof *terms);
    for (int64_t i = 0; i < A->n; i++) {
        int64_t begin = A->offsets[i], length = A->offsets[i + 1] - begin;
        for (int64_t k = 0; k < length; k++)
            terms[k] = times(M->precision, A->values[begin + k], M->x[A->columns[begin + k]]);
        y[i] = sum_in_any_way(M->precision, terms, length, state);
    }
    memory_free(terms);
}

void twin_cusparse_full(const struct csr *A, enum precision precision, uint64_t seed,
                        const double *x, double *y)
{
    struct rounded full = full_rows(A, precision, x);
    multiply_in_any_way(&full, &seed, y);
    rounded_free(&full);
}

void twin_cusparse_half(const struct csr *A, enum precision precision, uint64_t seed,
                        const double *x, double *y)
{
    struct rounded U = upper_rows(A, precision, x);
    for (int64_t i = 0; i < A->n; i++)
        U.A.values[A->offsets[i]] *= 0.5;
    multiply_in_any_way(&U, &seed, y);
    struct addition *list = array(A->nnz, sizeof *list);
    for (int64_t i = 0; i < A->n; i++) {
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            double p = times(precision, U.A.values[k], U.x[i]);
            list[k] = (struct addition){A->columns[k], {mirror_sign(A) * p, 0}};
        }
    }
    shuffle(list, A->nnz, &seed);
    for (int64_t k = 0; k < A->nnz; k++)
        y[list[k].row] = plus(precision, y[list[k].row], list[k].term.sum);
    memory_free(list);
    rounded_free(&U);
}

/* The twins of the CUDA kernels within the bounds of study/product_reference.h, in each precision,
 * with every number of threads a row and in many orders of the atomic additions. test_twins_cuda.c
 * holds the kernels to them. */
#include "support.h"

#include "matrices.h"
#include "spmv/cuda_twins.h"
#include "spmv/host_product.h"
#include "spmv/precision.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const int thread_counts[] = {0, 1, 2, 4, 8, 16, 32};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof *thread_counts, SEEDS = 3 };

/* A product with everything that it depends on given. */
typedef void twin(const struct csr *A, enum precision precision, int threads, uint64_t seed,
                  const double *x, double *y);

static void subwarp(const struct csr *A, enum precision precision, int threads, uint64_t seed,
                    const double *x, double *y)
{
    (void)seed;
    twin_csr_subwarp(A, precision, threads, x, y);
}

static void scalar(const struct csr *A, enum precision precision, int threads, uint64_t seed,
                   const double *x, double *y)
{
    (void)threads;
    (void)seed;
    twin_csr_scalar(A, precision, x, y);
}

static void vector(const struct csr *A, enum precision precision, int threads, uint64_t seed,
                   const double *x, double *y)
{
    (void)seed;
    twin_csr_vector(A, precision, threads == 0 ? 1024 : 32 * threads, x, y);
}

static void cusparse_full(const struct csr *A, enum precision precision, int threads, uint64_t seed,
                          const double *x, double *y)
{
    (void)threads;
    twin_cusparse_full(A, precision, seed, x, y);
}

static void cusparse_half(const struct csr *A, enum precision precision, int threads, uint64_t seed,
                          const double *x, double *y)
{
    (void)threads;
    twin_cusparse_half(A, precision, seed, x, y);
}

enum { ALL = CSR_SYMMETRIC | CSR_SKEW | CSR_GENERAL, TRIANGLES = CSR_SYMMETRIC | CSR_SKEW };

/* What its bits depend on: the threads a row, the order in which additions arrive. */
enum { THREADS = 1, ORDER = 2 };

static const struct {
    const char *name;
    twin *multiply;
    enum product_sums sums;
    unsigned kinds, depends;
    bool has_float;
} twins[] = {
    {"the twin of cuda_csr_subwarp", subwarp, SUMS_PLAIN, ALL, THREADS, true},
    {"the twin of cuda_csr_scalar", scalar, SUMS_PLAIN, ALL, 0, true},
    {"the twin of cuda_csr_vector", vector, SUMS_PLAIN, ALL, THREADS, true},
    {"the twin of cuda_sym_atomic", twin_sym_atomic, SUMS_PLAIN, TRIANGLES, THREADS | ORDER, true},
    {"the twin of cuda_sym_compensated", twin_sym_compensated, SUMS_PLAIN, TRIANGLES, THREADS,
     false},
    {"the same, all compensated", twin_sym_compensated_all, SUMS_COMPENSATED, TRIANGLES, 0, false},
    {"the twin of cusparse_full", cusparse_full, SUMS_PLAIN, ALL, ORDER, true},
    {"the twin of cusparse_half", cusparse_half, SUMS_PLAIN, TRIANGLES, ORDER, true},
};
enum { TWINS = sizeof twins / sizeof *twins };

static void poison(double *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = NAN;
}

/* A matrix, x, y, and what A x is in each precision, and by compensated sums. */
struct trial {
    const char *matrix;
    struct csr A;
    double *x, *y;
    struct product_reference references[SUMS_COMPENSATED + 1][PRECISIONS];
};

/* Of a matrix that is then the trial's. */
static struct trial trial_with(struct csr A, const char *name, uint64_t *state)
{
    struct trial trial = {.matrix = name, .A = A, .x = host_vector(A.width), .y = host_vector(A.n)};
    host_randomise(trial.x, A.width, state);
    for (int p = 0; p < PRECISIONS; p++)
        for (int s = SUMS_PLAIN; s <= SUMS_COMPENSATED; s++)
            host_reference(&A, trial.x, (enum precision)p, (enum product_sums)s,
                           &trial.references[s][p]);
    return trial;
}

static struct trial trial_of(const struct test_matrix *matrix, enum csr_kind kind, uint64_t *state)
{
    struct csr A;
    test_matrix_build(matrix, kind, state, &A);
    return trial_with(A, matrix->name, state);
}

static struct trial trial_of_rectangle(const struct test_rectangle *rectangle, uint64_t *state)
{
    struct csr A;
    test_rectangle_build(rectangle, state, &A);
    return trial_with(A, rectangle->name, state);
}

static void trial_free(struct trial *trial)
{
    for (int p = 0; p < PRECISIONS; p++)
        for (int s = SUMS_PLAIN; s <= SUMS_COMPENSATED; s++)
            product_reference_free(&trial->references[s][p]);
    memory_free(trial->x);
    memory_free(trial->y);
    csr_free(&trial->A);
}

static const struct test_matrix *named(const char *name)
{
    for (int m = 0; m < test_matrices_count; m++)
        if (strcmp(test_matrices[m].name, name) == 0)
            return &test_matrices[m];
    ck_abort_msg("no test matrix is called %s", name);
    return NULL;
}

static void over_threads_and_seeds(struct trial *trial, int t, enum precision precision)
{
    char name[128];
    snprintf(name, sizeof name, "%s (%s)", twins[t].name, kernel_precisions[precision]);
    int counts = twins[t].depends & THREADS ? THREAD_COUNTS : 1;
    uint64_t seeds = twins[t].depends & ORDER ? SEEDS : 1;
    for (int count = 0; count < counts; count++) {
        for (uint64_t seed = 0; seed < seeds; seed++) {
            poison(trial->y, trial->A.n);
            twins[t].multiply(&trial->A, precision, thread_counts[count], seed, trial->x, trial->y);
            expect_product(&trial->references[twins[t].sums][precision], name, trial->matrix,
                           trial->y);
        }
    }
}

static void over_twins(struct trial *trial)
{
    for (int t = 0; t < TWINS; t++)
        for (int p = 0; p < PRECISIONS; p++)
            if ((twins[t].kinds & trial->A.kind) && !(p == PRECISION_FLOAT && !twins[t].has_float))
                over_threads_and_seeds(trial, t, (enum precision)p);
}

START_TEST(every_twin_is_within_its_bound)
{
    uint64_t state = test_seed();
    for (int m = 0; m < test_matrices_count; m++) {
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_GENERAL; kind *= 2) {
            struct trial trial = trial_of(&test_matrices[m], kind, &state);
            over_twins(&trial);
            trial_free(&trial);
        }
    }
    for (int m = 0; m < test_rectangles_count; m++) {
        struct trial trial = trial_of_rectangle(&test_rectangles[m], &state);
        over_twins(&trial);
        trial_free(&trial);
    }
}
END_TEST

/* One thread a row is the chain of csr_multiply. */
START_TEST(one_thread_is_the_chain)
{
    uint64_t state = test_seed();
    for (int m = 0; m < test_matrices_count; m++) {
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_GENERAL; kind *= 2) {
            struct trial trial = trial_of(&test_matrices[m], kind, &state);
            double *chain = host_vector(trial.A.n);
            csr_multiply(&trial.A, trial.x, chain);
            twin_csr_subwarp(&trial.A, PRECISION_DOUBLE, 1, trial.x, trial.y);
            expect_same_bits(twins[0].name, test_matrices[m].name, 1, trial.A.n, chain, trial.y);
            memory_free(chain);
            trial_free(&trial);
        }
    }
}
END_TEST

/* One thread a row and one warp a row are what cuda_csr_subwarp does with 1 and with 32, whatever
 * the blocks. */
static void textbook(struct trial *trial, enum precision precision)
{
    int64_t n = trial->A.n;
    double *wanted = host_vector(n);
    twin_csr_subwarp(&trial->A, precision, 1, trial->x, wanted);
    twin_csr_scalar(&trial->A, precision, trial->x, trial->y);
    expect_same_bits("the twin of cuda_csr_scalar", trial->matrix, 1, n, wanted, trial->y);
    twin_csr_subwarp(&trial->A, precision, 32, trial->x, wanted);
    for (int block_size = 32; block_size <= 1024; block_size += 31 * 32) {
        poison(trial->y, n);
        twin_csr_vector(&trial->A, precision, block_size, trial->x, trial->y);
        expect_same_bits("the twin of cuda_csr_vector", trial->matrix, block_size, n, wanted,
                         trial->y);
    }
    memory_free(wanted);
}

START_TEST(textbook_kernels_add_in_the_order_of_subwarp)
{
    uint64_t state = test_seed();
    for (int p = 0; p < PRECISIONS; p++) {
        for (int m = 0; m < test_matrices_count; m++) {
            struct trial trial = trial_of(&test_matrices[m], CSR_SYMMETRIC, &state);
            textbook(&trial, (enum precision)p);
            trial_free(&trial);
        }
        for (int m = 0; m < test_rectangles_count; m++) {
            struct trial trial = trial_of_rectangle(&test_rectangles[m], &state);
            textbook(&trial, (enum precision)p);
            trial_free(&trial);
        }
    }
}
END_TEST

/* So bits that agree with a twin's say that the number of threads does. */
START_TEST(threads_change_the_bits)
{
    uint64_t state = test_seed();
    struct trial trial = trial_of(named("dense"), CSR_SYMMETRIC, &state);
    double *before = host_vector(trial.A.n);
    twin_csr_subwarp(&trial.A, PRECISION_DOUBLE, 1, trial.x, before);
    for (int threads = 2; threads <= 32; threads *= 2) {
        twin_csr_subwarp(&trial.A, PRECISION_DOUBLE, threads, trial.x, trial.y);
        ck_assert_mem_ne(trial.y, before, (size_t)trial.A.n * sizeof *before);
        memcpy(before, trial.y, (size_t)trial.A.n * sizeof *before);
    }
    memory_free(before);
    trial_free(&trial);
}
END_TEST

START_TEST(four_entries_are_left_to_each_thread)
{
    static const struct {
        int64_t n, nnz;
        int threads;
    } rules[] = {
        {1, 1, 1},      {100, 799, 1},    {100, 800, 2},     {100, 1599, 2},
        {100, 1600, 4}, {100, 3200, 8},   {100, 6399, 8},    {100, 6400, 16},
        {1, 127, 16},   {100, 12800, 32}, {10, 1000000, 32}, {INT32_MAX, INT64_C(128) << 31, 32},
    };
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        ck_assert_int_eq(twin_threads_per_row(rules[k].n, rules[k].nnz), rules[k].threads);
}
END_TEST

/* How many different results the seeds give; the same seed gives the same one. */
static int results(const struct trial *trial, twin *multiply, int threads)
{
    enum { TRIES = 20 };
    int64_t n = trial->A.n;
    size_t bytes = (size_t)n * sizeof(double);
    double *all = host_vector(TRIES * n);
    int different = 0;
    for (int seed = 0; seed < TRIES; seed++) {
        double *y = all + different * n;
        multiply(&trial->A, PRECISION_DOUBLE, threads, (uint64_t)seed, trial->x, y);
        multiply(&trial->A, PRECISION_DOUBLE, threads, (uint64_t)seed, trial->x, trial->y);
        ck_assert_mem_eq(trial->y, y, bytes);
        bool known = false;
        for (int k = 0; k < different; k++)
            known |= memcmp(all + k * n, y, bytes) == 0;
        different += !known;
    }
    memory_free(all);
    return different;
}

/* Where a y has two additions, zero makes the first exact and they commute: no order matters. Where
 * it has many, nearly every order is another result. */
START_TEST(atomic_results_depend_on_the_order)
{
    uint64_t state = test_seed();
    struct trial chain = trial_of(named("tridiagonal"), CSR_SYMMETRIC, &state);
    struct trial dense = trial_of(named("dense"), CSR_SYMMETRIC, &state);
    for (int k = 1; k < THREAD_COUNTS; k++) {
        ck_assert_int_eq(results(&chain, twin_sym_atomic, thread_counts[k]), 1);
        ck_assert_int_gt(results(&dense, twin_sym_atomic, thread_counts[k]), 15);
    }
    ck_assert_int_gt(results(&dense, cusparse_full, 0), 15);
    ck_assert_int_gt(results(&dense, cusparse_half, 0), 15);
    trial_free(&chain);
    trial_free(&dense);
}
END_TEST

/* A trial's twin over all threads and seeds: where the bound leaves no second double, y is the one
 * that remains, so neither the order nor the threads can matter. That is nearly every row. */
static void expect_decided(struct trial *trial, twin *multiply,
                           const struct product_reference *reference, int threads, int64_t *rows,
                           int64_t *decided)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        poison(trial->y, trial->A.n);
        multiply(&trial->A, PRECISION_DOUBLE, threads, seed, trial->x, trial->y);
        *decided +=
            expect_rounded(reference, "the twin of cuda_sym_compensated", trial->matrix, trial->y);
        *rows += trial->A.n;
    }
}

static void all_compensated(struct trial *trial, int threads, int64_t *rows, int64_t *decided)
{
    expect_decided(trial, twin_sym_compensated_all,
                   &trial->references[SUMS_COMPENSATED][PRECISION_DOUBLE], threads, rows, decided);
}

/* The sum of what the atomics add, rounded once. */
static void atomics_compensated(struct trial *trial, int threads, int64_t *rows, int64_t *decided)
{
    struct csr terms;
    struct product_reference reference;
    double *ones = host_vector(trial->A.n);
    for (int64_t i = 0; i < trial->A.n; i++)
        ones[i] = 1;
    twin_sym_terms(&trial->A, PRECISION_DOUBLE, threads, trial->x, &terms);
    host_reference(&terms, ones, PRECISION_DOUBLE, SUMS_COMPENSATED, &reference);
    expect_decided(trial, twin_sym_compensated, &reference, threads, rows, decided);
    product_reference_free(&reference);
    memory_free(ones);
    csr_free(&terms);
}

static void over_symmetric(void (*check)(struct trial *, int threads, int64_t *, int64_t *),
                           double share)
{
    uint64_t state = test_seed();
    int64_t rows = 0, decided = 0;
    for (int m = 0; m < test_matrices_count; m++) {
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind *= 2) {
            struct trial trial = trial_of(&test_matrices[m], kind, &state);
            for (int count = 0; count < THREAD_COUNTS; count++)
                check(&trial, thread_counts[count], &rows, &decided);
            trial_free(&trial);
        }
    }
    printf("decided: all but %g of the rows\n", (double)(rows - decided) / (double)rows);
    ck_assert_msg((double)decided > share * (double)rows, "only %d of %d rows have no choice",
                  (int)decided, (int)rows);
}

/* The sum of a few rounded numbers has few bits more than a double, so now and then it lies in the
 * middle between two, where the bound leaves both: of two numbers whose exponents differ by d, once
 * in 2^(d + 1) or so. Products with their errors have twice the bits. */
START_TEST(compensated_results_do_not)
{
    over_symmetric(all_compensated, 0.999);
    over_symmetric(atomics_compensated, 0.9);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_twin_is_within_its_bound,
                            one_thread_is_the_chain,
                            textbook_kernels_add_in_the_order_of_subwarp,
                            threads_change_the_bits,
                            four_entries_are_left_to_each_thread,
                            atomic_results_depend_on_the_order,
                            compensated_results_do_not,
                            NULL};
    return suite_of("spmv/twins", tests);
}

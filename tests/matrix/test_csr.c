/* The rules of matrix/csr.h, the expansion against a dense matrix, and the reference product. */
#include "csr_check.h"
#include "support.h"

#include "matrices.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A valid 4 x 4 matrix:   2  .  3  .
 *                            5  6  7
 *                               8  .
 *                                  9   */
static void small(enum csr_kind kind, struct csr *A)
{
    static const double upper[] = {2, 0, 3, 0, 5, 6, 7, 8, 0, 9};
    static const double skew[] = {0, 0, 3, 0, 0, 6, 7, 0, 0, 0};
    test_matrix_from_dense(4, kind == CSR_SKEW ? skew : upper, kind, A);
}

static void n_zero(struct csr *A)
{
    A->n = 0;
}
static void n_large(struct csr *A)
{
    A->n = (int64_t)INT32_MAX + 1;
}
static void late_start(struct csr *A)
{
    A->offsets[0] = 1;
}
static void early_end(struct csr *A)
{
    A->offsets[4] = 6;
}
static void more_entries(struct csr *A)
{
    A->nnz = 8;
}
static void backwards(struct csr *A)
{
    A->offsets[2] = 1;
}
static void beyond(struct csr *A)
{
    A->offsets[1] = 100;
}
static void empty_row(struct csr *A)
{
    A->offsets[3] = 5;
}
static void no_diagonal(struct csr *A)
{
    A->columns[0] = 1;
}
static void no_last_diagonal(struct csr *A)
{
    A->columns[6] = 2;
}
static void column_high(struct csr *A)
{
    A->columns[1] = 4;
}
static void column_negative(struct csr *A)
{
    A->columns[1] = -1;
}
static void column_twice(struct csr *A)
{
    A->columns[4] = 2;
}
static void column_lower(struct csr *A)
{
    A->columns[3] = 0;
}
static void columns_swapped(struct csr *A)
{
    A->columns[3] = 3;
    A->columns[4] = 2;
}
static void value_nan(struct csr *A)
{
    A->values[3] = NAN;
}
static void value_infinite(struct csr *A)
{
    A->values[4] = -INFINITY;
}
static void diagonal_infinite(struct csr *A)
{
    A->values[6] = INFINITY;
}
static void wider(struct csr *A)
{
    A->width = 5;
}
static void no_width(struct csr *A)
{
    A->width = 0;
}
static void diagonal_one(struct csr *A)
{
    A->values[6] = 1;
}

enum { UPPER = CSR_SYMMETRIC | CSR_SKEW, ALL = UPPER | CSR_GENERAL };

/* For `kinds` the change breaks the rule with this text; for the others it leaves a valid matrix.
 */
static const struct {
    void (*change)(struct csr *A);
    unsigned kinds;
    const char *text;
} broken[] = {
    {n_zero, ALL, "n = 0 lies outside 1 to 2147483647"},
    {n_large, ALL, "n = 2147483648 lies outside 1 to 2147483647"},
    {late_start, ALL, "the row offsets do not span the entries"},
    {early_end, ALL, "the row offsets do not span the entries"},
    {more_entries, ALL, "the row offsets do not span the entries"},
    {backwards, ALL, "row 2: its offsets do not lie in order within the entries"},
    {beyond, ALL, "row 1: its offsets do not lie in order within the entries"},
    {empty_row, UPPER, "row 3: the diagonal entry does not come first"},
    {no_diagonal, UPPER, "row 1: the diagonal entry does not come first"},
    {no_last_diagonal, UPPER, "row 4: the diagonal entry does not come first"},
    {column_high, ALL, "row 1: column 5 lies outside 1 to 4"},
    {column_negative, ALL, "row 1: column 0 lies outside 1 to 4"},
    {column_twice, ALL, "row 2: column 3 does not come after column 3"},
    {column_lower, ALL, "row 2: column 1 does not come after column 2"},
    {columns_swapped, ALL, "row 2: column 3 does not come after column 4"},
    {value_nan, ALL, "row 2, column 3: the value nan is not finite"},
    {value_infinite, ALL, "row 2, column 4: the value -inf is not finite"},
    {diagonal_infinite, ALL, "row 4, column 4: the value inf is not finite"},
    {wider, UPPER, "a symmetric matrix of 4 rows and 5 columns"},
    {no_width, ALL, "0 columns: not from 1 to 2147483647"},
    {diagonal_one, CSR_SKEW, "row 4: the diagonal 1 of a skew-symmetric matrix is not zero"},
};

START_TEST(every_broken_rule_is_named)
{
    struct error error;
    for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_GENERAL; kind *= 2) {
        for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
            struct csr A;
            small(kind, &A);
            expect_ok(csr_check(&A, &error), &error);
            broken[k].change(&A);
            error.text[0] = 0;
            enum status status = csr_check(&A, &error);
            if (broken[k].kinds & kind) {
                expect_error(status, STATUS_INPUT, &error, broken[k].text, NULL);
                ck_assert_ptr_null(strchr(error.text, '\n'));
            } else if (broken[k].change != empty_row) { /* row 4 then holds columns 3 and 4 */
                expect_ok(status, &error);
            }
            csr_free(&A);
        }
    }
}
END_TEST

START_TEST(valid_matrices_pass)
{
    struct error error;
    struct csr A;
    small(CSR_SYMMETRIC, &A);
    A.values[2] = A.values[3] = 0; /* zeros may be stored, on the diagonal and off it */
    A.values[0] = DBL_MAX;
    A.values[5] = -0x1p-1074;
    expect_ok(csr_check(&A, &error), &error);
    ck_assert_int_eq(csr_nnz_full(&A), 10);
    ck_assert_int_eq(csr_bytes(&A), 5 * 8 + 7 * 12);
    csr_free(&A);
    ck_assert(!A.offsets && !A.columns && !A.values && A.n == 0 && A.nnz == 0);
    csr_free(&A);
    expect_ok(csr_create(&A, CSR_GENERAL, 3, 0, &error), &error); /* no entry at all */
    memset(A.offsets, 0, 4 * sizeof *A.offsets);
    expect_ok(csr_check(&A, &error), &error);
    ck_assert_int_eq(csr_nnz_full(&A), 0);
    csr_free(&A);
}
END_TEST

/* 2 rows of 5 columns, and what is made of them. */
START_TEST(rectangular_matrices_pass)
{
    struct error error;
    struct csr A, copy;
    expect_ok(csr_create(&A, CSR_GENERAL, 2, 3, &error), &error);
    A.width = 5;
    ck_assert(A.kind == CSR_GENERAL && A.n == 2 && A.width == 5 && A.nnz == 3);
    memcpy(A.offsets, (int64_t[]){0, 2, 3}, 3 * sizeof(int64_t));
    memcpy(A.columns, (int32_t[]){0, 4, 3}, 3 * sizeof(int32_t));
    memcpy(A.values, (double[]){2, 3, 5}, 3 * sizeof(double));
    expect_ok(csr_check(&A, &error), &error);
    expect_ok(csr_expand(&A, &copy, &error), &error);
    ck_assert(copy.n == 2 && copy.width == 5);
    expect_ok(csr_check(&copy, &error), &error);
    ck_assert_uint_eq(csr_hash(&copy), csr_hash(&A));
    double y[2] = {NAN, NAN};
    csr_multiply(&copy, (double[]){1, NAN, NAN, 100, 10}, y);
    ck_assert(y[0] == 32 && y[1] == 500);
    A.width = 6;
    ck_assert_uint_ne(csr_hash(&copy), csr_hash(&A));
    csr_free(&A);
    csr_free(&copy);
}
END_TEST

/* What each place of the full matrix holds, and whether it is stored. */
struct dense {
    int64_t n;
    double *values;
    bool *stored;
};

static struct dense dense_of(const struct csr *A)
{
    struct error error;
    struct dense dense = {A->n, memory_zeros(A->n * A->n, sizeof(double), "dense", &error),
                          memory_zeros(A->n * A->n, sizeof(bool), "dense", &error)};
    ck_assert(dense.values && dense.stored);
    for (int64_t i = 0; i < A->n; i++) {
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            int64_t j = A->columns[k];
            dense.stored[i * A->n + j] = true;
            dense.values[i * A->n + j] = A->values[k];
            if (A->kind != CSR_GENERAL && i != j) {
                dense.stored[j * A->n + i] = true;
                dense.values[j * A->n + i] = A->kind == CSR_SKEW ? -A->values[k] : A->values[k];
            }
        }
    }
    return dense;
}

static void expect_dense(const struct csr *full, const struct dense *dense)
{
    struct error error;
    expect_ok(csr_check(full, &error), &error);
    ck_assert_int_eq(full->kind, CSR_GENERAL);
    ck_assert_int_eq(full->n, dense->n);
    int64_t k = 0;
    for (int64_t i = 0; i < dense->n; i++) {
        ck_assert_int_eq(full->offsets[i], k);
        for (int64_t j = 0; j < dense->n; j++) {
            if (!dense->stored[i * dense->n + j])
                continue;
            ck_assert_int_lt(k, full->nnz);
            ck_assert_int_eq(full->columns[k], j);
            ck_assert_mem_eq(&full->values[k], &dense->values[i * dense->n + j], sizeof(double));
            k++;
        }
    }
    ck_assert_int_eq(full->nnz, k);
}

START_TEST(expansion_is_the_dense_matrix)
{
    uint64_t state = test_seed();
    struct error error;
    for (int m = 0; m < test_matrices_count; m++) {
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind *= 2) {
            struct csr A, full, copy;
            test_matrix_build(&test_matrices[m], kind, &state, &A);
            struct dense dense = dense_of(&A);
            for (int threads = 7; threads >= 1; threads -= 3) {
                test_threads(threads);
                expect_ok(csr_expand(&A, &full, &error), &error);
                ck_assert_int_eq(csr_nnz_full(&A), full.nnz);
                expect_dense(&full, &dense);
                if (threads > 1)
                    csr_free(&full);
            }
            expect_ok(csr_expand(&full, &copy, &error), &error);
            ck_assert_ptr_ne(copy.values, full.values);
            expect_dense(&copy, &dense);
            memory_free(dense.values);
            memory_free(dense.stored);
            csr_free(&A);
            csr_free(&full);
            csr_free(&copy);
        }
    }
}
END_TEST

/* One row by the chain that csr_multiply promises, and by long double with the sum of magnitudes;
 * L fused steps make L roundings, so |y - exact| <= gamma_L sum |a||x| (Higham 2002, section 3.1).
 */
static void expect_row(const struct csr *full, int64_t i, const double *x, double y)
{
    double chain = 0;
    long double exact = 0, magnitude = 0;
    for (int64_t k = full->offsets[i]; k < full->offsets[i + 1]; k++) {
        double a = full->values[k], x_j = x[full->columns[k]];
        chain = fma(a, x_j, chain);
        exact += (long double)a * x_j;
        magnitude += fabsl((long double)a * x_j);
    }
    ck_assert_msg(memcmp(&chain, &y, sizeof y) == 0, "row %d: %a instead of %a", (int)i, y, chain);
    long double mu = (long double)(full->offsets[i + 1] - full->offsets[i] + 1) * DBL_EPSILON / 2;
    ck_assert_msg(fabsl(y - exact) <= mu / (1 - mu) * magnitude, "row %d: %.17g, exact %.20Lg",
                  (int)i, y, exact);
}

START_TEST(products_follow_the_chain)
{
    uint64_t state = test_seed();
    struct error error;
    for (int m = 0; m < test_matrices_count; m++) {
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind *= 2) {
            struct csr A, full;
            test_matrix_build(&test_matrices[m], kind, &state, &A);
            expect_ok(csr_expand(&A, &full, &error), &error);
            double *x = memory_array(3 * A.n, sizeof *x, "x, y and z", &error);
            double *y = x + A.n, *z = y + A.n;
            for (int64_t i = 0; i < A.n; i++) {
                x[i] = (2 * test_random(&state) - 1) * (i % 5 == 2 ? 1e6 : 1);
                y[i] = z[i] = NAN;
            }
            csr_multiply(&A, x, y);
            csr_multiply(&full, x, z);
            ck_assert_mem_eq(y, z, (size_t)A.n * sizeof *y);
            for (int64_t i = A.n / 3; i < A.n; i++)
                z[i] = NAN;
            csr_multiply_rows(&full, A.n / 3, A.n, x, z);
            ck_assert_mem_eq(y, z, (size_t)A.n * sizeof *y);
            for (int64_t i = 0; i < A.n; i++)
                expect_row(&full, i, x, y[i]);
            memory_free(x);
            csr_free(&A);
            csr_free(&full);
        }
    }
}
END_TEST

START_TEST(products_of_small_matrices)
{
    static const double x[] = {1, 10, 100, 1000};
    static const double symmetric[] = {302, 7650, 863, 9070}, skew[] = {300, 7600, -63, -70};
    struct csr A;
    double y[4];
    small(CSR_SYMMETRIC, &A);
    csr_multiply(&A, x, y);
    ck_assert_mem_eq(y, symmetric, sizeof y);
    csr_free(&A);
    small(CSR_SKEW, &A);
    csr_multiply(&A, x, y);
    ck_assert_mem_eq(y, skew, sizeof y);
    csr_free(&A);
}
END_TEST

/* Of rows that are random: each entry is found again, and nothing else is there. */
START_TEST(a_transpose_has_the_entries_turned)
{
    enum { MOST = 9 };
    uint64_t state = test_seed();
    struct error error;
    for (int trial = 0; trial < 50; trial++) {
        struct csr A, turned;
        int64_t n = 1 + test_random_below(&state, MOST),
                width = 1 + test_random_below(&state, MOST);
        int64_t count = 0;
        expect_ok(csr_create(&A, CSR_GENERAL, n, n * width, &error), &error);
        A.width = width;
        A.offsets[0] = 0;
        for (int64_t i = 0; i < n; i++) {
            for (int32_t j = 0; j < width; j++)
                if (test_random_below(&state, 2)) {
                    A.columns[count] = j;
                    A.values[count++] = (double)(i * MOST + j);
                }
            A.offsets[i + 1] = count;
        }
        A.nnz = count;
        expect_ok(csr_transpose(&A, &turned, &error), &error);
        expect_ok(csr_check(&turned, &error), &error);
        ck_assert(turned.n == width && turned.width == n && turned.nnz == count);
        for (int64_t j = 0; j < width; j++)
            for (int64_t k = turned.offsets[j]; k < turned.offsets[j + 1]; k++)
                ck_assert(turned.values[k] == (double)(turned.columns[k] * MOST + j));
        csr_free(&A);
        csr_free(&turned);
    }
}
END_TEST

static enum status create(void *context, struct error *error)
{
    (void)context;
    struct csr A;
    enum status status = csr_create(&A, CSR_SYMMETRIC, 5, 9, error);
    if (status)
        ck_assert(!A.offsets && !A.columns && !A.values && A.n == 0 && A.nnz == 0);
    csr_free(&A);
    return status;
}

static enum status expand(void *context, struct error *error)
{
    struct csr full;
    enum status status = csr_expand(context, &full, error);
    csr_free(&full);
    return status;
}

static enum status transpose(void *context, struct error *error)
{
    struct csr turned;
    enum status status = csr_transpose(context, &turned, error);
    csr_free(&turned);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    walk_allocation_failures(create, NULL);
    for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_GENERAL; kind *= 2) {
        struct csr A;
        small(kind, &A);
        walk_allocation_failures(expand, &A);
        if (kind == CSR_GENERAL)
            walk_allocation_failures(transpose, &A);
        csr_free(&A);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_broken_rule_is_named,
                            valid_matrices_pass,
                            rectangular_matrices_pass,
                            expansion_is_the_dense_matrix,
                            products_follow_the_chain,
                            products_of_small_matrices,
                            a_transpose_has_the_entries_turned,
                            every_failed_allocation_is_survived,
                            NULL};
    return suite_of("matrix/csr", tests);
}

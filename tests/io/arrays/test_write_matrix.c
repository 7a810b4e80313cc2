/* Matrices that are written and read again: every bit comes back, in every format. */
#include "io/arrays/write_matrix.h"

#include "io/arrays/matrix_writers.h"
#include "io/market/matrix_market.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct error error;

static const struct {
    const char *ending;
    bool triangle; /* of a triangle the file has one */
} formats[] = {{"mtx", true},  {"npz", false}, {"petsc", false},
               {"mat", false}, {"rb", true},   {"rua", false}};
enum { FORMATS = sizeof formats / sizeof *formats, ROWS_MOST = 12 };

/* Any finite bits; at times a 0 of either sign. */
static double random_value(uint64_t *state)
{
    double value = NAN;
    if (test_random_below(state, 8) == 0)
        return test_random_below(state, 2) ? 0.0 : -0.0;
    while (!isfinite(value)) {
        uint64_t bits = (uint64_t)test_random_below(state, INT64_C(1) << 32) << 32 |
                        (uint64_t)test_random_below(state, INT64_C(1) << 32);
        memcpy(&value, &bits, sizeof value);
    }
    return value;
}

/* Of a kind in fact: a triangle is neither also the other, nor general. */
static void make_matrix(enum csr_kind kind, uint64_t *state, struct csr *A)
{
    int64_t n = 2 + test_random_below(state, ROWS_MOST - 1), k = 0;
    expect_ok(csr_create(A, kind, n, n * n, &error), &error);
    A->width = kind == CSR_GENERAL ? 2 + test_random_below(state, n + 2) : n;
    A->offsets[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t first = kind == CSR_GENERAL ? 0 : i;
        for (int64_t j = first; j < n && j < A->width; j++) {
            bool corner = i == 0 && j == 1, diagonal = kind != CSR_GENERAL && i == j;
            if (!corner && !diagonal && test_random_below(state, 2))
                continue;
            A->columns[k] = (int32_t)j;
            A->values[k++] = corner                         ? 0x1.fffffffffffffp-3
                             : diagonal && kind == CSR_SKEW ? 0
                                                            : random_value(state);
        }
        A->offsets[i + 1] = k;
    }
    A->nnz = k;
}

static const char *write_as(const char *ending, const struct csr *A)
{
    char name[32];
    snprintf(name, sizeof name, "a.%s", ending);
    const char *path = temporary_path(name);
    expect_ok(matrix_write(path, A, &error), &error);
    return path;
}

static void expect_again(const char *path, const struct csr *A)
{
    struct csr again;
    struct matrix_market_report report;
    expect_ok(matrix_market_read(path, CSR_GENERAL, 0, NULL, &again, &report, &error), &error);
    ck_assert_msg(csr_hash(&again) == csr_hash(A), "%s", path);
    ck_assert_int_eq(report.duplicates, 0);
    csr_free(&again);
}

START_TEST(every_bit_comes_back)
{
    static const enum csr_kind kinds[] = {CSR_GENERAL, CSR_SYMMETRIC, CSR_SKEW};
    uint64_t state = test_seed();
    for (int trial = 0; trial < 90; trial++) {
        struct csr A;
        make_matrix(kinds[trial % 3], &state, &A);
        for (int f = 0; f < FORMATS; f++)
            expect_again(write_as(formats[f].ending, &A), &A);
        csr_free(&A);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* More entries than a piece holds. */
START_TEST(long_arrays_come_back)
{
    enum { N = 9000 };
    uint64_t state = test_seed();
    struct csr A;
    expect_ok(csr_create(&A, CSR_SYMMETRIC, N, 2 * N - 1, &error), &error);
    int64_t k = 0;
    for (int64_t i = 0; i < N; i++) {
        A.offsets[i] = k;
        for (int64_t j = i; j < N && j < i + 2; j++) {
            A.columns[k] = (int32_t)j;
            A.values[k++] = test_random(&state);
        }
    }
    A.offsets[N] = k;
    for (int f = 0; f < FORMATS; f++)
        expect_again(write_as(formats[f].ending, &A), &A);
    csr_free(&A);
}
END_TEST

/* The diagonal that a triangle alone must store is not in the file. */
START_TEST(zeros_of_a_triangle_are_left_out)
{
    struct csr A;
    struct matrix_market_report report;
    make_matrix(CSR_SKEW, &(uint64_t){7}, &A);
    for (int f = 0; f < FORMATS; f++) {
        struct csr again;
        expect_ok(matrix_market_read(write_as(formats[f].ending, &A), CSR_GENERAL, 0, NULL, &again,
                                     &report, &error),
                  &error);
        csr_free(&again);
        ck_assert_int_eq(report.entries, (A.nnz - A.n) * (formats[f].triangle ? 1 : 2));
    }
    csr_free(&A);
}
END_TEST

START_TEST(what_cannot_be_written_is_refused)
{
    struct csr A;
    make_matrix(CSR_SYMMETRIC, &(uint64_t){7}, &A);
    expect_error(matrix_write(temporary_path("a.rsa"), &A, &error), STATUS_CONFIG, &error, "a.rsa",
                 "must end with .mtx, .npz, .petsc, .mat, .rb or .rua", NULL);
    expect_error(matrix_write(".npz", &A, &error), STATUS_CONFIG, &error, "must end with", NULL);
    for (int f = 0; f < FORMATS; f++) {
        char path[64];
        snprintf(path, sizeof path, "/dev/null/a.%s", formats[f].ending);
        expect_error(matrix_write(path, &A, &error), STATUS_OUTPUT, &error, "/dev/null/a.", NULL);
    }
    csr_free(&A);
}
END_TEST

/* Its arrays are not looked at. */
START_TEST(a_mat_file_has_less_than_4_gib)
{
    struct csr A = {.kind = CSR_GENERAL, .n = 9, .width = 9, .nnz = (INT64_C(1) << 32) / 12};
    expect_error(write_matlab(temporary_path("large.mat"), &(struct expanded){&A, A}, &error),
                 STATUS_CONFIG, &error, "large.mat: the matrix is too large for a MAT-file", NULL);
}
END_TEST

/* In every format, by name. */
START_TEST(nothing_but_zeros_comes_back)
{
    struct csr A;
    expect_ok(csr_create(&A, CSR_GENERAL, 3, 0, &error), &error);
    A.width = 2;
    memset(A.offsets, 0, 4 * sizeof *A.offsets);
    for (int f = 0; f < FORMATS; f++)
        expect_again(write_as(formats[f].ending, &A), &A);
    csr_free(&A);
}
END_TEST

struct writing {
    struct csr A;
    const char *path;
};

static enum status attempt(void *context, struct error *met)
{
    struct writing *writing = context;
    return matrix_write(writing->path, &writing->A, met);
}

START_TEST(memory_may_be_short)
{
    struct writing writing;
    for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_GENERAL; kind *= 2) {
        make_matrix(kind, &(uint64_t){7}, &writing.A);
        for (int f = 0; f < FORMATS; f++) {
            writing.path = write_as(formats[f].ending, &writing.A);
            walk_allocation_failures(attempt, &writing);
        }
        csr_free(&writing.A);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {every_bit_comes_back,
                                  long_arrays_come_back,
                                  zeros_of_a_triangle_are_left_out,
                                  what_cannot_be_written_is_refused,
                                  a_mat_file_has_less_than_4_gib,
                                  nothing_but_zeros_comes_back,
                                  memory_may_be_short,
                                  NULL};
    return suite_of("io/arrays/write_matrix", tests);
}

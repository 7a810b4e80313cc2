/* Where entries stand on the grid, and how many are in a cell: by a slow count, and by hand. */
#include "matrix/pattern.h"

#include "general.h"
#include "matrices.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char digit_of(int64_t count)
{
    int digits = count == 0 ? 0 : (int)floor(log2((double)count)) + 1;
    return (char)(digits < 10 ? '0' + digits : 'a' + digits - 10);
}

/* Each place of the full matrix into its cell. */
static void expect_counted(const struct csr *A)
{
    struct csr_pattern pattern;
    csr_pattern_make(A, &pattern);
    int64_t n = A->n, size = n < PATTERN_MOST ? n : PATTERN_MOST;
    static int64_t counts[PATTERN_MOST][PATTERN_MOST];
    memset(counts, 0, sizeof counts);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            int64_t j = A->columns[k];
            bool counted = A->kind == CSR_GENERAL || j != i || A->values[k] != 0;
            counts[i * size / n][j * size / n] += counted;
            if (A->kind != CSR_GENERAL && j != i)
                counts[j * size / n][i * size / n] += counted;
        }
    ck_assert_int_eq(pattern.size, size);
    for (int64_t r = 0; r < size; r++) {
        ck_assert_uint_eq(strlen(pattern.cells[r]), (size_t)size);
        for (int64_t c = 0; c < size; c++)
            ck_assert_int_eq(pattern.cells[r][c], digit_of(counts[r][c]));
    }
}

/* Of every size around that of the grid, and of every kind. */
START_TEST(entries_are_counted)
{
    static const enum csr_kind kinds[] = {CSR_SYMMETRIC, CSR_SKEW, CSR_GENERAL};
    uint64_t state = test_seed();
    for (int64_t n = 1; n < 200; n += n < 60 || n > 130 ? 7 : 1)
        for (int k = 0; k < 3; k++) {
            bool full = kinds[k] == CSR_GENERAL;
            double *dense = calloc((size_t)(n * n), sizeof *dense);
            int64_t count = full ? n * n : n * (n + 1) / 2;
            for (int64_t at = 0; at < count; at++)
                dense[at] = test_random(&state) < 0.1;
            for (int64_t i = 0, at = 0; kinds[k] == CSR_SKEW && i < n; at += n - i, i++)
                dense[at] = 0;
            struct csr A;
            if (full)
                general_from_dense(n, n, dense, &A);
            else
                test_matrix_from_dense(n, dense, kinds[k], &A);
            expect_counted(&A);
            csr_free(&A);
            free(dense);
        }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A 0 on the diagonal is no entry. */
START_TEST(a_small_matrix)
{
    static const double upper[] = {1, 2, 0, 0, 0, 3};
    struct csr A;
    struct csr_pattern pattern;
    test_matrix_from_dense(3, upper, CSR_SYMMETRIC, &A);
    csr_pattern_make(&A, &pattern);
    ck_assert_str_eq(pattern.cells[0], "110");
    ck_assert_str_eq(pattern.cells[1], "100");
    ck_assert_str_eq(pattern.cells[2], "001");
    csr_free(&A);
}
END_TEST

START_TEST(digits)
{
    ck_assert_int_eq(csr_pattern_digit('0'), 0);
    ck_assert_int_eq(csr_pattern_digit('9'), 9);
    ck_assert_int_eq(csr_pattern_digit('a'), 10);
    ck_assert_int_eq(csr_pattern_digit('z'), 35);
    ck_assert_int_eq(csr_pattern_digit('A'), -1);
    ck_assert_int_eq(csr_pattern_digit('\0'), -1);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {entries_are_counted, a_small_matrix, digits, NULL};
    return suite_of("matrix/pattern", tests);
}

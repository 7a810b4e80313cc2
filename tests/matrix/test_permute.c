/* P A P' entry by entry, in every kind, by any number of threads, and what is refused. */
#include "matrix/permute.h"

#include "csr_check.h"
#include "support.h"

#include "matrices.h"

#include <string.h>

/* The place of A[i][j], j >= i, or -1. */
static int64_t find(const struct csr *A, int64_t i, int64_t j)
{
    int64_t from = A->offsets[i], to = A->offsets[i + 1];
    while (from < to) {
        int64_t middle = (from + to) / 2;
        if (A->columns[middle] < j)
            from = middle + 1;
        else
            to = middle;
    }
    return from < A->offsets[i + 1] && A->columns[from] == j ? from : -1;
}

/* Every entry of A is there, as often as there is room: so nothing else is. */
static void expect_permuted(const struct csr *A, const int32_t *number, const struct csr *permuted)
{
    struct error error;
    expect_ok(csr_check(permuted, &error), &error);
    ck_assert_int_eq(permuted->kind, A->kind);
    ck_assert_int_eq(permuted->n, A->n);
    ck_assert_int_eq(permuted->nnz, A->nnz);
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            int64_t row = number[i], column = number[A->columns[k]];
            double wanted = A->values[k];
            if (row > column) {
                row = column;
                column = number[i];
                wanted = A->kind == CSR_SKEW ? -wanted : wanted;
            }
            int64_t at = find(permuted, row, column);
            ck_assert_msg(at >= 0, "(%d, %d) is missing", (int)row, (int)column);
            ck_assert_mem_eq(&permuted->values[at], &wanted, sizeof wanted);
        }
}

static void expect_same(const struct csr *A, const struct csr *B)
{
    ck_assert_int_eq(A->nnz, B->nnz);
    ck_assert_mem_eq(A->offsets, B->offsets, (size_t)(A->n + 1) * sizeof *A->offsets);
    ck_assert_mem_eq(A->columns, B->columns, (size_t)A->nnz * sizeof *A->columns);
    ck_assert_mem_eq(A->values, B->values, (size_t)A->nnz * sizeof *A->values);
}

START_TEST(every_entry_moves)
{
    uint64_t state = test_seed();
    struct error error;
    for (int m = 0; m < test_matrices_count; m++)
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind *= 2) {
            struct csr A, one, permuted;
            test_matrix_build(&test_matrices[m], kind, &state, &A);
            int32_t *number = test_random_numbering(A.n, &state);
            test_threads(1);
            expect_ok(csr_permute(&A, number, &one, &error), &error);
            expect_permuted(&A, number, &one);
            for (int threads = 2; threads <= 7; threads += 5) {
                test_threads(threads);
                expect_ok(csr_permute(&A, number, &permuted, &error), &error);
                expect_same(&one, &permuted);
                csr_free(&permuted);
            }
            memory_free(number);
            csr_free(&one);
            csr_free(&A);
        }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Rows 1, 2, 3 become 3, 1, 2: of a skew-symmetric matrix two entries cross the diagonal. */
START_TEST(signs_follow_the_diagonal)
{
    static const double upper[] = {0, 4, 5, 0, 6, 0}, wanted[] = {0, 6, -4, 0, -5, 0};
    static const int32_t number[] = {2, 0, 1}, columns[] = {0, 1, 2, 1, 2, 2};
    struct csr A, permuted;
    struct error error;
    test_matrix_from_dense(3, upper, CSR_SKEW, &A);
    expect_ok(csr_permute(&A, number, &permuted, &error), &error);
    ck_assert_mem_eq(permuted.columns, columns, sizeof columns);
    for (int k = 0; k < 6; k++)
        ck_assert_msg(permuted.values[k] == wanted[k], "%d: %g", k, permuted.values[k]);
    csr_free(&permuted);
    csr_free(&A);
}
END_TEST

/* A x = b in both numberings; the sums come in another order, so only small whole numbers are the
 * same. */
START_TEST(products_move_with_the_rows)
{
    enum { N = 40 };
    uint64_t state = test_seed();
    struct error error;
    for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind *= 2) {
        struct csr A, permuted;
        double upper[N * (N + 1) / 2], x[N], y[N], there[N], back[N];
        for (int i = 0, k = 0; i < N; i++) {
            x[i] = (double)test_random_below(&state, 100);
            for (int j = i; j < N; j++)
                upper[k++] = i == j && kind == CSR_SKEW ? 0 : (double)test_random_below(&state, 3);
        }
        test_matrix_from_dense(N, upper, kind, &A);
        int32_t *number = test_random_numbering(N, &state);
        expect_ok(csr_permute(&A, number, &permuted, &error), &error);
        csr_multiply(&A, x, y);
        vector_permute(N, number, x, there);
        for (int i = 0; i < N; i++)
            ck_assert(there[number[i]] == x[i]);
        csr_multiply(&permuted, there, back);
        memcpy(there, back, sizeof there);
        vector_permute_back(N, number, there, back);
        ck_assert_mem_eq(back, y, sizeof y);
        memory_free(number);
        csr_free(&permuted);
        csr_free(&A);
    }
}
END_TEST

START_TEST(distances_are_counted)
{
    static const double upper[] = {1, 2, 0, 3, 0, 0, 4, 0, 5, 6}, diagonal[] = {1, 0, 2};
    struct csr A;
    test_matrix_from_dense(4, upper, CSR_SYMMETRIC, &A); /* distances 1, 3, 2, 1 */
    struct csr_distances distances = csr_distances(&A);
    ck_assert_int_eq(distances.bandwidth, 3);
    ck_assert_msg(distances.mean == 1.75, "%g", distances.mean);
    csr_free(&A);
    test_matrix_from_dense(2, diagonal, CSR_SYMMETRIC, &A);
    distances = csr_distances(&A);
    ck_assert(distances.bandwidth == 0 && distances.mean == 0);
    csr_free(&A);
}
END_TEST

static const int32_t reversal[] = {3, 2, 1, 0};

static void small(enum csr_kind kind, struct csr *A)
{
    static const double upper[] = {0, 2, 0, 3, 0, 0, 4, 0, 5, 0};
    test_matrix_from_dense(4, upper, kind, A);
}

START_TEST(general_matrices_are_refused)
{
    struct csr A, permuted;
    struct error error;
    small(CSR_GENERAL, &A);
    expect_error(csr_permute(&A, reversal, &permuted, &error), STATUS_CONFIG, &error,
                 "general matrix cannot be renumbered", NULL);
    ck_assert_ptr_null(permuted.values);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct csr permuted;
    enum status status = csr_permute(context, reversal, &permuted, error);
    csr_free(&permuted);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    struct csr A;
    small(CSR_SYMMETRIC, &A);
    walk_allocation_failures(attempt, &A);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_entry_moves,
                            signs_follow_the_diagonal,
                            products_move_with_the_rows,
                            distances_are_counted,
                            general_matrices_are_refused,
                            every_failed_allocation_is_survived,
                            NULL};
    return suite_of("matrix/permute", tests);
}

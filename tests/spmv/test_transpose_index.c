/* The mirrored lists: every entry right of the diagonal once, in its column, in ascending order. */
#include "support.h"

#include "matrices.h"
#include "spmv/symmetric/transpose_index.h"

static void expect_mirror(const struct csr *A)
{
    struct error error;
    struct transpose_index mirror;
    expect_ok(transpose_index_create(A->n, A->offsets, A->columns, &mirror, &error), &error);
    ck_assert_int_eq(mirror.rows, A->n);
    ck_assert_int_eq(mirror.offsets[0], 0);
    ck_assert_int_eq(mirror.offsets[A->n], A->nnz - A->n); /* every row has a diagonal entry */
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t q = mirror.offsets[j]; q < mirror.offsets[j + 1]; q++) {
            int64_t i = mirror.columns[q], p = mirror.places[q];
            ck_assert(q == mirror.offsets[j] || i > mirror.columns[q - 1]);
            ck_assert_int_lt(i, j);
            ck_assert_int_ge(p, A->offsets[i]);
            ck_assert_int_lt(p, A->offsets[i + 1]);
            ck_assert_int_eq(A->columns[p], j);
        }
    transpose_index_free(&mirror);
    ck_assert_ptr_null(mirror.offsets);
}

START_TEST(every_entry_is_in_its_column)
{
    uint64_t state = test_seed();
    for (int m = 0; m < test_matrices_count; m++) {
        struct csr A;
        test_matrix_build(&test_matrices[m], CSR_SYMMETRIC, &state, &A);
        for (int threads = 1; threads <= 7; threads += 3) {
            test_threads(threads);
            expect_mirror(&A);
        }
        csr_free(&A);
    }
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    const struct csr *A = context;
    struct transpose_index mirror;
    enum status status = transpose_index_create(A->n, A->offsets, A->columns, &mirror, error);
    transpose_index_free(&mirror);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    uint64_t state = test_seed();
    struct csr A;
    test_matrix_build(&test_matrices[test_matrices_count - 1], CSR_SYMMETRIC, &state, &A);
    walk_allocation_failures(attempt, &A);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_entry_is_in_its_column, every_failed_allocation_is_survived,
                            NULL};
    return suite_of("spmv/transpose_index", tests);
}

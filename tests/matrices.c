#include "matrices.h"

#include "csr_check.h"
#include "support.h"

void test_rectangle_build(const struct test_rectangle *rectangle, uint64_t *state, struct csr *A)
{
    struct error error;
    expect_ok(test_rectangle_make(rectangle, state, A, &error), &error);
    expect_ok(csr_check(A, &error), &error);
}

void test_matrix_build(const struct test_matrix *matrix, enum csr_kind kind, uint64_t *state,
                       struct csr *A)
{
    struct error error;
    expect_ok(test_matrix_make(matrix, kind, state, A, &error), &error);
    expect_ok(csr_check(A, &error), &error);
}

void test_matrix_build_positive(const struct test_matrix *matrix, uint64_t *state, struct csr *A)
{
    struct error error;
    expect_ok(test_matrix_make_positive(matrix, state, A, &error), &error);
}

void test_matrix_from_dense(int64_t n, const double *upper, enum csr_kind kind, struct csr *A)
{
    struct error error;
    int64_t nnz = 0, next = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++, next++)
            nnz += j == i || upper[next] != 0;
    expect_ok(csr_create(A, kind, n, nnz, &error), &error);
    A->offsets[0] = nnz = next = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = i; j < n; j++, next++) {
            if (j > i && upper[next] == 0)
                continue;
            A->columns[nnz] = (int32_t)j;
            A->values[nnz++] = upper[next];
        }
        A->offsets[i + 1] = nnz;
    }
}

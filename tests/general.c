#include "general.h"

#include "csr_check.h"
#include "support.h"

#include <math.h>

static double *nothing(int64_t n, int64_t width)
{
    struct error error;
    double *dense = memory_array(n * width, sizeof *dense, "a dense matrix", &error);
    ck_assert_ptr_nonnull(dense);
    for (int64_t k = 0; k < n * width; k++)
        dense[k] = NAN;
    return dense;
}

void general_from_dense(int64_t n, int64_t width, const double *dense, struct csr *A)
{
    struct error error;
    int64_t nnz = 0;
    for (int64_t k = 0; k < n * width; k++)
        nnz += !isnan(dense[k]);
    expect_ok(csr_create(A, CSR_GENERAL, n, nnz, &error), &error);
    A->width = width;
    A->offsets[0] = 0;
    for (int64_t i = 0, at = 0; i < n; i++) {
        for (int64_t j = 0; j < width; j++) {
            if (isnan(dense[i * width + j]))
                continue;
            A->columns[at] = (int32_t)j;
            A->values[at++] = dense[i * width + j];
        }
        A->offsets[i + 1] = at;
    }
    expect_ok(csr_check(A, &error), &error);
}

void general_random(int64_t n, int64_t width, double chance, uint64_t *state, struct csr *A)
{
    double *dense = nothing(n, width);
    for (int64_t i = 0; i < n; i++) {
        bool empty = test_random(state) < 0.1;
        for (int64_t j = 0; j < width && !empty; j++)
            if (test_random(state) < chance)
                dense[i * width + j] = 2 * test_random(state) - 1;
    }
    general_from_dense(n, width, dense, A);
    memory_free(dense);
}

double *general_dense(const struct csr *A)
{
    double *dense = nothing(A->n, A->width);
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            int64_t j = A->columns[k];
            dense[i * A->width + j] = A->values[k];
            if (A->kind != CSR_GENERAL && j != i)
                dense[j * A->width + i] = A->kind == CSR_SKEW ? -A->values[k] : A->values[k];
        }
    return dense;
}

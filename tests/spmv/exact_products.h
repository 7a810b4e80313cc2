/* What the suites of the kernels *_sym_exact share: matrices and vectors that are hard to multiply, and
 * their products by tests/space/exact.h, which knows nothing of how the kernels sum. */
#ifndef TESTS_SPMV_EXACT_PRODUCTS_H
#define TESTS_SPMV_EXACT_PRODUCTS_H

#include "cgsolve/csr.h"

#include <stdint.h>

/* Kinds of products, after those of enum exact_kind. */
enum {
    PRODUCTS_TIES = 100, /* signed powers of two, a significand or two apart: halfway cases */
    PRODUCTS_CANCELLING, /* every pair of products cancels to the last bit, or but for it */
    PRODUCTS_CASES, /* exact_cases, each in a row of its own: its pairs left of the diagonal, right of
                            it, or around it */
    PRODUCTS_NOT_FINITE, /* infinities and NaN in x, zeros in A */
};

/* Every kind, ended by -1. */
extern const int products_kinds[];

/* A x = y, correctly rounded. */
struct exact_product {
    struct csr A;
    double *x, *y;
};

/* The caller frees it. */
void exact_product_create(int kind, enum csr_kind csr_kind, uint64_t *state,
                          struct exact_product *product);
void exact_product_free(struct exact_product *product);

/* y[n] of any A and x. */
void exact_product_of(const struct csr *A, const double *x, double *y);

/* Fail the test unless y has the product's bits; any NaN is as good as another. */
void expect_exact(const struct exact_product *product, const char *what, int kind, const double *y);

#endif

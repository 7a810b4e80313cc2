/* What the suites of the kernels *_sym_exact share: matrices and vectors that are hard to multiply,
 * and their products by tests/space/exact.h, which knows nothing of how the kernels sum. */
#ifndef TESTS_SPMV_EXACT_PRODUCTS_H
#define TESTS_SPMV_EXACT_PRODUCTS_H

#include "spmv/kernel.h"

#include <stdint.h>

/* Kinds of products, after those of enum exact_kind. */
enum {
    PRODUCTS_TIES = 100, /* signed powers of two, a significand or two apart: halfway cases */
    PRODUCTS_CANCELLING, /* every pair of products cancels to the last bit, or but for it */
    PRODUCTS_CASES, /* exact_cases, each in a row of its own: its pairs left of the diagonal, right
                       of it, or around it */
    PRODUCTS_NOT_FINITE, /* infinities and NaN in x, zeros in A */
};

/* Every kind, ended by -1. */
extern const int products_kinds[];

/* A x = y, correctly rounded; fl(A) x = y where the precision rounds the values of A. */
struct exact_product {
    struct csr A;
    enum precision precision;
    double *x, *y;
};

/* For a precision of single values these are brought into its range by powers of two. The caller
 * frees it. */
void exact_product_create(int kind, enum csr_kind csr_kind, enum precision precision,
                          uint64_t *state, struct exact_product *product);
void exact_product_free(struct exact_product *product);

/* Fail the test unless y has the product's bits; any NaN is as good as another. */
void expect_exact(const struct exact_product *product, const char *what, int kind, const double *y);

#endif

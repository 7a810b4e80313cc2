/* Products by a kernel, whatever its space, over vectors on the host. */
#ifndef TESTS_SPMV_HOST_PRODUCT_H
#define TESTS_SPMV_HOST_PRODUCT_H

#include "spmv/kernel.h"
#include "study/product_reference.h"

#include <stdint.h>

/* n uninitialised doubles, or the test fails. The caller calls memory_free. */
double *host_vector(int64_t n);

/* Random in [-1, 1), every fifth a million times larger. */
void host_randomise(double *v, int64_t n, uint64_t *state);

/* y = A x, x[width], y[n], by trial_multiply (study/trial_products.h), where nothing may be wrong.
 * dot != NULL: x . y with it. */
void host_product(struct linear_operator *spmv, const double *x, double *y, double *dot);

/* The same by apply_float: x is rounded to single precision, and y is what came, as doubles. */
void host_product_float(struct linear_operator *spmv, const double *x, double *y);

/* Y = A X by operator_columns_apply, with that many columns in vectors one behind the other, x of
 * width and y of n elements each: y is full of NaN before, and so are the columns of padding of X,
 * which must come back as it was. */
void host_product_columns(struct linear_operator *spmv, int64_t columns, const double *x,
                          double *y);

/* x among some columns, the others random: its product is `wanted`, bit for bit, and again. */
void expect_column(const char *kernel, const char *matrix, struct linear_operator *spmv,
                   uint64_t *state, const double *x, const double *wanted);

/* A x, which can be judged in every row. The caller frees it. */
void host_reference(const struct csr *A, const double *x, enum precision precision,
                    enum product_sums sums, struct product_reference *reference);

/* Fail the test unless every y[i] is within the bound. NaN is not. */
void expect_product(const struct product_reference *reference, const char *kernel,
                    const char *matrix, const double *y);

/* The reference is of compensated sums: y is fl(z), with z as far from the product as the bound
 * says without u |y|, and the reference too. Where all such z round to one double, y has no choice,
 * whatever the order: fail the test unless it is that double. Returns the number of those rows. */
int64_t expect_rounded(const struct product_reference *reference, const char *kernel,
                       const char *matrix, const double *y);

/* Fail the test unless both have the same bits. */
void expect_same_bits(const char *kernel, const char *matrix, int threads, int64_t n,
                      const double *wanted, const double *y);

#endif

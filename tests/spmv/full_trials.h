/* What the kernels of full storage with a precision, and their twins in plain C, have to pass: on
 * the test matrices in every kind, and on fresh random general ones, rectangular, with rows of
 * every length. */
#ifndef TESTS_SPMV_FULL_TRIALS_H
#define TESTS_SPMV_FULL_TRIALS_H

#include "spmv/kernel.h"

#include <stdint.h>

/* A kernel, its twin, and the values that `choose` writes into the kernel's options and the twin is
 * given. */
struct full_twin {
    const char *kernel;
    void (*multiply)(const struct csr *A, int value, enum precision precision, const double *x,
                     double *y);
    void (*choose)(int value, struct kernel_options *options);
    int count;
    int values[20];
};

/* A general matrix of rows of those lengths, none longer than width, at random columns. The caller
 * frees it. */
void full_matrix(int64_t n, int64_t width, const int64_t *lengths, uint64_t *state, struct csr *A);

/* Random lengths of n rows that fit into `width` columns: short or long ones, equal or very
 * different ones, with runs of rows without entries, with rows of all columns. The caller frees
 * it. */
void full_matrix_random(uint64_t *state, struct csr *A);

/* check(context, name, A) for every test matrix in each kind, every test rectangle, random ones,
 * and some with rows that are very long, or end where a share of a kernel's does. */
void full_matrices(void (*check)(void *context, const char *name, const struct csr *A),
                   void *context);

/* The twin within the bound of sums in any order (study/product_reference.h). */
void full_trial_bounds(const struct full_twin *twin);

/* NaN in x reaches the rows that multiply it and no other. */
void full_trial_not_a_number(const struct full_twin *twin);

/* The kernel's bits are the twin's, several times over, of one vector and of several; and those of
 * apply_float are apply's. */
void full_trial_device(const struct full_twin *twin);

#endif

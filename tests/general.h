/* Random general matrices, and their dense form. */
#ifndef TESTS_GENERAL_H
#define TESTS_GENERAL_H

#include "matrix/csr.h"

#include <stdint.h>

/* A general matrix of n rows and `width` columns; each entry is there with the given chance, values
 * in [-1, 1), and some rows are empty. The caller frees it. */
void general_random(int64_t n, int64_t width, double chance, uint64_t *state, struct csr *A);

/* The general matrix of what dense[n * width] holds, of entries that are not NaN. The caller frees
 * it. */
void general_from_dense(int64_t n, int64_t width, const double *dense, struct csr *A);

/* dense[n * width], NaN where A, of any kind, has no entry; the caller calls memory_free. */
double *general_dense(const struct csr *A);

#endif

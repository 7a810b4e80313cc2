/* The twin of cuda_merge: the same borders, bytes, and operations in the same order in plain C, one
 * thread. The parts of rows that tiles cut arrive in a random order, as blocks do. */
#ifndef TESTS_SPMV_MERGE_TWIN_H
#define TESTS_SPMV_MERGE_TWIN_H

#include "spmv/kernel.h"

#include <stdint.h>

/* Rows that end before the diagonal, by a step of 32 rows at once. */
int64_t merge_twin_search(const int64_t *offsets, int64_t n, int64_t nnz, int64_t guess,
                          int64_t diagonal);

/* y[n] = A x[width], A of any kind, `items` a thread; every y overwritten. What single precision
 * rounds is rounded, and stands in doubles. A part that finds no place or is left over fails the
 * test. */
void merge_twin(const struct csr *A, enum precision precision, int items, uint64_t seed,
                const double *x, double *y);

#endif

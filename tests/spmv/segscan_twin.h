/* cuda_segscan in plain C, one thread: the same set-up, the same functions for finding what is in
 * it, and the same additions in the same order, so the same bits. y[n] = A x, every y
 * overwritten. */
#ifndef TESTS_SPMV_SEGSCAN_TWIN_H
#define TESTS_SPMV_SEGSCAN_TWIN_H

#include "spmv/kernel.h"

#include <stdint.h>

/* A of any kind; values_per_thread = 0: the kernel's own choice. A failed set-up fails the test. */
void twin_segscan(const struct csr *A, int values_per_thread, enum precision precision,
                  const double *x, double *y);

#endif

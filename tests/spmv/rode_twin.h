/* cuda_rode in plain C, one thread: the same set-up, the same functions for finding what is in it, and the
 * same additions in the same order, so the same bits. y[n] = A x, every y overwritten. */
#ifndef TESTS_SPMV_RODE_TWIN_H
#define TESTS_SPMV_RODE_TWIN_H

#include "cgsolve/kernel.h"

/* A of any kind. It has no parameter but the precision: value is not used. A failed set-up fails the
 * test. */
void twin_rode(const struct csr *A, int value, enum precision precision, const double *x,
               double *y);

#endif

/* The matrix that most tests take. */
#ifndef TESTS_POISSON_H
#define TESTS_POISSON_H

#include "problem/poisson3d.h"

/* A = the upper triangle. The caller owns A. Errors: STATUS_CONFIG (sizes, weights, jump, shift),
 * STATUS_MEMORY. */
enum status poisson3d_create(const struct poisson3d *poisson, struct csr *A, struct error *error);

#endif

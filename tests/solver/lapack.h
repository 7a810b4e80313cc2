/* The eigenvalues of small symmetric matrices by LAPACK, to compare with. */
#ifndef TESTS_SOLVER_LAPACK_H
#define TESTS_SOLVER_LAPACK_H

#include <stdint.h>

/* values[m] = the eigenvalues of the tridiagonal matrix with diagonal d[m] and off-diagonal
 * e[m - 1], ascending. */
void lapack_tridiagonal(int64_t m, const double *d, const double *e, double *values);

/* values[n] = those of the symmetric A[n x n], ascending. */
void lapack_symmetric(int64_t n, const double *A, double *values);

#endif

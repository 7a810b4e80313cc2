/* The inverse of a dense symmetric positive definite matrix of m rows, in a written order: by the
 * root-free Cholesky factorisation D = L diag(d) L^T (Golub and Van Loan, Matrix Computations, 4th
 * ed., section 4.1.2) and W = L^-1, where l_jj = w_jj = 1:
 *
 *     for j = 0 .. m-1:   d_j = a_jj,  for k = 0 .. j-1:  d_j = fma(-(l_jk d_k), l_jk, d_j)
 *         for i = j+1 .. m-1:   s = a_ij,  for k = 0 .. j-1:  s = fma(-(l_jk d_k), l_ik, s);
 *             l_ij = s / d_j
 *     for j, for i = j+1 ..:    s = -l_ij,  for k = j+1 .. i-1:  s = fma(-l_ik, w_kj, s);  w_ij = s
 *     for i <= j:               b_ij = b_ji = sum over k = j .. m-1 of fma((w_ki / d_k), w_kj, .),
 *         from +0
 *
 * so B is symmetric to the last bit. The matrix is positive definite exactly when all d_j are
 * positive. A pivot of a singular matrix can be dropped, by d_j = infinity and l_ij = 0. Then B is
 * an inverse on the range, and row j of W is nearly a null vector. */
#ifndef PRECONDITION_DENSE_H
#define PRECONDITION_DENSE_H

#include "matrix/csr.h"

#include <stdbool.h>
#include <stdint.h>

/* One matrix while it is inverted, its rows `stride` apart. */
struct dense {
    int64_t m, stride;
    double *d;     /* [m] */
    double *l, *w; /* [m stride] */
    double *lower; /* [m], for its own use */
    /* [m]: a pivot from[j] <= d_j <= until[j] is dropped; NULL: none is. */
    const double *from, *until;
};

/* l = the lower triangle of the block of A's rows first ... first + m - 1, of a symmetric A. */
void dense_take(const struct csr *A, int64_t first, struct dense *dense);

/* l and d in the place of a. The first row whose pivot is not positive, or whose inverse is not
 * finite; m if there is none. */
int64_t dense_factor(struct dense *dense);

/* inverse[j column + i] = b_ij. False when one of them is not finite. */
bool dense_invert(struct dense *dense, int64_t column, double *inverse);

#endif

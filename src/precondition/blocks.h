/* M = the blocks on A's diagonal, of `block` consecutive rows each in the numbering that is solved,
 * the last one shorter: what jacobi and block_jacobi share.
 *
 * Set-up inverts every block on the host, by the root-free Cholesky factorisation D = L diag(d) L^T
 * (Golub and Van Loan, Matrix Computations, 4th ed., section 4.1.2) and W = L^-1, in this order,
 * where a, l, w are counted within the block of m rows:
 *
 *     for j = 0 .. m-1:   d_j = a_jj,  for k = 0 .. j-1:  d_j = fma(-(l_jk d_k), l_jk, d_j)
 *         for i = j+1 .. m-1:   s = a_ij,  for k = 0 .. j-1:  s = fma(-(l_jk d_k), l_ik, s);
 *             l_ij = s / d_j
 *     for j, for i = j+1 ..:    s = -l_ij,  for k = j+1 .. i-1:  s = fma(-l_ik, w_kj, s);
 *         w_ij = s,  w_jj = 1
 *     for i <= j:               b_ij = b_ji = sum over k = j .. m-1 of fma((w_ki / d_k), w_kj, .),
 *         from +0
 *
 * so B is symmetric to the last bit, and 1 / a_ii for a block of one row. M is positive definite
 * exactly when all d_j are positive. */
#ifndef PRECONDITION_BLOCKS_H
#define PRECONDITION_BLOCKS_H

#include "cgsolve/preconditioner.h"

enum { BLOCKS_MOST = 32 }; /* rows of a block */

/* struct preconditioner's setup for blocks of that many rows, but for the description. `name` is
 * the preconditioner's, for the message. Errors: STATUS_CONFIG (a block is singular or not positive
 * definite: which rows, counted from 1, and the pivot), STATUS_MEMORY, STATUS_DEVICE. */
enum status blocks_setup(const char *name, int64_t block, const struct csr *A,
                         struct linear_operator *made, struct error *error);

int64_t blocks_setup_bytes(int64_t block, int64_t n);

#endif

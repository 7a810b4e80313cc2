/* The last level of a multigrid, where it is solved. */
#ifndef PRECONDITION_MULTIGRID_SETUP_COARSEST_H
#define PRECONDITION_MULTIGRID_SETUP_COARSEST_H

#include "precondition/multigrid/setup/hierarchy.h"

/* coarsest_inverse = B, the inverse of the last matrix by dense.h. For a singular matrix B is the
 * pseudo-inverse, and 1 / max a_jj on the null space, so that M stays positive definite: pivots
 * that are 0 but for rounding are dropped, and the vectors v_j = row j of W of these, made
 * orthonormal in ascending order, each twice to those before it, span A's null space. By each one,
 * B becomes
 *
 *     u_i = the chain of fma(b_ik, v_k, .),  s = 1 / max a_jj + that of fma(v_k, u_k, .)
 *     b_ij = fma(-v_i, u_j, fma(-u_i, v_j, fma(s v_i, v_j, b_ij)))  for i <= j;  b_ji = b_ij
 *
 * with chains by ascending k; no max a_jj above `nothing` counts as infinite.
 *
 * A pivot d_j is dropped where -t <= d_j <= t, t = max(2^-36 a_jj, nothing), if the hierarchy is
 * known to be singular; else where -t <= d_j <= n 2^-52 a_jj or, a_jj <= 0, d_j <= 0, and then it
 * is known to be. The name begins messages. Errors: STATUS_CONFIG (a pivot below that; an inverse
 * too large for the precision of the cycle), STATUS_MEMORY, STATUS_DEVICE. */
enum status coarsest_solve(const char *name, const struct csr *A, struct hierarchy *hierarchy,
                           struct error *error);

#endif

/* Two nodes that a penalty ties together, as a rigid link or an ideal wire is often modelled: a
 * network of n nodes (problem/network.h says what that is) in which the last two, t and u, are
 * joined by a conductance of 2^52, and each of the other n - 2 is joined to both of them and to the
 * ground:
 *
 *     A[k][t] = A[k][u] = -c_k,   A[k][k] = ground + 2 c_k                      for k < n - 2
 *     A[t][t] = A[u][u] = 2^52 + (n - 2) / 2,   A[t][u] = -2^52
 *     c_2i = f_i,   c_2i+1 = 1 - f_i,   f_i = ((splitmix64(seed, i) >> 12) | 1) 2^-52
 *
 * (base/random.h). The c of a pair add up to 1, so A[t][t] is exact: the rows of t and u add up
 * to 0, and those of the others to ground, but for the rounding of A[k][k]. A is positive definite.
 *
 * What it is for: t and u have the same neighbours, so where b_t = b_u, x_t = x_u, and conjugate
 * gradients would never notice the tie, if only the sums of the two rows came out equal; they are,
 * when each is rounded once. One bit of difference is multiplied by 2^52 in the next product. A sum
 * that carries twice the digits of double loses some of the 158 bits or so between the largest and
 * the last of a row's, and which ones depends on the order. */
#ifndef PROBLEM_TIED_H
#define PROBLEM_TIED_H

#include "base/status.h"
#include "matrix/csr.h"

#include <stdint.h>

struct tied {
    int64_t n;     /* nodes: even, at least 4 */
    double ground; /* above 0, up to 1e15 */
    int64_t seed;
};

/* A = the upper triangle. The caller owns A. Errors: STATUS_CONFIG (n, ground), STATUS_MEMORY. */
enum status tied_create(const struct tied *tied, struct csr *A, struct error *error);

#endif

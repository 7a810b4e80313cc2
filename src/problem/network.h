/* A network of conductances on a box of nx x ny x nz nodes: neighbours along an axis are joined by
 * a conductance that is drawn for them, over as many powers of ten as are asked for, and every node
 * is joined to the ground. A is its nodal matrix, a weighted graph Laplacian:
 *
 *     A[v][w] = -c_vw,    A[v][v] = ground + the sum of the c of v's neighbours
 *
 * so A (1, ..., 1)' = ground (1, ..., 1)' but for rounding: `ground` is the smallest eigenvalue,
 * and the largest lies between the largest c and twelve times that. The ground alone keeps the sum
 * of a row from cancelling, so this is where the order of additions matters. With ground below the
 * rounding of the diagonal, some 1e-16 max c, A may be indefinite.
 *
 * Node (i, j, k) is v = i + nx (j + ny k). The conductance of v and its next node along axis a is
 *
 *     c = (1 + 9 f) / 10^d,   f = (splitmix64(seed, 6 v + 2 a) >> 11) 2^-53,
 *                             d = splitmix64(seed, 6 v + 2 a + 1) mod decades
 *
 * (base/random.h), and 1 where decades = 0, which makes a matrix of whole numbers if ground is
 * one. The diagonal adds ground and the conductances of the neighbours in ascending order of their
 * numbers. With scaling > 0 A becomes S A S, A[v][w] (s_v s_w), with s_v = (1 + 9 f) / 10^d
 * likewise of seed + 1 and 6 v, and d below scaling: badly scaled, with entries over twice as many
 * powers of ten. Only + - * / and fma are used, so every machine makes the same bits. */
#ifndef PROBLEM_NETWORK_H
#define PROBLEM_NETWORK_H

#include "base/status.h"
#include "matrix/csr.h"

#include <stdint.h>

enum { NETWORK_DECADES_MAX = 100 };

struct network {
    int64_t n[3];             /* nx, ny, nz >= 1 */
    int64_t decades, scaling; /* 0 to NETWORK_DECADES_MAX */
    double ground;            /* above 0, up to 1e100 */
    int64_t seed;
};

/* A = the upper triangle. The caller owns A. Errors: STATUS_CONFIG (sizes, decades, scaling,
 * ground), STATUS_MEMORY. */
enum status network_create(const struct network *network, struct csr *A, struct error *error);

#endif

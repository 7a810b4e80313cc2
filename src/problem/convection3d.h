/* Central differences of a constant velocity, v . grad u, on a grid of n_x x n_y x n_z points with
 * homogeneous Dirichlet boundaries: a skew-symmetric matrix. Point (i, j, k) is row
 * i + n_x (j + n_y k), and along each axis a, with c the point and d the next one,
 *
 *     A[c][d] = w_a,    A[d][c] = -w_a,    A[c][c] = 0
 *
 * where w_a stands for v_a / (2 h_a). An axis of weight 0 has no entries.
 *
 * The eigenvalues are
 *
 *     2 i (w_x cos(pi l / (n_x + 1)) + w_y cos(pi m / (n_y + 1)) + w_z cos(pi p / (n_z + 1))),
 *
 * l = 1 ... n_x, ...: A is singular where such a sum is 0. With n_x n_y n_z odd it
 * always is (the middle index of each axis has the cosine 0). Of unit weights, an even number of
 * points is not enough (the only sums of three such cosines that are 0: Conway and Jones 1976,
 * theorem 7). Singular are also
 *
 *     one n odd, the n + 1 of the two others with a common factor
 *         (0 and two cosines of opposite signs: 6 x 6 x 5)
 *     n + 1 divisible by 5, 5 and 3
 *         (cos pi/5 - cos 2 pi/5 - cos pi/3: 4 x 4 x 2)
 *     n_x = n_y = n_z from 5 on, n + 1 divisible by 3
 *         (cos t + cos(t + 2 pi/3) + cos(t - 2 pi/3): 8^3)
 *
 * and, in the last way, grids whose three n + 1 are multiples of one such number. */
#ifndef PROBLEM_CONVECTION3D_H
#define PROBLEM_CONVECTION3D_H

#include "base/status.h"
#include "matrix/csr.h"

struct convection3d {
    int64_t n[3];       /* n_x, n_y, n_z >= 1 */
    double velocity[3]; /* the weights w, of any sign, |w| <= 1e100, not all 0 */
};

/* A = the upper triangle, of kind CSR_SKEW. The caller owns A. Errors: STATUS_CONFIG (sizes,
 * velocity), STATUS_MEMORY. */
enum status convection3d_create(const struct convection3d *convection, struct csr *A,
                                struct error *error);

#endif

/* Restarts: a solve for a vector that ended short of its tolerance begins anew from its own x, with
 * r = b - A x by a product (residual replacement; van der Vorst and Ye 2000, Sleijpen and van der
 * Vorst 1996). And what is said of A at the end of a solve, looked at before it is said.
 *
 * A solve is restarted where it ended as a residual gap, by stagnation, as singular or as a least
 * squares solution, unless its x is as good as rounding lets it be, or the claim is true and the
 * recursive residual is that of x. Both are asked by products with A, row by row, and not by norms
 * of A, in which its largest rows hide all others. With z_i = +-(1 + |u_i|) / 2, u = random_vector
 * of one seed, and the product of elements z v,
 *
 *     attainable = eps ||A (z x)||      what rounding x changes b - A x by
 *     v is a null vector of A           ||A v|| <= share ||A (z v)||: rows cancel for v alone
 *
 * where a row of A that is 0 counts with ||A z|| / ||z|| times its |v_i|. v is M^-1 (b - A x) and
 * share 2^-20 for a least squares solution, x - x_0 and 2^-36 for a singular A.
 *
 * At most three restarts, each while the one before halved ||b - A x||. The iterations, rows and
 * vectors of a restart are counted on; its row 0, which is that of the iteration before, is not
 * shown. The x of the least ||b - A x|| is the solution.
 *
 * Not restarted are systems that are solved in another scale (solver/scale.h), and products in
 * single precision, which are those of another matrix. */
#ifndef SOLVER_RESTART_H
#define SOLVER_RESTART_H

#include "cgsolve/solver.h"

/* Go on from where solver_end left x and *result, a solve from x0. x[n], of a rank its own rows,
 * and *result are replaced by what has been found together. Errors: those of solver_begin,
 * solver_advance and solver_end; then *result says nothing and owns nothing. */
enum status solver_restart(struct linear_operator *spmv, const struct csr *A, const double *b,
                           const double *x0, const struct solver_options *options,
                           const struct observer *observer, double *x, struct solver_result *result,
                           struct error *error);

#endif

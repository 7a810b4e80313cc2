/* Restarts: a solve for a vector that ended short of its tolerance begins anew from its own x, with
 * r = b - A x by a product (residual replacement; van der Vorst and Ye 2000, Sleijpen and van der
 * Vorst 1996). A claim about A is tested before it is reported.
 *
 * Candidates are solves that ended as a residual gap, by stagnation, as singular or as a least
 * squares solution. Norms of A do not decide, because its largest rows hide all others; products
 * with A do. With z_i = +-(1 + |u_i|) / 2, u = random numbers in [-1, 1) of one seed, z v by
 * elements, and the norm ||A|| estimated from below by a step of the power method on A z,
 *
 *     attainable = eps ||A (z x)||      what rounding x changes b - A x by
 *     singular                          ||A v|| <= 2^-36 w, v = x - x_0
 *     least squares solution            ||A v|| <= 2^-20 w, v = b - A x; or at least 0.995 of ||v||
 *                                       lies in rows with |A z|_i >= 2^-20 ||A||, or 0
 *     the same with a preconditioner    ||A v|| <= 2^-10 w, v = M^-1 (b - A x)
 *
 * where w = ||A (z v)||, and a row with (A z)_i = 0 counts in w as ||A|| |v_i|. Large rows suffice
 * without an M: MINRES has shown there that A v is small beside ||A|| ||v||.
 *
 * A claim that holds ends the solve if ||b - A x|| is at most 1.1 times the recursive residual, or
 * twice attainable. A gap is restarted above twice attainable, stagnation above 16 times. At most
 * three restarts are made, each while the one before halved ||b - A x||. MINRES then ends by
 * attainable (struct solver_restart), unless the claim holds. Where its x is worse than x_0, after
 * a restart or by a factor of 100, it begins at x_0 once more, and ends while ||r|| is still 2^20
 * times its own bound, or 2^8 more after each failure. The x of the least ||b - A x|| is the
 * solution.
 *
 * The iterations, rows and vectors of a restart are counted on. Its row 0, which is that of the
 * iteration before, is not shown.
 *
 * Systems in another scale (solver/scale.h) are not restarted. Products in single precision are not
 * either: they are those of another matrix. */
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

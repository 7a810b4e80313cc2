/* Restarts: a solve for a vector that ended short of its tolerance begins anew from its own x, with
 * r = b - A x by a product (residual replacement; van der Vorst and Ye 2000, Sleijpen and van der
 * Vorst 1996). A claim about A is tested before it is reported.
 *
 * Candidates are solves that ended as a residual gap, by stagnation, as singular or as a least
 * squares solution. Norms of A do not decide: products with A do (solver/probe.h).
 *
 * A claim that holds ends the solve if ||b - A x|| is at most 1.1 times the recursive residual, or
 * twice attainable. A gap is restarted above twice attainable, stagnation above 16 times, again and
 * again while the restart before halved ||b - A x||. MINRES then ends by attainable (struct
 * solver_restart), unless the claim holds. Where its x is worse than x_0, after a restart or by a
 * factor of 100, or attainable is above ||b - A x_0|| / 16, it begins at x_0 once more, and ends
 * while ||r|| is still 2^20 times its own bound, or 2^8 more after each failure, up to three times.
 *
 * Where that leaves ||b - A x|| too large, a solve begins afresh, as a second one from x would: on
 * from its end even where that is worse, without a look at x_0; and again while that leaves at most
 * half of ||b - A x||. A solve that went back to x_0 too early is repaired so. CG then goes on
 * where steps no longer move x (struct solver_restart).
 *
 * Attainable is an estimate. So a gap is restarted below it too, where it is at most 16 times the
 * tolerance; MINRES then ends by a 16th of it. The x of the least ||b - A x|| of all ends, and of
 * x_0, is the solution; x_0 also at an iteration limit of MINRES whose b - A x, unlike its r, has
 * become longer than b - A x_0.
 *
 * The iterations, rows and vectors of a restart are counted on. Its row 0, which is that of the
 * iteration before, is not shown. Products in single precision are not restarted: they are those of
 * another matrix. */
#ifndef SOLVER_RESTART_H
#define SOLVER_RESTART_H

#include "solver/method.h"

/* Whether solver_restart looks at more than the result of a first end. */
bool solver_may_restart(const struct solver *solver);

/* Go on from where the method's end left x and the solver's result: both become those of what has
 * been found together. A restart begins the same solver anew, with its restart_by.
 * b[n], x0[n]   on the host, as the solve began with them
 * x[n]          on the host; a rank has its own rows of all three
 * Errors: those of a solve. */
enum status solver_restart(struct solver *solver, const struct csr *A, const double *b,
                           const double *x0, double *x, struct error *error);

#endif

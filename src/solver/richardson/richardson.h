/* Richardson's iteration with a preconditioner M, for an A and M whose M^-1 A has its eigenvalues
 * right of 0 (Saad 2003, section 4.1; with a relaxation factor omega, section 4.2.1):
 *
 *     x = x_0,  r = b - A x
 *     for k = 0, 1, ... while ||r|| > tolerance ||b||
 *         z = M^-1 r,  q = A z,  x += omega z,  r -= omega q
 *
 * It is a preconditioner as a method by itself: with M of multigrid, a multigrid iteration. The
 * error becomes (I - omega M^-1 A) of itself in each step, whatever the error, so it converges if
 * and only if every eigenvalue lambda of M^-1 A has |1 - omega lambda| < 1; for a symmetric
 * positive definite M^-1 A whose eigenvalues lie between l and L the best omega is 2 / (l + L), and
 * the error then shrinks by (L - l) / (L + l). Conjugate gradients with the same M print l and L,
 * and take fewer steps. The only sum is ||r||, which decides when to stop and nothing else: with a
 * product that has an order, x_k has the same bits whatever the reductions. */
#ifndef SOLVER_RICHARDSON_RICHARDSON_H
#define SOLVER_RICHARDSON_RICHARDSON_H

#include "solver/method.h"

/* The places in method_richardson.series. */
enum richardson_series {
    RICHARDSON_RESIDUAL,
    RICHARDSON_CONTRACTION,
    RICHARDSON_SERIES,
};

/* "richardson": A x = b; options.relaxation is omega. x is the last iterate, whatever the reason;
 * where it diverges it ends as not finite, or at the limit. It shows r and x.
 *
 * The byte model of one iteration: the product, 48 n for x and r (40 n where there is no M), and
 * the preconditioner's apply. */
extern const struct method method_richardson;

#endif

/* Conjugate gradients for a symmetric positive definite A (Hestenes and Stiefel 1952, section 3; in
 * the coupled two-term form of Golub and Van Loan, Matrix Computations, 4th ed., algorithm 11.3.3,
 * and with a preconditioner M algorithm 11.5.1; Saad 2003, algorithm 9.1).
 *
 *     x = x_0,  r = p = b - A x,  rho_0 = r . r,  q = A p
 *     for k = 0, 1, ... while ||r|| = sqrt(rho_k) > tolerance ||b||
 *         alpha_k = rho_k / (p . q)
 *         r -= alpha_k q,  rho_{k+1} = r . r,  beta_{k+1} = rho_{k+1} / rho_k
 *         x += alpha_k p,  p = r + beta_{k+1} p,  q = A p
 *
 * With a preconditioner z = M^-1 r, rho = r . z, p starts as z and becomes z + beta p; all else is
 * the same. ||r|| is that of r itself, so a history says the same with and without. It costs a dot
 * product, which the pass over r computes:
 *
 *         r -= alpha_k q,  ||r||;   z = M^-1 r,  rho_{k+1} = r . z;   x += alpha_k p,
 *             p = z + beta_{k+1} p,  q = A p
 *
 * From x_0 = 0, r = b without a product. What stagnation is seen by (enum reason) follows from the
 * scalars: the norms of p and of x - x_0, which alone lies in the space that r is orthogonal to;
 * with an M in its norm.
 *
 * The last line of the loop is two passes over memory, or one where the kernel makes p while it
 * multiplies (OPERATOR_DIRECTION): then p alternates between two vectors, and x takes two
 * steps every second time. The bits are the same.
 *
 * The loop stands once, over a space; which bits come out depends on the kernel and on the space's
 * reductions alone. */
#ifndef SOLVER_CG_CG_H
#define SOLVER_CG_CG_H

#include "solver/method.h"

/* The places in method_cg.series. alpha and beta of row k are those that made r_k: alpha_{k-1},
 * beta_{k-1}. What follows is estimated from these (solver/cg/spectrum.h). */
enum cg_series {
    CG_RESIDUAL,
    CG_ALPHA,
    CG_BETA,
    CG_RITZ_LOW,
    CG_RITZ_HIGH,
    CG_CONDITION,
    CG_ERROR_NORM,
    CG_SERIES,
};

/* "cg": A x = b. x is the last iterate, whatever the reason; from x_0 = 0, b = 0 converges at
 * iteration 0 with x = 0. It shows all vectors; when the loop ends with an iteration, its p and q
 * were not made.
 *
 * The byte model of one iteration: the kernel's product, 24 n for r and its norm (32 n when a BLAS
 * takes it), 40 n for x and p (28 n where the kernel makes p), 16 n for p . q when the kernel does
 * not bring it along, and the preconditioner's apply. What is timed of K iterations (struct
 * solver_result) is K times that, but for the last p, which is not made. */
extern const struct method method_cg;

#endif

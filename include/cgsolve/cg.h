/* Conjugate gradients for a symmetric positive definite A (Hestenes and Stiefel 1952, section 3; in
 * the coupled two-term form of Golub and Van Loan, Matrix Computations, 4th ed., algorithm 11.3.3,
 * and with a preconditioner M algorithm 11.5.1; Saad 2003, algorithm 9.1).
 *
 *     x = 0,  r = p = b,  rho_0 = r . r,  q = A p
 *     for k = 0, 1, ... while ||r|| = sqrt(rho_k) > tolerance ||b||
 *         alpha_k = rho_k / (p . q)
 *         r -= alpha_k q,  rho_{k+1} = r . r,  beta_{k+1} = rho_{k+1} / rho_k
 *         x += alpha_k p,  p = r + beta_{k+1} p,  q = A p
 *
 * With a preconditioner z = M^-1 r, rho = r . z, p starts as z and becomes z + beta p; all else is
 * the same. ||r|| is that of r itself, so a history says the same with and without, and costs a dot
 * product that is brought along by the pass over r:
 *
 *         r -= alpha_k q,  ||r||;   z = M^-1 r,  rho_{k+1} = r . z;   x += alpha_k p,
 *             p = z + beta_{k+1} p,  q = A p
 *
 * The last line is two passes over memory, or one where the kernel makes p while it multiplies (its
 * slot apply_direction): then p alternates between two vectors, and x takes two steps every second
 * time. The bits are the same.
 *
 * The loop stands once, over a space; which bits come out depends on the kernel and on the space's
 * reductions alone. */
#ifndef CGSOLVE_CG_H
#define CGSOLVE_CG_H

#include "cgsolve/cg_scalars.h"
#include "cgsolve/solver.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Solve A x = b from x = 0.
 * spmv     A in the form of one kernel, kind CSR_SYMMETRIC; its space is the one that is used
 * A        the same matrix on the host, for the true residual
 * b[n]     on the host
 * x[n]     on the host, overwritten with the last iterate, whatever the reason
 * Errors: STATUS_CONFIG (A is not symmetric), STATUS_MEMORY, STATUS_DEVICE; then *result says
 * nothing. b = 0 converges at iteration 0 with x = 0. */
enum status cg_solve(struct linear_operator *spmv, const struct csr *A, const double *b,
                     const struct solver_options *options, const struct solver_observer *observer,
                     double *x, struct solver_result *result, struct error *error);

/* What cg_solve allocates in the space for a matrix of n rows, at the least, but for what n does not change and what the space needs for its sums. With a preconditioner,
 * solver_memory_bytes. */
int64_t cg_memory_bytes(int64_t n);

/* The byte model of one iteration: the kernel's product, 24 n for r and its norm (32 n when a BLAS
 * takes it), 40 n for x and p (28 n where the kernel makes p), and 16 n for p . q when the kernel
 * does not bring it along. What is timed of K iterations (struct solver_result) is K times that,
 * but for the last p, which is not made. With a preconditioner, solver_bytes_per_iteration. */
int64_t cg_bytes_per_iteration(const struct linear_operator *spmv);

#ifdef __cplusplus
}
#endif
#endif

/* Minimal residuals: x_k minimises ||b - A x||_2 over x_0 + span{r_0, A r_0, ..., A^{k-1} r_0},
 * with r_0 = b - A x_0, by a recurrence of three terms, for a symmetric A, definite or not (Paige
 * and Saunders 1975, section 6), and for A = shift I + S with S skew-symmetric (Jiang 2007; Idema
 * and Vuik 2007, "MRS"; Greif, Paige, Titley-Peloquin and Varah 2016).
 *
 *     x = x_0,  d_0 = d_{-1} = 0,  v_0 = 0,  beta_1 = phi_0 = ||r_0||,  v_1 = r_0 / beta_1,
 *         c_0 = c_{-1} = 1,  s = 0
 *     for k = 1, 2, ... while |phi_{k-1}| = ||r_{k-1}|| > tolerance ||b||
 *         q = A v_k,  alpha_k = v_k . q,  w = q - alpha_k v_k - beta_k v_{k-1},  beta_{k+1} = ||w||
 *         epsilon_k = s_{k-2} u_k,  delta_k = c_{k-1} (c_{k-2} u_k) + s_{k-1} alpha_k
 *         bar_k = c_{k-1} alpha_k - s_{k-1} (c_{k-2} u_k),  gamma_k = sqrt(bar_k^2 + beta_{k+1}^2)
 *         c_k = bar_k / gamma_k,  s_k = beta_{k+1} / gamma_k,  tau_k = c_k phi_{k-1},
 *             phi_k = -s_k phi_{k-1}
 *         d_k = (v_k - delta_k d_{k-1} - epsilon_k d_{k-2}) / gamma_k
 *         x += tau_k d_k,  v_{k+1} = w / beta_{k+1}
 *
 * with u_1 = 0 and u_k = beta_k, the entry of T above its diagonal. For shift I + S the same loop
 * with u_k = -beta_k, alpha_k = shift, known without a dot product, and w = S v_k + beta_k v_{k-1}.
 * T'T is then shift^2 I plus a matrix that joins every second index alone, so delta_k = 0 (Greif et
 * al., section 3), and d_{k-1} is not read. With shift = 0 every odd step leaves x as it is:
 * c_k = 0.
 *
 * What the rows say: residual = |phi_k|, alpha = alpha_k, beta = beta_{k+1}.
 *
 * With a symmetric positive definite M = L L^T (Elman, Silvester and Wathen 2005, section 6.1,
 * algorithm 6.1), for a symmetric A, it is that loop for L^-1 A L^-T and L^-1 b, with L^T x: x_k
 * minimises ||b - A x||_{M^-1}, ||r||_{M^-1}^2 = r . M^-1 r, over x_0 + span{M^-1 r_0,
 * M^-1 A M^-1 r_0, ...}. L is not known. In the place of v_k come L v_k, here y_k, and
 * M^-1 y_k = z_k, of norm 1 in y_k . z_k:
 *
 *     y = r_0,  z = M^-1 y,  beta_1 = phi_0 = sqrt(y . z),  y_1 = y / beta_1,  z_1 = z / beta_1
 *     for k = 1, 2, ... while ||r_{k-1}||_2 > tolerance ||b||
 *         q = A z_k,  alpha_k = z_k . q,  y = q - alpha_k y_k - beta_k y_{k-1},
 *             z = M^-1 y,  beta_{k+1} = sqrt(y . z)
 *         the rotation as above
 *         d_k = (z_k - delta_k d_{k-1} - epsilon_k d_{k-2}) / gamma_k
 *         x += tau_k d_k,  y_{k+1} = y / beta_{k+1},  z_{k+1} = z / beta_{k+1}
 *         r_k = s_k^2 r_{k-1} - (tau_k / gamma_k) y
 *
 * |phi_k| is then ||r_k||_{M^-1}, which never grows. What ends the solve is ||r_k||_2, as of every
 * method, which may grow from step to step; it is taken of r_k itself. Its recurrence: the
 * rotations Q_k = G_k Q_{k-1} of T leave r_k = phi_k Y_{k+1} Q_k' e_{k+1}, and the last row of G_k
 * is (-s_k, c_k), so Y_{k+1} Q_k' e_{k+1} = -s_k Y_k Q_{k-1}' e_k + c_k y_{k+1}; with
 * phi_k = -s_k phi_{k-1} that is
 *
 *     r_k = s_k^2 r_{k-1} + phi_k c_k y_{k+1},    phi_k c_k / beta_{k+1} = -tau_k / gamma_k,
 *
 * which needs no beta_{k+1} that is not 0. Neither term is above |phi_k| in the norm of M^-1, so
 * its rounding errors do not grow. (Choi, Paige and Saunders 2011, section 3, without an M.)
 *
 * What the rows say then: residual = ||r_k||_2, alpha = alpha_k, beta = beta_{k+1},
 * preconditioned_residual = |phi_k|.
 *
 * How it ends besides |phi_k| <= tolerance ||b||, the iteration limit and what is not finite, with
 * the largest column of T for ||A||:
 *     REASON_LEAST_SQUARES   r is orthogonal to the range of A as far as rounding lets that be
 *                            seen, so A is singular to working precision, b is not in its range,
 *                            and x a least squares solution: see below
 *     REASON_SINGULAR        ||A|| (||x|| - ||x_0||) >= max(||b||, ||r_0||) / (1000 eps), which
 *                            bounds the condition of A from below, as A (x - x_0) = r_0 - r_k and
 *                            ||r_0 - r_k|| <= ||r_0||: no longer can b - A x be known to 3 digits
 *     REASON_STAGNATION      ||r|| <= eps ||A|| ||x||, above the target: rounding x alone changes
 *                            b - A x by as much (Paige and Saunders' own test). It knows x as it
 *                            is; what an x_0 that was much longer has left in b - A x is found when
 *                            the solve is confirmed
 * A step that leaves ||r|| as it was is none of these: an indefinite matrix may have one in every
 * two. All three compare norms of whole vectors with that of A, in which the largest rows of A hide
 * all others. So solver_solve looks at what they say by products with A, and a solve of which it is
 * not true begins anew from its x (solver/restart.h). It then ends by the ||b - A x|| that rounding
 * leaves row by row, or where ||r|| has not become half in as many iterations as it was before, and
 * a hundred.
 *
 * A least squares solution has A'r = 0, and r keeps the part of b that no x can reach; what x_0 has
 * of the null space x keeps. Of r = r_k, whatever x_0,
 *
 *     ||A'r|| / ||r|| = sqrt(bar_{k+1}^2 + (c_k beta_{k+2})^2),
 *         rho = r.Ar / r.r = c_k bar_{k+1}
 *
 * follow from the scalars of the turn that would make r_{k+1} (Choi, Paige and Saunders 2011,
 * section 3). Paige and Saunders' own second test is ||A'r|| <= tolerance ||A|| ||r||. It would end
 * a solve of condition 1 / tolerance too, which can still converge; and with a tolerance below
 * sqrt(eps) it may never end one: rounding turns an eigenvalue 0 into one of eps ||A||, and a
 * minimal residual is made smaller by dividing by it as soon as ||A'r|| is about sqrt(eps) ||A||
 * ||r||. From there on x grows along the null space until b - A x is larger than b. So rho decides:
 * an eigenvalue is as near to it as (||A'r|| / ||r||)^2 over its distance from the others (Temple
 * 1928, Kato 1949). With R = ||A|| where rho has had one sign so far, and A is definite for all
 * that is known,
 *
 *     |rho| <= 2^-46 R   and   ||A'r|| <= 2^-23 sqrt(R ||A||) ||r||       (2^-46 = 64 eps)
 *
 * Of a definite A that takes a condition of 7e13. Where A is indefinite its signs may cancel in
 * rho; then R is the largest |rho| so far, so that what makes every rho small (a bipartite A,
 * whose rho are all 0) is no sign of a null space. Eigenvalues of both signs below 2^-23 ||A||
 * whose parts of r cancel by chance still look like a null space. For shift I + S rho is the shift
 * and says nothing; neither does it for those A. There a step divides by squares of eigenvalues,
 * ||A'r|| falls to eps ||A|| ||r||, and
 *
 *     ||A'r|| <= 16 eps ||A|| ||r||
 *
 * is asked, of any matrix. With a shift that is not 0, or not below eps ||A||, shift I + S is
 * regular and it never happens; S alone has a null space where eigenvalues are 0, as with an odd
 * order.
 *
 * With an M, T is that of L^-1 A L^-T, and its entries bound ||L^-1 A L^-T||, not ||A||:
 *     REASON_LEAST_SQUARES   the same two tests, with L^-1 A L^-T for A, and L^-1 r for r: all that
 *                            they ask follows from T. What ends a solve then is that A M^-1 r = 0
 *                            as far as rounding lets that be seen: M^-1 A is singular to working
 *                            precision, and ||b - A x||_{M^-1} is least, which need not be the x
 *                            of the least ||b - A x||_2. The products with A and M^-1 have errors
 *                            in ||A|| ||M^-1||, which may be far above ||L^-1 A L^-T||; then the
 *                            tests do not see the null space, and x grows until one of the next
 *                            two ends the solve, or the iteration limit does
 *     REASON_SINGULAR,       in 2-norms, as above, with the largest ||A z|| / ||z|| so far, which
 *     REASON_STAGNATION      is no more than ||A||. ||r_0 - r|| <= ||r_0|| holds in the norm of
 *                            M^-1 alone; max(||b||, ||r_0||) + ||r|| bounds it in the other
 *     REASON_NOT_POSITIVE    y . z < 0; or it is 0, and r is not: then r is a multiple of y, and
 *                            r . M^-1 r = 0. M is not positive definite
 *
 * The spmv's ||A|| is to lie within 1e-150 and 1e150, or the square of beta leaves the range of
 * double; a matrix out of it is scaled before (matrix/scale.h), and b by every solve. With an M it
 * is ||L^-1 A L^-T|| that counts, within 1e-100 and 1e100, and ||b||_{M^-1} likewise: z and y are
 * kept as they come, without the division by beta_{k+1}, and z . q is alpha beta_k^2.
 *
 * A turn is three passes over memory: q with alpha; w with its norm; d, x and v_{k+1}; and every
 * second turn reads x once more, for ||x||. With an M: q with alpha; y with q . q; z with y . z;
 * and d, x and r with r . r, x . x and z . z. */
#ifndef SOLVER_MINRES_MINRES_H
#define SOLVER_MINRES_MINRES_H

#include "solver/method.h"

/* The places in their series. */
enum minres_series {
    MINRES_RESIDUAL,
    MINRES_ALPHA,
    MINRES_BETA,
    MINRES_PRECONDITIONED, /* where there is an M */
    MINRES_SERIES,
};

/* "minres": A x = b for a symmetric A; "skew": (options->shift I + A) x = b for a skew-symmetric A.
 * x is the last iterate, whatever the reason; from x_0 = 0, b = 0 converges at iteration 0 with
 * x = 0. In the space are x, q, two v and two d, and the scalars; with an M x, r, two y, two z and
 * two d. "minres" alone takes an M.
 *
 * The byte model of one iteration: the kernel's product, 64 n for d, x and v, 4 n for ||x||, 32 n
 * for w and its norm, and 16 n for v . q when the kernel does not bring it along. For shift I + S:
 * 56 n, 24 n, and no v . q. 8 n more where the norm of w is taken apart. With an M: the kernel's
 * product, the apply of M, 72 n for d, x and r, 32 n for y, and v . q as above; with the reductions
 * blas 32 n more for the sums. */
extern const struct method method_minres, method_skew;

#endif

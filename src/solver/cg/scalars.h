/* The scalars of conjugate gradients, and their recurrence: one function, compiled for the host and
 * for a device, and run where the scalars live. Because the device itself decides when the
 * iteration has ended, the host need not wait for any scalar: it reads the rows of the history
 * behind the device, from memory that both can see. */
#ifndef SOLVER_CG_SCALARS_H
#define SOLVER_CG_SCALARS_H

#include "base/host_device.h"
#include "solver/halving.h"
#include "space/solver_rows.h"

#include <math.h>
#include <stdint.h>

enum { CG_STAGNATION_RUN = 3 };

/* In the space's memory. The host fills in the first three, zeroes the rest, and has rho =
 * r . M^-1 r computed, and residual_squared = r . r where there is an M; then every call of
 * cg_scalars_advance makes one row. Norms of p and of d = x - x_0 are in the M-norm then,
 * sqrt(d . M d): that is what follows from the scalars. */
struct cg_scalars {
    struct solver_scalars loop;
    int64_t preconditioned; /* 0: M = I, and rho is r . r */
    int64_t patient;        /* stagnation is also that ||r|| no longer becomes smaller */
    struct halving halved;
    int64_t stagnant; /* iterations running that did not move x */

    /* the state of the solve */
    double rho, next_rho, curvature; /* r . M^-1 r before and after the step, p . A p */
    double residual_squared;         /* r . r after the step; not used where M = I */
    double beta;                     /* that makes the next p */
    double alpha, alpha_before;      /* of the last step, and of the one before */
    double xx, xp,
        pp; /* d . M d, d . M p, p . M p: as d . r = 0 they follow from the scalars (Steihaug 1983,
               section 2; Conn, Gould, Toint 2000, section 7.5.1); of x itself, x_0 . r is not
               known */
};

/* A step divides by this: it must be positive and finite, else the vectors stay as they are. */
CGSOLVE_HOST_AND_DEVICE static inline int cg_may_divide(double denominator)
{
    return denominator > 0 && denominator <= 1.7976931348623157e308;
}

CGSOLVE_HOST_AND_DEVICE static inline void cg_scalars_end(struct cg_scalars *s, enum reason reason)
{
    solver_scalars_end(&s->loop, reason, s->curvature);
}

/* Writes the row of this iteration, and ends the loop where a condition holds. What
 * is not finite is asked first: a right-hand side whose norm overflows makes the target infinite
 * too, and inf <= inf. */
CGSOLVE_HOST_AND_DEVICE static inline void cg_scalars_row(struct cg_scalars *s, double alpha,
                                                          double beta)
{
    double residual = sqrt(s->preconditioned ? s->residual_squared : s->rho);
    struct solver_row row = {s->loop.iteration, residual, alpha, beta, s->rho};
    solver_scalars_put(&s->loop, row);
    int still = halving_has_ended(&s->halved, residual, s->loop.iteration) || !s->patient;
    if (!isfinite(residual) || !isfinite(s->rho))
        cg_scalars_end(s, REASON_NOT_FINITE);
    else if (residual <= s->loop.target)
        cg_scalars_end(s, REASON_CONVERGED);
    else if (!(s->rho > 0))
        cg_scalars_end(s, REASON_NOT_POSITIVE);
    else if (s->stagnant >= CG_STAGNATION_RUN && still)
        cg_scalars_end(s, REASON_STAGNATION);
    else if (s->loop.iteration >= s->loop.max_iterations)
        cg_scalars_end(s, REASON_ITERATION_LIMIT);
}

/* After r -= alpha q: the next row, and the scalars for x += alpha p and p = r + beta p. The first
 * call makes row 0. */
CGSOLVE_HOST_AND_DEVICE static inline void cg_scalars_advance(struct cg_scalars *s)
{
    if (s->loop.ended)
        return;
    if (s->loop.iteration < 0) {
        s->loop.iteration = 0;
        s->pp = s->rho;
        cg_scalars_row(s, NAN, NAN);
        return;
    }
    if (!cg_may_divide(s->curvature)) {
        cg_scalars_end(s, isfinite(s->curvature) ? REASON_NOT_POSITIVE : REASON_NOT_FINITE);
        return;
    }
    double alpha = s->rho / s->curvature, beta = s->next_rho / s->rho, previous_beta = s->beta;
    double step_squared = alpha * alpha * s->pp, eps = 0x1p-52;
    s->xx = s->xx + 2 * alpha * s->xp + step_squared;
    s->xp = beta * (s->xp + alpha * s->pp);
    s->pp = s->next_rho + beta * beta * s->pp;
    double least = eps * eps * s->xx; /* 0 or infinite: the scale of A or b lets nothing be said */
    s->stagnant = least > 0 && isfinite(least) && step_squared <= least ? s->stagnant + 1 : 0;
    s->alpha_before = s->alpha;
    s->alpha = alpha;
    s->beta = beta;
    s->rho = s->next_rho;
    s->loop.iteration++;
    cg_scalars_row(s, alpha, previous_beta);
}

#endif

/* The scalars of minimal residuals with a preconditioner M, and what is done to them besides
 * solver/minres/scalars.h: solver/minres/minres.h has the formulas. z_k and y_k are kept as they
 * come, beta_k times what the formulas call them, so that no pass norms them. */
#ifndef SOLVER_MINRES_PRECONDITIONED_SCALARS_H
#define SOLVER_MINRES_PRECONDITIONED_SCALARS_H

#include "solver/minres/scalars.h"

/* In the space's memory. Of the first member the host fills in what it does without an M; it has
 * norm_squared = r_0 . M^-1 r_0, residual_squared = r_0 . r_0 and the first member's xx computed,
 * and zeroes the rest. Then minres_preconditioned_advance makes row 0. */
struct minres_preconditioned_scalars {
    /* T, its rotations and bounds are those of L^-1 A L^-T, M = L L^T; phi is ||r||_{M^-1}; ended
     * and iteration, the target, scale, start_norm and xx are as without an M */
    struct minres_scalars of;
    double zq, qq, zz;       /* z . A z = alpha_k beta_k^2, ||A z||^2 and ||z||^2 */
    double residual_squared; /* r . r */
    double matrix_norm;      /* the largest ||A z|| / ||z||: a lower bound of ||A||_2 */
    double scale;            /* 1 / beta_k */
    double back;             /* beta_k / beta_{k-1}; 0 in the first turn */
    int64_t turns;           /* those whose products were made, with a row or without */
};

CGSOLVE_HOST_AND_DEVICE static inline double minres_alpha(double zq, double scale)
{
    return zq * scale * scale;
}

CGSOLVE_HOST_AND_DEVICE static inline void
minres_preconditioned_row(struct minres_preconditioned_scalars *s, double alpha, double beta)
{
    double residual = sqrt(s->residual_squared), phi = s->of.phi;
    struct solver_row row = {s->of.loop.iteration, residual, alpha, beta,
                             s->of.loop.iteration > 0 ? fabs(phi) : phi};
    minres_scalars_row(&s->of, row, s->matrix_norm, residual); /* ||r_0 - r|| <= ||r_0|| + ||r|| */
}

/* phi_0 is below 0 where its square is: M is not positive definite then. */
CGSOLVE_HOST_AND_DEVICE static inline void
minres_preconditioned_begin(struct minres_preconditioned_scalars *s)
{
    double squared = s->of.norm_squared, phi = squared < 0 ? -sqrt(-squared) : sqrt(squared);
    s->scale = 1 / phi;
    minres_scalars_begin(&s->of, phi);
    minres_preconditioned_row(s, NAN, NAN);
}

/* After y was made, and z, and y . z: the scalars for the vectors' next step, behind which the row
 * follows. The first call makes row 0. */
CGSOLVE_HOST_AND_DEVICE static inline void
minres_preconditioned_advance(struct minres_preconditioned_scalars *s)
{
    if (s->of.loop.ended)
        return;
    if (s->of.loop.iteration < 0) {
        minres_preconditioned_begin(s);
        return;
    }
    s->turns++;
    if (s->of.norm_squared < 0) {
        minres_scalars_end(&s->of, REASON_NOT_POSITIVE);
        return;
    }
    double beta = sqrt(s->of.norm_squared);
    s->of.inverse_beta = beta > 0 ? 1 / beta : 0;
    s->of.alpha = minres_alpha(s->zq, s->scale);
    minres_scalars_rotate(&s->of, s->of.alpha, beta);
}

/* After the vectors' step and its sums: the row, and what the next turn begins with. A quotient of
 * squares that overflow, or have lost digits below the range of double, bounds nothing. */
CGSOLVE_HOST_AND_DEVICE static inline void
minres_preconditioned_finish(struct minres_preconditioned_scalars *s)
{
    double beta = s->of.upper, norm = sqrt(s->qq) / sqrt(s->zz);
    if (s->zz >= 0x1p-900 && isfinite(s->qq) && norm > s->matrix_norm)
        s->matrix_norm = norm;
    s->back = beta * s->scale;
    s->scale = s->of.inverse_beta;
    minres_preconditioned_row(s, s->of.alpha, beta);
}

#endif

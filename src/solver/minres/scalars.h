/* The scalars of minimal residuals, and their recurrence: one function, compiled for the host and
 * for a device, and run where the scalars live, as those of conjugate gradients are
 * (solver/cg/scalars.h).
 *
 * The Lanczos vectors make A V_k = V_{k+1} T, T tridiagonal with the column
 *
 *     (u_k, alpha_k, beta_{k+1}),    u_k = beta_k where A is symmetric,
 *         -beta_k where it is shift I + S,
 *
 * and one rotation a step makes T upper triangular, with the column (epsilon_k, delta_k, gamma_k):
 * formulas in solver/minres/minres.h. Only + - * / and sqrt are used, and no square of an entry of
 * T is formed, so what does not overflow itself does not on the way. */
#ifndef SOLVER_MINRES_SCALARS_H
#define SOLVER_MINRES_SCALARS_H

#include "base/host_device.h"
#include "solver/halving.h"
#include "space/solver_rows.h"

#include <math.h>
#include <stdint.h>

/* In the space's memory. The host fills in the first four, alpha with skew, zeroes the rest, and
 * has norm_squared = r_0 . r_0 computed, and xx = x_0 . x_0 where that is not 0; then every call of
 * minres_scalars_advance makes one row. */
struct minres_scalars {
    struct solver_scalars loop;
    double attainable; /* above 0: ||r|| that rounding leaves, row by row (solver/restart.h) */
    double caution;    /* stagnation is caution eps ||A|| ||x|| */
    int64_t skew;      /* A = alpha I + S */

    double alpha;        /* v_k . A v_k; with skew the shift, which stays; from here on the state of
                            the solve */
    double norm_squared; /* w . w = beta_{k+1}^2 */
    double upper;        /* u_k */
    double matrix_norm;  /* the largest column of T so far: a lower bound of ||A||_2 */
    double quotient_low; /* the least and the largest r.Ar / r.r of the rows before */
    double quotient_high;
    double xx;         /* x . x, of this iteration or the one before */
    double start_norm; /* ||x_0|| */
    double scale;      /* the larger of ||b|| and ||r_0|| */
    double phi;        /* |phi| = ||r_k||_2 */
    struct halving halved;
    double cosine, sine; /* of the last rotation, and of the one before */
    double cosine_before, sine_before;

    /* what the vectors do next */
    int64_t moves;         /* or they stay as they are */
    double delta, epsilon; /* d_k = (v_k - delta_k d_{k-1} - epsilon_k d_{k-2}) / gamma_k */
    double inverse_gamma;
    double tau;          /* x_k = x_{k-1} + tau_k d_k */
    double inverse_beta; /* v_{k+1} = w / beta_{k+1}; 0 where there is no more */
};

/* sqrt(a^2 + b^2), without the squares. NaN where both are infinite, or one is NaN. */
CGSOLVE_HOST_AND_DEVICE static inline double minres_length(double a, double b)
{
    double x = fabs(a), y = fabs(b), larger = x >= y ? x : y, smaller = x >= y ? y : x;
    double ratio = larger > 0 ? smaller / larger : smaller;
    return larger * sqrt(1 + ratio * ratio);
}

CGSOLVE_HOST_AND_DEVICE static inline void minres_scalars_end(struct minres_scalars *s,
                                                              enum reason reason)
{
    solver_scalars_end(&s->loop, reason, NAN);
}

/* The three tests that follow compare norms of whole vectors, in which the largest rows of A hide
 * all others. With `attainable` something better is known. */

/* norm (||x|| - ||x_0||) >= scale / (1000 eps), with a lower bound `norm` of ||A|| and an upper one
 * of ||r_0 - r||, `scale`, that is not below ||b||: the condition of A is at least that, as
 * A (x - x_0) = r_0 - r. */
CGSOLVE_HOST_AND_DEVICE static inline int minres_is_singular(const struct minres_scalars *s,
                                                             double norm, double scale)
{
    return s->attainable == 0 && isfinite(s->xx) &&
           0x1p-52 * norm * (sqrt(s->xx) - s->start_norm) >= 1e-3 * scale;
}

/* ||r|| <= eps norm ||x||: rounding x alone changes b - A x by as much. Or, where rounding is seen
 * row by row, ||r|| no longer becomes smaller. */
CGSOLVE_HOST_AND_DEVICE static inline int minres_is_stagnant(struct minres_scalars *s,
                                                             double residual, double norm)
{
    int still = halving_has_ended(&s->halved, residual, s->loop.iteration);
    if (s->attainable > 0)
        return residual <= s->attainable || still;
    return isfinite(s->xx) && residual <= s->caution * 0x1p-52 * norm * sqrt(s->xx);
}

/* Writes the row of this iteration, and ends the loop where a condition holds.
 * norm: a lower bound of ||A||_2. s->scale + more: an upper one of ||r_0 - r||, as above.
 * row.rho: without an M NaN; else the norm of r in M^-1, not above 0 where M is not positive
 * definite. What is not finite is asked first: a norm of b that overflows makes the target infinite
 * too. */
CGSOLVE_HOST_AND_DEVICE static inline void
minres_scalars_row(struct minres_scalars *s, struct solver_row row, double norm, double more)
{
    double residual = row.residual;
    solver_scalars_put(&s->loop, row);
    if (s->loop.iteration == 0)
        s->scale = s->loop.rhs_norm > residual ? s->loop.rhs_norm : residual;
    if (!isfinite(residual) || !isfinite(s->phi))
        minres_scalars_end(s, REASON_NOT_FINITE);
    else if (residual <= s->loop.target)
        minres_scalars_end(s, REASON_CONVERGED);
    else if (row.rho <= 0)
        minres_scalars_end(s, REASON_NOT_POSITIVE);
    else if (s->loop.iteration > 0 && minres_is_singular(s, norm, s->scale + more))
        minres_scalars_end(s, REASON_SINGULAR);
    else if (minres_is_stagnant(s, residual, norm))
        minres_scalars_end(s, REASON_STAGNATION);
    else if (s->loop.iteration >= s->loop.max_iterations)
        minres_scalars_end(s, REASON_ITERATION_LIMIT);
}

/* The row of a solve without an M: ||r|| = |phi|, and ||r_0 - r|| <= ||r_0||. */
CGSOLVE_HOST_AND_DEVICE static inline void minres_scalars_own_row(struct minres_scalars *s,
                                                                  double alpha, double beta)
{
    struct solver_row row = {s->loop.iteration, fabs(s->phi), alpha, beta, NAN};
    minres_scalars_row(s, row, s->matrix_norm, 0);
}

/* r_0 has been normed, which is phi_0. */
CGSOLVE_HOST_AND_DEVICE static inline void minres_scalars_begin(struct minres_scalars *s,
                                                                double phi)
{
    s->loop.iteration = 0;
    s->phi = phi;
    s->start_norm = sqrt(s->xx);
    s->cosine = s->cosine_before = 1;
    s->quotient_low = INFINITY;
    s->quotient_high = -INFINITY;
    s->moves = 1;
}

/* Whether r_{k-1} is orthogonal to the range of A as far as rounding lets that be seen:
 * solver/minres/minres.h says why by these bounds. slope = ||A'r|| / ||r||, quotient = r.Ar / r.r.
 * */
CGSOLVE_HOST_AND_DEVICE static inline int minres_is_least_squares(const struct minres_scalars *s,
                                                                  double quotient, double slope)
{
    double norm = s->matrix_norm, low = s->quotient_low, high = s->quotient_high;
    if (s->attainable > 0)
        return slope == 0;
    if (slope <= 16 * 0x1p-52 * norm)
        return 1;
    if (s->skew)
        return 0;
    double reach = low > 0 || high < 0 ? norm : -low > high ? -low : high;
    return fabs(quotient) <= 0x1p-46 * reach && slope <= 0x1p-23 * sqrt(reach) * sqrt(norm);
}

/* The column of T that ends with alpha and beta is rotated, and the scalars for the vectors' next
 * step follow; 0 where that ended the iteration. */
CGSOLVE_HOST_AND_DEVICE static inline int minres_scalars_rotate(struct minres_scalars *s,
                                                                double alpha, double beta)
{
    double once = s->cosine_before * s->upper; /* u_k after the rotation before the last one */
    double bar = s->cosine * alpha - s->sine * once, column, gamma;
    s->epsilon = s->sine_before * s->upper;
    s->delta = s->skew ? 0 : s->cosine * once + s->sine * alpha;
    column = minres_length(minres_length(s->upper, alpha), beta);
    gamma = minres_length(bar, beta);
    if (!isfinite(column) || !isfinite(gamma)) {
        minres_scalars_end(s, REASON_NOT_FINITE);
        return 0;
    }
    s->matrix_norm = column > s->matrix_norm ? column : s->matrix_norm;
    double quotient = s->cosine * bar;
    if (minres_is_least_squares(s, quotient, minres_length(bar, s->cosine * beta))) {
        minres_scalars_end(s, REASON_LEAST_SQUARES);
        return 0;
    }
    s->quotient_low = quotient < s->quotient_low ? quotient : s->quotient_low;
    s->quotient_high = quotient > s->quotient_high ? quotient : s->quotient_high;
    s->cosine_before = s->cosine;
    s->sine_before = s->sine;
    s->cosine = bar / gamma;
    s->sine = beta / gamma;
    s->inverse_gamma = 1 / gamma;
    s->tau = s->cosine * s->phi;
    s->phi = -s->sine * s->phi;
    s->upper = s->skew ? -beta : beta;
    s->moves = 1;
    s->loop.iteration++;
    return 1;
}

/* After w was made and normed: the next row, and the scalars for the vectors' next step. The first
 * call makes row 0, and v_1 = r_0 / beta_1 follows. */
CGSOLVE_HOST_AND_DEVICE static inline void minres_scalars_advance(struct minres_scalars *s)
{
    s->moves = 0;
    if (s->loop.ended)
        return;
    double beta = sqrt(s->norm_squared);
    s->inverse_beta = beta > 0 ? 1 / beta : 0;
    if (s->loop.iteration < 0) {
        minres_scalars_begin(s, beta);
        minres_scalars_own_row(s, NAN, NAN);
    } else if (minres_scalars_rotate(s, s->alpha, beta)) {
        minres_scalars_own_row(s, s->alpha, beta);
    }
}

#endif

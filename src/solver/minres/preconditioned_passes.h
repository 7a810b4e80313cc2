/* The passes of minimal residuals with a preconditioner (space/elements.h), and what they work
 * on. */
#ifndef SOLVER_MINRES_PRECONDITIONED_PASSES_H
#define SOLVER_MINRES_PRECONDITIONED_PASSES_H

#include "solver/minres/preconditioned_scalars.h"
#include "space/elements.h"

/* In the space's memory; z_k, y_k and q = A z_k are beta_k times those of the formulas. */
struct minres_preconditioned {
    const double *z;        /* z_k */
    const double *q;        /* in the first pass */
    const double *y;        /* y_k */
    double *y_next;         /* y_{k-1}, becomes y_{k+1} */
    const double *d_before; /* d_{k-1} */
    double *d;              /* d_{k-2}, becomes d_k */
    double *x, *r;
    struct minres_preconditioned_scalars *scalars;
};

/* --- y_next_i = fma(-back, y_next_i, fma(-alpha scale, y_i, scale q_i)), and q . q ------------ */

PASS_SCALARS_FOR(minres_lanczos, minres_preconditioned, share, zq, scale, back)

PASS_PREPARE(minres_lanczos)
{
    s->share = minres_alpha(s->zq, s->scale) * s->scale;
    return true;
}

PASS_VECTORS(minres_lanczos, minres_preconditioned, q, y, y_next)

PASS_MAKE(minres_lanczos, minres_preconditioned)
{
    work->y_next[i] = fma(-s->back, e->y_next, fma(-s->share, e->y, s->scale * e->q));
}

PASS_SQUARE(minres_lanczos, minres_preconditioned, q, &work->scalars->qq)

/* --- the rotation ----------------------------------------------------------------------------- */

PASS_AFTER_BY(minres_rotate, minres_preconditioned, minres_preconditioned_scalars,
              minres_preconditioned_advance)

/* --- d_i = fma(-epsilon, d_i, fma(-delta, d_before_i, z_i scale)) inverse_gamma,
 *     x_i = fma(tau, d_i, x_i),  r_i = fma(-tau inverse_gamma, y_next_i, sine^2 r_i),
 *     and r . r, x . x, z . z; then the row ---------------------------------------------------- */

struct minres_follow_scalars {
    double scale, delta, epsilon, inverse_gamma, tau, sine, kept, taken;
};

PASS_READ(minres_follow, minres_preconditioned)
{
    const struct minres_scalars *of = &work->scalars->of;
    s->scale = work->scalars->scale;
    s->delta = of->delta;
    s->epsilon = of->epsilon;
    s->inverse_gamma = of->inverse_gamma;
    s->tau = of->tau;
    s->sine = of->sine;
}

PASS_PREPARE(minres_follow)
{
    s->kept = s->sine * s->sine;
    s->taken = s->tau * s->inverse_gamma;
    return true;
}

PASS_VECTORS(minres_follow, minres_preconditioned, z, d_before, d, x, r, y_next)

PASS_MAKE(minres_follow, minres_preconditioned)
{
    double z = fma(-s->delta, e->d_before, e->z * s->scale);
    double d = fma(-s->epsilon, e->d, z) * s->inverse_gamma;
    work->d[i] = d;
    work->x[i] = e->x = fma(s->tau, d, e->x);
    work->r[i] = e->r = fma(-s->taken, e->y_next, s->kept * e->r);
}

PASS_TERM(minres_follow)
{
    *x = *y = k == 0 ? e->r : k == 1 ? e->x : e->z;
}

PASS_SUM(minres_follow, minres_preconditioned)
{
    struct minres_preconditioned_scalars *s = work->scalars;
    sum->x = sum->y = k == 0 ? work->r : k == 1 ? work->x : work->z;
    sum->result = k == 0 ? &s->residual_squared : k == 1 ? &s->of.xx : &s->zz;
    return k < 3;
}

PASS_AFTER_BY(minres_follow, minres_preconditioned, minres_preconditioned_scalars,
              minres_preconditioned_finish)

PASS_DECLARE(minres_lanczos);
PASS_DECLARE(minres_rotate);
PASS_DECLARE(minres_follow);
#endif

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

struct minres_lanczos_scalars {
    double zq, scale, back, share;
};

struct minres_lanczos_element {
    double q, y, before;
};

PASS_READ(minres_lanczos, minres_preconditioned)
{
    s->zq = work->scalars->zq;
    s->scale = work->scalars->scale;
    s->back = work->scalars->back;
}

PASS_PREPARE(minres_lanczos)
{
    s->share = minres_alpha(s->zq, s->scale) * s->scale;
    return true;
}

PASS_LOAD(minres_lanczos, minres_preconditioned)
{
    e->q = work->q[i];
    e->y = work->y[i];
    e->before = work->y_next[i];
}

PASS_MAKE(minres_lanczos, minres_preconditioned)
{
    work->y_next[i] = fma(-s->back, e->before, fma(-s->share, e->y, s->scale * e->q));
}

PASS_TERM(minres_lanczos)
{
    *x = *y = e->q;
}

PASS_SUM(minres_lanczos, minres_preconditioned)
{
    sum->x = sum->y = work->q;
    sum->result = &work->scalars->qq;
    return k == 0;
}

/* --- the rotation ----------------------------------------------------------------------------- */

/* The scalars are read at once: a device waits long for each read that it needs. */
PASS_AFTER(minres_rotate, minres_preconditioned)
{
    struct minres_preconditioned_scalars *stored = work->scalars;
    struct minres_preconditioned_scalars s = *stored;
    minres_preconditioned_advance(&s);
    *stored = s;
}

/* --- d_i = fma(-epsilon, d_i, fma(-delta, d_before_i, z_i scale)) inverse_gamma,
 *     x_i = fma(tau, d_i, x_i),  r_i = fma(-tau inverse_gamma, y_next_i, sine^2 r_i),
 *     and r . r, x . x, z . z; then the row ---------------------------------------------------- */

struct minres_follow_scalars {
    double scale, delta, epsilon, inverse_gamma, tau, sine, kept, taken;
};

struct minres_follow_element {
    double z, before, d, x, r, y;
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

PASS_LOAD(minres_follow, minres_preconditioned)
{
    e->z = work->z[i];
    e->before = work->d_before[i];
    e->d = work->d[i];
    e->x = work->x[i];
    e->r = work->r[i];
    e->y = work->y_next[i];
}

PASS_MAKE(minres_follow, minres_preconditioned)
{
    double z = fma(-s->delta, e->before, e->z * s->scale);
    double d = fma(-s->epsilon, e->d, z) * s->inverse_gamma;
    work->d[i] = d;
    work->x[i] = e->x = fma(s->tau, d, e->x);
    work->r[i] = e->r = fma(-s->taken, e->y, s->kept * e->r);
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

PASS_AFTER(minres_follow, minres_preconditioned)
{
    struct minres_preconditioned_scalars *stored = work->scalars;
    struct minres_preconditioned_scalars s = *stored;
    minres_preconditioned_finish(&s);
    *stored = s;
}

PASS_DECLARE(minres_lanczos);
PASS_DECLARE(minres_rotate);
PASS_DECLARE(minres_follow);
#endif

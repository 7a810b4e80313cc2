/* The passes of minimal residuals besides the recurrence (space/elements.h), and what they work on.
 * The step of the row that ends the iteration is done, so they are for always, and the scalars say
 * whether anything moves. */
#ifndef SOLVER_MINRES_PASSES_H
#define SOLVER_MINRES_PASSES_H

#include "solver/minres/scalars.h"
#include "space/elements.h"

/* In the space's memory; v = NULL: there is none yet, and only w is normed. */
struct minres_vectors {
    const double *v;        /* v_k */
    const double *d_before; /* d_{k-1}; NULL: that term is 0 */
    double *d;              /* d_{k-2}, becomes d_k */
    double *x;
    const double *w;
    double *v_next; /* becomes v_{k+1} */
    struct minres_scalars *scalars;
};

/* --- the next row ----------------------------------------------------------------------------- */

PASS_AFTER_BY(minres_advance, minres_vectors, minres_scalars, minres_scalars_advance)

/* --- d_i = fma(-epsilon, d_i, fma(-delta, d_before_i, v_i)) inverse_gamma,
 *     x_i = fma(tau, d_i, x_i),  v_next_i = w_i inverse_beta ----------------------------------- */

struct minres_step_scalars {
    int64_t moves;
    double delta, epsilon, inverse_gamma, tau, inverse_beta;
};

struct minres_step_element {
    double v, before, d, x, w;
};

PASS_READ(minres_step, minres_vectors)
{
    const struct minres_scalars *from = work->scalars;
    s->moves = from->moves;
    s->delta = from->delta;
    s->epsilon = from->epsilon;
    s->inverse_gamma = from->inverse_gamma;
    s->tau = from->tau;
    s->inverse_beta = from->inverse_beta;
}

PASS_PREPARE(minres_step)
{
    return s->moves != 0;
}

PASS_LOAD(minres_step, minres_vectors)
{
    e->w = work->w[i];
    if (work->v) {
        e->v = work->v[i];
        e->before = work->d_before ? work->d_before[i] : 0;
        e->d = work->d[i];
        e->x = work->x[i];
    }
}

PASS_MAKE(minres_step, minres_vectors)
{
    if (work->v) {
        double v = work->d_before ? fma(-s->delta, e->before, e->v) : e->v;
        double d = fma(-s->epsilon, e->d, v) * s->inverse_gamma;
        work->d[i] = d;
        work->x[i] = fma(s->tau, d, e->x);
    }
    work->v_next[i] = e->w * s->inverse_beta;
}

PASS_DECLARE(minres_advance);
PASS_DECLARE(minres_step);
PASS_DECLARE(minres_skew_step);
#endif

/* The pass of steepest descent (space/elements.h): a step along r, and r . r behind it.
 *
 *     alpha = square / curvature,  x_i = fma(alpha, r_i, x_i),  r_i = fma(-alpha, q_i, r_i) */
#ifndef SOLVER_STEEPEST_DESCENT_H
#define SOLVER_STEEPEST_DESCENT_H

#include "space/elements.h"

#include <math.h>

/* The scalars in the space's memory: r . r, what becomes of it, r . q, and
 * the length of the last step. A sum is never
 * written to what the same pass reads. */
enum { SQUARE, NEXT_SQUARE, CURVATURE, STEP, SCALARS };

struct descent_step {
    double *x, *r;
    const double *q;
    double *scalars; /* [SCALARS] */
};

struct descent_step_scalars {
    double square, curvature, alpha;
};

struct descent_step_element {
    double x, r, q;
};

PASS_READ(descent_step, descent_step)
{
    s->square = work->scalars[SQUARE];
    s->curvature = work->scalars[CURVATURE];
}

/* x and r stay where r . A r forbids a step. */
PASS_PREPARE(descent_step)
{
    s->alpha = s->square / s->curvature;
    return s->curvature > 0 && isfinite(s->curvature);
}

PASS_LOAD(descent_step, descent_step)
{
    e->x = work->x[i];
    e->r = work->r[i];
    e->q = work->q[i];
}

PASS_MAKE(descent_step, descent_step)
{
    work->x[i] = fma(s->alpha, e->r, e->x);
    work->r[i] = e->r = fma(-s->alpha, e->q, e->r);
}

PASS_TERM(descent_step)
{
    *x = *y = e->r;
}

PASS_SUM(descent_step, descent_step)
{
    sum->x = sum->y = work->r;
    sum->result = &work->scalars[NEXT_SQUARE];
    return k == 0;
}

PASS_AFTER(descent_step, descent_step)
{
    double *s = work->scalars;
    s[STEP] = s[SQUARE] / s[CURVATURE];
    s[SQUARE] = s[NEXT_SQUARE];
}

PASS_DECLARE(descent_step);

#endif

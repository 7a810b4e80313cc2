/* The pass of steepest descent (space/elements.h), what it works on, and its scalars: a step along
 * r, and r . r of the next one.
 *
 *     alpha = square / curvature,  x_i = fma(alpha, r_i, x_i),  r_i = fma(-alpha, q_i, r_i) */
#ifndef SOLVER_STEEPEST_DESCENT_H
#define SOLVER_STEEPEST_DESCENT_H

#include "space/elements.h"
#include "space/solver_rows.h"

#include <math.h>

/* A sum is never written to what the same pass reads. */
struct descent_scalars {
    struct solver_scalars loop;
    double square, next_square; /* r . r before and after the step */
    double curvature;           /* r . A r */
};

struct descent_vectors {
    double *x, *r, *q;
    struct descent_scalars *scalars;
};

struct descent_step_scalars {
    double square, curvature, alpha;
};

struct descent_step_element {
    double x, r, q;
};

PASS_READ(descent_step, descent_vectors)
{
    s->square = work->scalars->square;
    s->curvature = work->scalars->curvature;
}

/* x and r stay where r . A r forbids a step. */
PASS_PREPARE(descent_step)
{
    s->alpha = s->square / s->curvature;
    return s->curvature > 0 && isfinite(s->curvature);
}

PASS_LOAD(descent_step, descent_vectors)
{
    e->x = work->x[i];
    e->r = work->r[i];
    e->q = work->q[i];
}

PASS_MAKE(descent_step, descent_vectors)
{
    work->x[i] = fma(s->alpha, e->r, e->x);
    work->r[i] = e->r = fma(-s->alpha, e->q, e->r);
}

PASS_TERM(descent_step)
{
    *x = *y = e->r;
}

PASS_SUM(descent_step, descent_vectors)
{
    sum->x = sum->y = work->r;
    sum->result = &work->scalars->next_square;
    return k == 0;
}

PASS_AFTER(descent_begin, descent_vectors)
{
    solver_scalars_next(&work->scalars->loop, sqrt(work->scalars->square), NAN, NAN);
}

/* The next row, unless r . A r forbade the step. */
PASS_AFTER(descent_step, descent_vectors)
{
    struct descent_scalars *s = work->scalars;
    double alpha = s->square / s->curvature, contraction = sqrt(s->next_square / s->square);
    s->square = s->next_square;
    if (s->curvature > 0 && isfinite(s->curvature))
        solver_scalars_next(&s->loop, sqrt(s->square), alpha, contraction);
    else
        solver_scalars_end(&s->loop,
                           isfinite(s->curvature) ? REASON_NOT_POSITIVE : REASON_NOT_FINITE,
                           s->curvature);
}

PASS_DECLARE(descent_begin);
PASS_DECLARE(descent_step);

#endif

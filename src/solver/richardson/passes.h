/* The pass of Richardson's iteration (space/elements.h), what it works on, and its scalars. */
#ifndef SOLVER_RICHARDSON_PASSES_H
#define SOLVER_RICHARDSON_PASSES_H

#include "space/elements.h"
#include "space/solver_rows.h"

#include <math.h>
#include <stdint.h>

/* In the space's memory. The host fills in the first two, zeroes the rest, and has r . r computed;
 * then every call of richardson_advance_after makes one row. */
struct richardson_scalars {
    struct solver_scalars loop;
    double relaxation;
    double along;    /* r . z, which a preconditioner brings along */
    double square;   /* r . r */
    double residual; /* ||r|| of the last row */
};

struct richardson_vectors {
    double *x, *r, *q;
    double *z; /* M^-1 r, or NULL: r itself */
    struct richardson_scalars *scalars;
};

/* --- x += omega z, r -= omega q, and r . r; the next row follows ------------------------------ */

struct richardson_step_scalars {
    double relaxation;
};

struct richardson_step_element {
    double x, r, z, q;
};

PASS_READ(richardson_step, richardson_vectors)
{
    s->relaxation = work->scalars->relaxation;
}

PASS_PREPARES_NOTHING(richardson_step)

PASS_LOAD(richardson_step, richardson_vectors)
{
    e->x = work->x[i];
    e->r = work->r[i];
    e->z = work->z ? work->z[i] : e->r;
    e->q = work->q[i];
}

PASS_MAKE(richardson_step, richardson_vectors)
{
    work->x[i] = fma(s->relaxation, e->z, e->x);
    work->r[i] = e->r = fma(-s->relaxation, e->q, e->r);
}

PASS_TERM(richardson_step)
{
    *x = *y = e->r;
}

PASS_SUM(richardson_step, richardson_vectors)
{
    sum->x = sum->y = work->r;
    sum->result = &work->scalars->square;
    return k == 0;
}

/* The next row, the first one of iteration 0. */
PASS_AFTER(richardson_advance, richardson_vectors)
{
    struct richardson_scalars *s = work->scalars;
    double residual = sqrt(s->square);
    double contraction = s->loop.iteration < 0 ? NAN : residual / s->residual;
    s->residual = residual;
    solver_scalars_next(&s->loop, residual, contraction, NAN);
}

PASS_AFTER(richardson_step, richardson_vectors)
{
    richardson_advance_after(work);
}

PASS_DECLARE(richardson_step);
PASS_DECLARE(richardson_step_alone);
PASS_DECLARE(richardson_advance);
#endif

/* The pass of Richardson's iteration (space/elements.h), what it works on, and its scalars. */
#ifndef SOLVER_RICHARDSON_PASSES_H
#define SOLVER_RICHARDSON_PASSES_H

#include "space/elements.h"
#include "space/solver_rows.h"

#include <math.h>
#include <stdint.h>

/* In the space's memory. The host fills in the first five, rows, with all of its row[]
 * SOLVER_ROW_UNSET, and iteration = -1, zeroes the rest, and has r . r computed; then every call of
 * richardson_advance_after makes one row. */
struct richardson_scalars {
    double tolerance;
    int64_t max_iterations;
    double rhs_norm; /* ||b||; 0: x_0 = 0, and ||b|| is ||r_0|| */
    double relaxation;
    struct solver_rows *rows;
    double target;   /* tolerance ||b|| */
    double along;    /* r . z, which a preconditioner brings along */
    double square;   /* r . r, */
    double residual; /* and ||r|| of the last row; then its place */

    int64_t iteration;
    int64_t ended; /* nothing moves any more */
};

struct richardson_vectors {
    double *x, *r;
    const double *z; /* M^-1 r, or NULL: r itself */
    const double *q;
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

CGSOLVE_HOST_AND_DEVICE static inline void richardson_end(struct richardson_scalars *s,
                                                          enum reason reason)
{
    s->ended = 1;
    solver_rows_end(s->rows, reason, NAN);
}

/* The next row, the first one of iteration 0, and the end if it must be. What is not finite is
 * asked first: inf <= inf. */
PASS_AFTER(richardson_advance, richardson_vectors)
{
    struct richardson_scalars *s = work->scalars;
    double residual = sqrt(s->square);
    s->iteration++;
    struct solver_row row = {s->iteration, residual,
                             s->iteration > 0 ? residual / s->residual : NAN, NAN, NAN};
    solver_rows_put(s->rows, row);
    s->residual = residual;
    if (s->iteration == 0)
        s->target = s->tolerance * (s->rhs_norm > 0 ? s->rhs_norm : residual);
    if (!isfinite(residual))
        richardson_end(s, REASON_NOT_FINITE);
    else if (residual <= s->target)
        richardson_end(s, REASON_CONVERGED);
    else if (s->iteration >= s->max_iterations)
        richardson_end(s, REASON_ITERATION_LIMIT);
}

PASS_AFTER(richardson_step, richardson_vectors)
{
    richardson_advance_after(work);
}

PASS_DECLARE(richardson_step);
PASS_DECLARE(richardson_step_alone);
PASS_DECLARE(richardson_advance);
#endif

/* The passes of conjugate gradients (space/elements.h), and what they work on. */
#ifndef SOLVER_CG_PASSES_H
#define SOLVER_CG_PASSES_H

#include "solver/cg/scalars.h"
#include "space/elements.h"

/* In the space's memory. */
struct cg_vectors {
    double *x, *r, *p;
    const double *q;
    const double *z; /* M^-1 r, or NULL: r itself */
    struct cg_scalars *scalars;
};

/* --- r -= alpha q, and r . r ------------------------------------------------------------------ */

/* Without an M the sum is rho, and the next row follows. With one nothing does, and
 * cg_residual_before_M says so: a GPU launches nothing for it. */

struct cg_residual_scalars {
    double rho, curvature, alpha;
};

struct cg_residual_element {
    double r, q;
};

PASS_READ(cg_residual, cg_vectors)
{
    s->rho = work->scalars->rho;
    s->curvature = work->scalars->curvature;
}

PASS_PREPARE(cg_residual)
{
    bool divides = cg_may_divide(s->curvature);
    s->alpha = divides ? s->rho / s->curvature : 0;
    return divides;
}

PASS_LOAD(cg_residual, cg_vectors)
{
    e->r = work->r[i];
    e->q = work->q[i];
}

PASS_MAKE(cg_residual, cg_vectors)
{
    e->r = fma(-s->alpha, e->q, e->r);
    work->r[i] = e->r;
}

PASS_TERM(cg_residual)
{
    *x = *y = e->r;
}

PASS_SUM(cg_residual, cg_vectors)
{
    sum->x = sum->y = work->r;
    sum->result = work->z ? &work->scalars->residual_squared : &work->scalars->next_rho;
    return k == 0;
}

/* The scalars are read at once: a device waits long for each read that it needs. */
PASS_AFTER(cg_advance, cg_vectors)
{
    struct cg_scalars *stored = work->scalars, s = *stored;
    cg_scalars_advance(&s);
    *stored = s;
}

PASS_AFTER(cg_residual, cg_vectors)
{
    if (!work->z)
        cg_advance_after(work);
}

/* --- x += alpha p, p = z + beta p ------------------------------------------------------------- */

struct cg_direction_scalars {
    double alpha, beta;
};

struct cg_direction_element {
    double z, p, x;
};

PASS_READ(cg_direction, cg_vectors)
{
    s->alpha = work->scalars->alpha;
    s->beta = work->scalars->beta;
}

PASS_PREPARES_NOTHING(cg_direction)

PASS_LOAD(cg_direction, cg_vectors)
{
    e->z = work->z ? work->z[i] : work->r[i];
    e->p = work->p[i];
    e->x = work->x[i];
}

PASS_MAKE(cg_direction, cg_vectors)
{
    work->x[i] = fma(s->alpha, e->p, e->x);
    work->p[i] = fma(s->beta, e->p, e->z);
}

PASS_DECLARE(cg_residual);
PASS_DECLARE(cg_residual_before_M);
PASS_DECLARE(cg_advance);
PASS_DECLARE(cg_direction);
#endif

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

PASS_SCALARS_FOR(cg_residual, cg_vectors, alpha, rho, curvature)

PASS_PREPARE(cg_residual)
{
    bool divides = cg_may_divide(s->curvature);
    s->alpha = divides ? s->rho / s->curvature : 0;
    return divides;
}

PASS_VECTORS(cg_residual, cg_vectors, r, q)

PASS_MAKE(cg_residual, cg_vectors)
{
    e->r = fma(-s->alpha, e->q, e->r);
    work->r[i] = e->r;
}

PASS_SQUARE(cg_residual, cg_vectors, r,
            work->z ? &work->scalars->residual_squared : &work->scalars->next_rho)

PASS_AFTER_BY(cg_advance, cg_vectors, cg_scalars, cg_scalars_advance)

PASS_AFTER(cg_residual, cg_vectors)
{
    if (!work->z)
        cg_advance_after(work);
}

/* --- x += alpha p, p = z + beta p ------------------------------------------------------------- */

PASS_SCALARS(cg_direction, cg_vectors, alpha, beta)

struct cg_direction_element {
    double z, p, x;
};

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

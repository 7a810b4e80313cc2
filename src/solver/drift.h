/* What rounding adds to a residual along the null space of A, taken off again while a solve goes
 * on: A times anything has no part there, but rounded products do, some eps ||A|| ||x|| in all,
 * which no step removes.
 *
 *     s_k = q_k . r,  q_1 ... q_m an orthonormal basis of the null space
 *     where s_1^2 + ... + s_m^2 > 2^-40 r . r:
 *         r_i = fma(-s_m, q_m,i, ... fma(-s_1, q_1,i, r_i))
 *
 * The sums are those of space_dot. A drift that is smaller leaves all bits as they are. */
#ifndef SOLVER_DRIFT_H
#define SOLVER_DRIFT_H

#include "space/elements.h"

#include <math.h>

struct solver;

/* Null vectors that are kept in the space, at most: a body's modes. With more nothing is taken
 * off. */
enum { DRIFT_VECTORS = 6 };

struct drift_sums {
    double square;               /* r . r */
    double along[DRIFT_VECTORS]; /* s */
};

struct drift {
    int count;                /* m; 0: nothing is taken off */
    double most;              /* 2^-40; INFINITY: s is measured alone */
    double *q[DRIFT_VECTORS]; /* [n], in the space */
    double *r;
    struct drift_sums *scalars; /* in the space */
};

/* Of a solve with a known null space (solver/singular.h); a zeroed one for others. Where b has kept
 * its part there, so does r. The caller calls drift_end. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status drift_begin(struct solver *solver, struct drift *drift, struct error *error);
void drift_end(struct solver *solver, struct drift *drift); /* accepts a zeroed one */

/* r[n], in the space, as above. It can be recorded. Errors: STATUS_DEVICE. */
enum status drift_take_off(struct solver *solver, const struct drift *drift, double *r,
                           struct error *error);

/* --- r without its part ----------------------------------------------------------------------- */

struct drift_removal_scalars {
    double most, square, along[DRIFT_VECTORS];
};

PASS_READ(drift_removal, drift)
{
    s->most = work->most;
    s->square = work->scalars->square;
    for (int k = 0; k < DRIFT_VECTORS; k++)
        s->along[k] = k < work->count ? work->scalars->along[k] : 0;
}

PASS_PREPARE(drift_removal)
{
    double along = 0;
    for (int k = 0; k < DRIFT_VECTORS; k++)
        along = fma(s->along[k], s->along[k], along);
    return along > s->most * s->square;
}

struct drift_removal_element {
    double r, q[DRIFT_VECTORS];
};

PASS_LOAD(drift_removal, drift)
{
    e->r = work->r[i];
    CGSOLVE_UNROLL(6)
    for (int k = 0; k < DRIFT_VECTORS; k++)
        e->q[k] = k < work->count ? work->q[k][i] : 0;
}

PASS_MAKE(drift_removal, drift)
{
    double r = e->r;
    CGSOLVE_UNROLL(6)
    for (int k = 0; k < DRIFT_VECTORS; k++)
        r = k < work->count ? fma(-s->along[k], e->q[k], r) : r;
    work->r[i] = r;
}

PASS_DECLARE(drift_removal);

#endif

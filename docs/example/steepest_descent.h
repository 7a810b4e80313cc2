/* The pass of steepest descent (space/elements.h): a step along r, and r . r behind it.
 *
 *     alpha = square / curvature,  x_i = fma(alpha, r_i, x_i),  r_i = fma(-alpha, q_i, r_i) */
#ifndef SOLVER_STEEPEST_DESCENT_H
#define SOLVER_STEEPEST_DESCENT_H

#include "base/host_device.h"
#include "space/pass.h"

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

CGSOLVE_HOST_AND_DEVICE static inline void descent_step_read(const struct descent_step *work,
                                                             struct descent_step_scalars *s)
{
    s->square = work->scalars[SQUARE];
    s->curvature = work->scalars[CURVATURE];
}

/* x and r stay where r . A r forbids a step. */
CGSOLVE_HOST_AND_DEVICE static inline bool descent_step_prepare(struct descent_step_scalars *s)
{
    s->alpha = s->square / s->curvature;
    return s->curvature > 0 && isfinite(s->curvature);
}

CGSOLVE_HOST_AND_DEVICE static inline void
descent_step_load(const struct descent_step *work, int64_t i, struct descent_step_element *e)
{
    e->x = work->x[i];
    e->r = work->r[i];
    e->q = work->q[i];
}

CGSOLVE_HOST_AND_DEVICE static inline void descent_step_make(const struct descent_step *work,
                                                             const struct descent_step_scalars *s,
                                                             int64_t i,
                                                             struct descent_step_element *e)
{
    work->x[i] = fma(s->alpha, e->r, e->x);
    work->r[i] = e->r = fma(-s->alpha, e->q, e->r);
}

CGSOLVE_HOST_AND_DEVICE static inline void descent_step_term(const struct descent_step_element *e,
                                                             int k, double *x, double *y)
{
    (void)k;
    *x = *y = e->r;
}

static inline bool descent_step_sum(const void *given, int64_t k, struct pass_sum *sum)
{
    const struct descent_step *work = (const struct descent_step *)given;
    sum->x = sum->y = work->r;
    sum->result = &work->scalars[NEXT_SQUARE];
    return k == 0;
}

CGSOLVE_HOST_AND_DEVICE static inline void descent_step_after(const void *given)
{
    double *s = ((const struct descent_step *)given)->scalars;
    s[STEP] = s[SQUARE] / s[CURVATURE];
    s[SQUARE] = s[NEXT_SQUARE];
}

#ifdef __cplusplus
extern "C" {
#endif

pass_launcher descent_step_cuda;

#ifdef __cplusplus
}
#endif
#endif

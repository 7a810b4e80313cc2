/* The pass of Richardson's iteration (space/elements.h), what it works on, and its scalars. */
#ifndef SOLVER_RICHARDSON_PASSES_H
#define SOLVER_RICHARDSON_PASSES_H

#include "base/host_device.h"
#include "space/pass.h"
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

CGSOLVE_HOST_AND_DEVICE static inline void richardson_step_read(const struct richardson_vectors *v,
                                                                struct richardson_step_scalars *s)
{
    s->relaxation = v->scalars->relaxation;
}

CGSOLVE_HOST_AND_DEVICE static inline bool
richardson_step_prepare(struct richardson_step_scalars *s)
{
    (void)s;
    return true;
}

CGSOLVE_HOST_AND_DEVICE static inline void richardson_step_load(const struct richardson_vectors *v,
                                                                int64_t i,
                                                                struct richardson_step_element *e)
{
    e->x = v->x[i];
    e->r = v->r[i];
    e->z = v->z ? v->z[i] : e->r;
    e->q = v->q[i];
}

CGSOLVE_HOST_AND_DEVICE static inline void
richardson_step_make(const struct richardson_vectors *v, const struct richardson_step_scalars *s,
                     int64_t i, struct richardson_step_element *e)
{
    v->x[i] = fma(s->relaxation, e->z, e->x);
    v->r[i] = e->r = fma(-s->relaxation, e->q, e->r);
}

CGSOLVE_HOST_AND_DEVICE static inline void
richardson_step_term(const struct richardson_step_element *e, int k, double *x, double *y)
{
    (void)k;
    *x = *y = e->r;
}

static inline bool richardson_step_sum(const void *work, int64_t k, struct pass_sum *sum)
{
    const struct richardson_vectors *v = (const struct richardson_vectors *)work;
    sum->x = sum->y = v->r;
    sum->result = &v->scalars->square;
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
CGSOLVE_HOST_AND_DEVICE static inline void richardson_advance_after(const void *work)
{
    struct richardson_scalars *s = ((const struct richardson_vectors *)work)->scalars;
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

CGSOLVE_HOST_AND_DEVICE static inline void richardson_step_after(const void *work)
{
    richardson_advance_after(work);
}

#ifdef __cplusplus
extern "C" {
#endif

extern const struct pass richardson_step, richardson_step_alone, richardson_advance;
pass_launcher richardson_step_cuda, richardson_advance_cuda;
pass_columns_launcher richardson_step_cuda_columns, richardson_advance_cuda_columns;

#ifdef __cplusplus
}
#endif
#endif

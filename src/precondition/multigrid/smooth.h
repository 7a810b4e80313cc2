/* The pass of the smoother (space/elements.h): a step of the Chebyshev iteration of the fourth
 * kind, and the step that x lags behind it,
 *
 *     r_i = b_i - q_i
 *     before_i = d_i,  d_i = fma(of_d, d_i, of_r (r_i / a_ii))
 *     x_i = fma(of_before, before_i, x_i), and in the last step
 *     x_i = fma(beta, d_i, x_i)
 *
 * with what is not there left out: b_i for b_i - q_i, of_r (...) for the fma with d_i, and
 * of_before before_i for that with x_i. */
#ifndef PRECONDITION_MULTIGRID_SMOOTH_H
#define PRECONDITION_MULTIGRID_SMOOTH_H

#include "cgsolve/host_device.h"
#include "cgsolve/pass.h"

#include <math.h>

struct smooth {
    const double *b, *q, *inverse;    /* q may be NULL; inverse_i = 1 / a_ii */
    const double *d, *x;              /* before; NULL where there is none */
    double *made_r, *made_d, *made_x; /* NULL: not wanted. Each may be what it comes from */
    double of_d, of_r, of_before, beta;
    const double *along; /* *dot = along . x; dot = NULL: not wanted */
    double *dot;
};

struct smooth_scalars {
    int none;
};

struct smooth_element {
    double r, d, x, inverse, along;
};

CGSOLVE_HOST_AND_DEVICE static inline void smooth_read(const struct smooth *work,
                                                       struct smooth_scalars *s)
{
    (void)work;
    s->none = 0;
}

CGSOLVE_HOST_AND_DEVICE static inline bool smooth_prepare(struct smooth_scalars *s)
{
    (void)s;
    return true;
}

/* q: q_i, where there is one. */
CGSOLVE_HOST_AND_DEVICE static inline void smooth_load_with(const struct smooth *work, int64_t i,
                                                            double q, struct smooth_element *e)
{
    e->r = work->q ? work->b[i] - q : work->b[i];
    e->inverse = work->inverse[i];
    e->d = work->d ? work->d[i] : 0;
    e->x = work->x ? work->x[i] : 0;
    e->along = work->dot ? work->along[i] : 0;
}

CGSOLVE_HOST_AND_DEVICE static inline void smooth_load(const struct smooth *work, int64_t i,
                                                       struct smooth_element *e)
{
    smooth_load_with(work, i, work->q ? work->q[i] : 0, e);
}

CGSOLVE_HOST_AND_DEVICE static inline void smooth_make(const struct smooth *work,
                                                       const struct smooth_scalars *s, int64_t i,
                                                       struct smooth_element *e)
{
    (void)s;
    double step = work->of_r * (e->inverse * e->r);
    double d = work->d ? fma(work->of_d, e->d, step) : step;
    if (work->made_x) {
        e->x = work->x ? fma(work->of_before, e->d, e->x) : work->of_before * e->d;
        if (!work->made_d)
            e->x = fma(work->beta, d, e->x);
        work->made_x[i] = e->x;
    }
    if (work->made_r)
        work->made_r[i] = e->r;
    if (work->made_d)
        work->made_d[i] = d;
}

CGSOLVE_HOST_AND_DEVICE static inline void smooth_term(const struct smooth_element *e, int k,
                                                       double *x, double *y)
{
    (void)k;
    *x = e->along;
    *y = e->x;
}

static inline bool smooth_sum(const void *given, int64_t k, struct pass_sum *sum)
{
    const struct smooth *work = (const struct smooth *)given;
    sum->x = work->along;
    sum->y = work->made_x;
    sum->result = work->dot;
    return k == 0 && work->dot;
}

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of step. */
enum smooth_kind {
    SMOOTH_FIRST,       /* from x = 0:  b -> d */
    SMOOTH_FIRST_LATER, /* from x:  b, q -> r, d */
    SMOOTH_SECOND,      /* from x = 0:  b, q, d -> r, d, x */
    SMOOTH_SECOND_LAST, /* the same where it is the last:  b, q, d -> x */
    SMOOTH_MIDDLE,      /* r, q, d, x -> r, d, x */
    SMOOTH_LAST,        /* r, q, d, x -> x */
    SMOOTH_KINDS
};

extern const struct pass smooth_passes[SMOOTH_KINDS];
pass_launcher smooth_cuda;

#ifdef __cplusplus
}
#endif
#endif

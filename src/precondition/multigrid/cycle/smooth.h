/* The passes of the smoother (space/elements.h): a step of the Chebyshev iteration of the fourth
 * kind, and the step that x lags behind it,
 *
 *     r_i = b_i - q_i
 *     before_i = d_i,  d_i = fma(of_d, d_i, of_r (r_i / a_ii))
 *     x_i = fma(of_before, before_i, x_i), and in the last step
 *     x_i = fma(beta, d_i, x_i)
 *
 * with what is not there left out: b_i for b_i - q_i, of_r (...) for the fma with d_i, and
 * of_before before_i for that with x_i.
 *
 * In double precision, or in single precision: numbers are rounded to that first, and so is every
 * operation. Then the first step of a cycle on level 0 begins as float_scaling.h says, with b_i,
 * and the last one ends so, with x_i, which is nowhere kept. */
#ifndef PRECONDITION_MULTIGRID_CYCLE_SMOOTH_H
#define PRECONDITION_MULTIGRID_CYCLE_SMOOTH_H

#include "base/host_device.h"
#include "precondition/multigrid/cycle/float_scaling.h"
#include "space/elements.h"

#include <math.h>

/* Vectors are of the precision of the pass, where no type is named. */
struct smooth {
    const void *b, *q;              /* q may be NULL */
    const void *inverse;            /* 1 / a_ii of row i */
    int shift;                      /* vectors are multivectors of 2^shift columns */
    const void *d, *x;              /* before; NULL where there is none */
    void *made_r, *made_d, *made_x; /* NULL: not wanted. Each may be what it comes from */
    double of_d, of_r, of_before, beta;
    const double *along; /* in double precision: *dot = along . x; dot = NULL: not wanted */
    double *dot;
    struct float_scaling float_scaling; /* in single precision: what is wanted of them */
};

#define REAL double
#define REAL_FMA fma
#define REAL_NAME(pass, part) pass##_##part
#include "precondition/multigrid/cycle/smooth_real.h"
#undef REAL
#undef REAL_FMA
#undef REAL_NAME

#define REAL float
#define REAL_FMA fmaf
#define REAL_NAME(pass, part) pass##_float_##part
#include "precondition/multigrid/cycle/smooth_real.h"
#undef REAL
#undef REAL_FMA
#undef REAL_NAME

PASS_TERM(smooth)
{
    *x = e->along;
    *y = e->x;
}

PASS_SUM(smooth, smooth)
{
    sum->x = work->along;
    sum->y = (const double *)work->made_x;
    sum->result = work->dot;
    return k == 0 && work->dot;
}

/* --- the ends of a cycle in single precision -------------------------------------------------- */

struct smooth_scaled_scalars {
    struct float_scaling_scalars float_scaling;
};

struct smooth_scaled_element {
    struct smooth_float_element at;
    double r, z;
};

PASS_READ(smooth_scaled, smooth)
{
    float_scaling_read(&work->float_scaling, &s->float_scaling);
}

PASS_PREPARE(smooth_scaled)
{
    return float_scaling_prepare(&s->float_scaling);
}

/* The first step, which makes b, or the last one. */
PASS_LOAD(smooth_scaled, smooth)
{
    e->r = work->float_scaling.r[i];
    if (work->float_scaling.b)
        e->at.inverse = ((const float *)work->inverse)[i >> work->shift];
    else
        smooth_float_load(work, i, &e->at);
}

PASS_MAKE(smooth_scaled, smooth)
{
    struct float_scaling_scalars own = float_scaling_at(&work->float_scaling, &s->float_scaling, i);
    if (work->float_scaling.b) {
        e->at.d = e->at.x = 0;
        e->at.r = work->float_scaling.b[i] = float_scaling_enter(&own, e->r);
        ((float *)work->made_d)[i] = smooth_float_advance(work, &e->at);
    } else {
        smooth_float_advance(work, &e->at);
        e->z = work->float_scaling.z[i] = float_scaling_leave(&own, e->at.x);
    }
}

PASS_TERM(smooth_scaled)
{
    *x = e->r;
    *y = e->z;
}

PASS_SUM(smooth_scaled, smooth)
{
    return float_scaling_sum(&work->float_scaling, k, sum);
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
    SMOOTH_ENTER,       /* in single precision, of level 0, from x = 0:  the system's r -> b, d */
    SMOOTH_LEAVE,       /* likewise:  r, q, d, x -> z */
    SMOOTH_KINDS
};

extern const struct pass smooth_passes[SMOOTH_KINDS]; /* without the last two */
extern const struct pass smooth_passes_float[SMOOTH_KINDS];
pass_launcher smooth_cuda, smooth_float_cuda, smooth_scaled_cuda;

#ifdef __cplusplus
}
#endif
#endif

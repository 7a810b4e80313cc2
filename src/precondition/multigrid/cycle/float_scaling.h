/* The scaling of a residual before a cycle in single precision, and of the result after it. A
 * residual may be of any size, and normal numbers of single precision are those from 2^-126 to
 * 2^128. So the cycle is applied to 2^-k r, with k from the exponent of r . r, such that the norm
 * lies between 1/2 and 2, and its result is unscaled. Powers of two round nothing, so k changes no
 * bit of z. The matrices of the cycle are 2^-exponent those of the system.
 *
 *     enter:  b_i = fl(2^-k r_i)
 *     leave:  z_i = 2^(k - exponent) x_i, and r . z
 *
 * k = 0 where r . r is 0, infinite or NaN. As passes of their own (space/elements.h), and as parts
 * of the smoother's. Several columns have a k each. A pass over the columns makes their factors,
 *
 *     scales:  2^-k and the two factors of 2^(k - exponent), of column c, of its r . r,
 *
 * and elements of multivectors take those of their columns. */
#ifndef PRECONDITION_MULTIGRID_CYCLE_FLOAT_SCALING_H
#define PRECONDITION_MULTIGRID_CYCLE_FLOAT_SCALING_H

#include "space/elements.h"

#include <math.h>

struct float_scaling {
    const double *r, *squared; /* r . r, a scalar */
    const double *scales;      /* of 2^shift columns, [3][2^shift]; shift > 0: in its place */
    int exponent, shift;
    const float *x;  /* of the pass that leaves */
    float *b;        /* what is entered makes b; NULL: it leaves, and makes z */
    double *z, *dot; /* dot = NULL: not wanted */
};

struct float_scaling_scalars {
    double squared, down, up[2]; /* 2^-k; 2^(k - exponent) in two factors, which are in range */
    int exponent;
};

struct float_scaling_element {
    double r, z;
    float x;
};

PASS_READ(float_scaling, float_scaling)
{
    s->squared = work->shift > 0 ? 0 : *work->squared;
    s->exponent = work->exponent;
}

PASS_PREPARE(float_scaling)
{
    int k = 0;
    if (s->squared > 0 && s->squared <= 1.7976931348623157e308) {
        frexp(s->squared, &k);
        k = (k - (k & 1)) / 2; /* rounded down */
    }
    s->down = ldexp(1.0, -k);
    k -= s->exponent;
    s->up[0] = ldexp(1.0, k / 2);
    s->up[1] = ldexp(1.0, k - k / 2);
    return true;
}

/* Those of element i: of its column. */
CGSOLVE_HOST_AND_DEVICE static inline struct float_scaling_scalars
float_scaling_at(const struct float_scaling *work, const struct float_scaling_scalars *s, int64_t i)
{
    struct float_scaling_scalars own = *s;
    if (work->shift > 0) {
        int64_t columns = INT64_C(1) << work->shift, c = i & (columns - 1);
        own.down = work->scales[c];
        own.up[0] = work->scales[columns + c];
        own.up[1] = work->scales[2 * columns + c];
    }
    return own;
}

CGSOLVE_HOST_AND_DEVICE static inline float
float_scaling_enter(const struct float_scaling_scalars *s, double r)
{
    return (float)(s->down * r);
}

/* The first product is exact: up[0] is far from both ends of the range of double precision. */
CGSOLVE_HOST_AND_DEVICE static inline double
float_scaling_leave(const struct float_scaling_scalars *s, float x)
{
    return s->up[0] * (double)x * s->up[1];
}

PASS_LOAD(float_scaling, float_scaling)
{
    e->r = work->r[i];
    e->x = work->b ? 0 : work->x[i];
}

PASS_MAKE(float_scaling, float_scaling)
{
    struct float_scaling_scalars own = float_scaling_at(work, s, i);
    if (work->b)
        work->b[i] = float_scaling_enter(&own, e->r);
    else
        e->z = work->z[i] = float_scaling_leave(&own, e->x);
}

PASS_TERM(float_scaling)
{
    *x = e->r;
    *y = e->z;
}

PASS_SUM(float_scaling, float_scaling)
{
    sum->x = work->r;
    sum->y = work->z;
    sum->result = work->dot;
    return k == 0 && !work->b && work->dot;
}

/* The first `used` columns are wanted. */
struct float_scales {
    const double *squared; /* [used] */
    int exponent, used, shift;
    double *scales;
};

PASS_AT(float_scales, float_scales)
{
    int64_t columns = INT64_C(1) << work->shift;
    struct float_scaling_scalars s;
    s.squared = i < work->used ? work->squared[i] : 0;
    s.exponent = work->exponent;
    float_scaling_prepare(&s);
    work->scales[i] = s.down;
    work->scales[columns + i] = s.up[0];
    work->scales[2 * columns + i] = s.up[1];
}

PASS_DECLARE(pass_float_scales);
PASS_DECLARE(pass_enter);
PASS_DECLARE(pass_leave);
#endif

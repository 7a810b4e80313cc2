/* Where a cycle in single precision begins and ends. A residual may be of any size, and normal
 * numbers of single precision are those from 2^-126 to 2^128; so the cycle is for 2^-k r, with k
 * from the exponent of r . r, such that its norm lies between 1/2 and 2. What it leads to is scaled
 * back. Powers of two round nothing, so k changes no bit of z. The matrices of the cycle are
 * 2^-exponent those of the system.
 *
 *     enter:  b_i = fl(2^-k r_i)
 *     leave:  z_i = 2^(k - exponent) x_i, and r . z
 *
 * k = 0 where r . r is 0, infinite or NaN. As passes of their own (space/elements.h), and as parts
 * of the smoother's. */
#ifndef PRECONDITION_MULTIGRID_ENDS_H
#define PRECONDITION_MULTIGRID_ENDS_H

#include "cgsolve/host_device.h"
#include "cgsolve/pass.h"

#include <math.h>

struct ends {
    const double *r, *squared; /* r . r, a scalar */
    int exponent;
    const float *x;  /* of the pass that leaves */
    float *b;        /* what is entered makes b; NULL: it leaves, and makes z */
    double *z, *dot; /* dot = NULL: not wanted */
};

struct ends_scalars {
    double squared, down, up[2]; /* 2^-k; 2^(k - exponent) in two factors, which are in range */
    int exponent;
};

struct ends_element {
    double r, z;
    float x;
};

CGSOLVE_HOST_AND_DEVICE static inline void ends_read(const struct ends *work,
                                                     struct ends_scalars *s)
{
    s->squared = *work->squared;
    s->exponent = work->exponent;
}

CGSOLVE_HOST_AND_DEVICE static inline bool ends_prepare(struct ends_scalars *s)
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

CGSOLVE_HOST_AND_DEVICE static inline float ends_enter(const struct ends_scalars *s, double r)
{
    return (float)(s->down * r);
}

/* The first product is exact: up[0] is far from both ends of the range of double precision. */
CGSOLVE_HOST_AND_DEVICE static inline double ends_leave(const struct ends_scalars *s, float x)
{
    return s->up[0] * (double)x * s->up[1];
}

CGSOLVE_HOST_AND_DEVICE static inline void ends_load(const struct ends *work, int64_t i,
                                                     struct ends_element *e)
{
    e->r = work->r[i];
    e->x = work->b ? 0 : work->x[i];
}

CGSOLVE_HOST_AND_DEVICE static inline void
ends_make(const struct ends *work, const struct ends_scalars *s, int64_t i, struct ends_element *e)
{
    if (work->b)
        work->b[i] = ends_enter(s, e->r);
    else
        e->z = work->z[i] = ends_leave(s, e->x);
}

CGSOLVE_HOST_AND_DEVICE static inline void ends_term(const struct ends_element *e, int k, double *x,
                                                     double *y)
{
    (void)k;
    *x = e->r;
    *y = e->z;
}

static inline bool ends_sum(const void *given, int64_t k, struct pass_sum *sum)
{
    const struct ends *work = (const struct ends *)given;
    sum->x = work->r;
    sum->y = work->z;
    sum->result = work->dot;
    return k == 0 && !work->b && work->dot;
}

#ifdef __cplusplus
extern "C" {
#endif

extern const struct pass pass_enter, pass_leave;
pass_launcher ends_cuda;

#ifdef __cplusplus
}
#endif
#endif

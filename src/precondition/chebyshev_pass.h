/* The pass of a polynomial's recurrence (space/elements.h): a vector from four, and a dot product
 * where one is wanted,
 *
 *     z_i = fma(c[0], v[0]_i, fma(c[1], v[1]_i, fma(c[2], v[2]_i, c[3] v[3]_i))),   *dot = v[2] . z
 *
 * v are the last two vectors, r, and A times the last one; they may be one another, and v[1] may be
 * z. c is on the host. */
#ifndef PRECONDITION_CHEBYSHEV_PASS_H
#define PRECONDITION_CHEBYSHEV_PASS_H

#include "base/host_device.h"
#include "space/pass.h"

#include <math.h>

struct chebyshev_pass {
    double c[4];
    const double *v[4];
    double *z;
    double *dot; /* NULL: not wanted */
};

struct chebyshev_pass_scalars {
    double c[4];
};

struct chebyshev_pass_element {
    double v[4], z;
};

CGSOLVE_HOST_AND_DEVICE static inline void chebyshev_pass_read(const struct chebyshev_pass *work,
                                                               struct chebyshev_pass_scalars *s)
{
    for (int k = 0; k < 4; k++)
        s->c[k] = work->c[k];
}

CGSOLVE_HOST_AND_DEVICE static inline bool chebyshev_pass_prepare(struct chebyshev_pass_scalars *s)
{
    (void)s;
    return true;
}

CGSOLVE_HOST_AND_DEVICE static inline void
chebyshev_pass_load(const struct chebyshev_pass *work, int64_t i, struct chebyshev_pass_element *e)
{
    for (int k = 0; k < 4; k++)
        e->v[k] = work->v[k][i];
}

CGSOLVE_HOST_AND_DEVICE static inline void
chebyshev_pass_make(const struct chebyshev_pass *work, const struct chebyshev_pass_scalars *s,
                    int64_t i, struct chebyshev_pass_element *e)
{
    e->z = fma(s->c[0], e->v[0], fma(s->c[1], e->v[1], fma(s->c[2], e->v[2], s->c[3] * e->v[3])));
    work->z[i] = e->z;
}

CGSOLVE_HOST_AND_DEVICE static inline void
chebyshev_pass_term(const struct chebyshev_pass_element *e, int k, double *x, double *y)
{
    (void)k;
    *x = e->v[2];
    *y = e->z;
}

static inline bool chebyshev_pass_sum(const void *given, int64_t k, struct pass_sum *sum)
{
    const struct chebyshev_pass *work = (const struct chebyshev_pass *)given;
    sum->x = work->v[2];
    sum->y = work->z;
    sum->result = work->dot;
    return k == 0 && work->dot;
}

#ifdef __cplusplus
extern "C" {
#endif

extern const struct pass chebyshev_pass;
pass_launcher chebyshev_pass_cuda;

#ifdef __cplusplus
}
#endif
#endif

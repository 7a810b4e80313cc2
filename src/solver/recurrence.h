/* The pass of a Lanczos recurrence (space/elements.h): y -= a x, and with a second term y -= b u
 * after it; and y . y. The coefficients are in the space's memory.
 *
 *     y_i = fma(-b, u_i, fma(-a, x_i, y_i)) */
#ifndef SOLVER_RECURRENCE_H
#define SOLVER_RECURRENCE_H

#include "base/host_device.h"
#include "space/pass.h"

#include <math.h>

struct recurrence {
    const double *a, *x;
    const double *b, *u; /* u = NULL: without the second term */
    double *y;
    double *squared; /* becomes y . y */
};

struct recurrence_scalars {
    double a, b;
};

struct recurrence_element {
    double x, u, y;
};

CGSOLVE_HOST_AND_DEVICE static inline void recurrence_read(const struct recurrence *work,
                                                           struct recurrence_scalars *s)
{
    s->a = *work->a;
    s->b = work->u ? *work->b : 0;
}

CGSOLVE_HOST_AND_DEVICE static inline bool recurrence_prepare(struct recurrence_scalars *scalars)
{
    (void)scalars;
    return true;
}

CGSOLVE_HOST_AND_DEVICE static inline void recurrence_load(const struct recurrence *work, int64_t i,
                                                           struct recurrence_element *e)
{
    e->x = work->x[i];
    e->u = work->u ? work->u[i] : 0;
    e->y = work->y[i];
}

CGSOLVE_HOST_AND_DEVICE static inline void recurrence_make(const struct recurrence *work,
                                                           const struct recurrence_scalars *scalars,
                                                           int64_t i,
                                                           struct recurrence_element *element)
{
    double y = fma(-scalars->a, element->x, element->y);
    if (work->u)
        y = fma(-scalars->b, element->u, y);
    work->y[i] = element->y = y;
}

CGSOLVE_HOST_AND_DEVICE static inline void recurrence_term(const struct recurrence_element *element,
                                                           int k, double *x, double *y)
{
    (void)k;
    *x = *y = element->y;
}

static inline bool recurrence_sum(const void *given, int64_t k, struct pass_sum *sum)
{
    const struct recurrence *work = (const struct recurrence *)given;
    sum->x = sum->y = work->y;
    sum->result = work->squared;
    return k == 0;
}

#ifdef __cplusplus
extern "C" {
#endif

extern const struct pass one_term, two_terms;
pass_launcher recurrence_cuda;
pass_columns_launcher recurrence_cuda_columns;

#ifdef __cplusplus
}
#endif
#endif

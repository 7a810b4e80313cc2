/* The passes that every method needs (space/space.h), as space/elements.h says. */
#ifndef SPACE_VECTORS_H
#define SPACE_VECTORS_H

#include "base/host_device.h"
#include "space/pass.h"

#include <math.h>

struct fill_work {
    double value;
    double *v;
};

CGSOLVE_HOST_AND_DEVICE static inline void fill_at(const struct fill_work *work, int64_t i)
{
    work->v[i] = work->value;
}

struct copy_work {
    const double *x;
    double *y;
};

CGSOLVE_HOST_AND_DEVICE static inline void copy_at(const struct copy_work *work, int64_t i)
{
    work->y[i] = work->x[i];
}

struct axpy_work {
    double a;
    const double *x;
    double *y;
};

CGSOLVE_HOST_AND_DEVICE static inline void axpy_at(const struct axpy_work *work, int64_t i)
{
    work->y[i] = fma(work->a, work->x[i], work->y[i]);
}

/* A dot product makes nothing. */
struct dot_scalars {
    int none;
};

struct dot_element {
    double x, y;
};

CGSOLVE_HOST_AND_DEVICE static inline void dot_read(const struct pass_sum *work,
                                                    struct dot_scalars *s)
{
    (void)work;
    s->none = 0;
}

CGSOLVE_HOST_AND_DEVICE static inline bool dot_prepare(struct dot_scalars *scalars)
{
    (void)scalars;
    return false;
}

CGSOLVE_HOST_AND_DEVICE static inline void dot_load(const struct pass_sum *work, int64_t i,
                                                    struct dot_element *e)
{
    e->x = work->x[i];
    e->y = work->y[i];
}

CGSOLVE_HOST_AND_DEVICE static inline void dot_make(const struct pass_sum *work,
                                                    const struct dot_scalars *scalars, int64_t i,
                                                    struct dot_element *element)
{
    (void)work, (void)scalars, (void)i, (void)element;
}

CGSOLVE_HOST_AND_DEVICE static inline void dot_term(const struct dot_element *element, int k,
                                                    double *x, double *y)
{
    (void)k;
    *x = element->x;
    *y = element->y;
}

static inline bool dot_sum(const void *work, int64_t k, struct pass_sum *sum)
{
    *sum = *(const struct pass_sum *)work;
    return k == 0;
}

#ifdef __cplusplus
extern "C" {
#endif

pass_launcher fill_cuda, copy_cuda, axpy_cuda, dot_cuda;
pass_columns_launcher fill_cuda_columns, copy_cuda_columns, axpy_cuda_columns, dot_cuda_columns;

#ifdef __cplusplus
}
#endif
#endif

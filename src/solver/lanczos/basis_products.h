/* Vectors side by side, and the passes over them. */
#ifndef SOLVER_LANCZOS_BASIS_PRODUCTS_H
#define SOLVER_LANCZOS_BASIS_PRODUCTS_H

#include "base/host_device.h"
#include "space/pass.h"

#include <math.h>

/* Column k is values[k stride] ... values[k stride + n - 1]. */
struct panel {
    double *values;
    int64_t stride; /* >= n */
    int64_t count;  /* of the columns that are meant */
};

/* c_k = v_k . w for the columns of V */
struct panel_products {
    struct panel V;
    const double *w;
    double *c; /* [V.count] */
};

/* w_i = fma(-c_k, V_ik, w_i) for k = 0, 1, ... in this order, then *squared = w . w */
struct panel_subtraction {
    struct panel V;
    const double *c;
    double *w, *squared;
};

/* V_ij becomes the sum of V_ik S_kj over the columns k of V, in ascending k by fma from +0, for
 * j < wanted <= V.count; what the other columns hold then is not said. S[V.count * wanted], column
 * by column, in the space. Errors: also STATUS_CONFIG, more columns than a device takes. */
struct panel_rotation {
    struct panel V;
    const double *S;
    int64_t wanted;
};

/* v_i = v_i / *norm, *norm = sqrt(*squared) */
struct normalisation {
    const double *squared;
    double *v, *norm;
};

struct normalise_scalars {
    double norm;
};

struct normalise_element {
    double v;
};

CGSOLVE_HOST_AND_DEVICE static inline void normalise_read(const struct normalisation *work,
                                                          struct normalise_scalars *s)
{
    s->norm = sqrt(*work->squared);
}

CGSOLVE_HOST_AND_DEVICE static inline bool normalise_prepare(struct normalise_scalars *s)
{
    (void)s;
    return true;
}

CGSOLVE_HOST_AND_DEVICE static inline void normalise_load(const struct normalisation *work,
                                                          int64_t i, struct normalise_element *e)
{
    e->v = work->v[i];
}

CGSOLVE_HOST_AND_DEVICE static inline void normalise_make(const struct normalisation *work,
                                                          const struct normalise_scalars *s,
                                                          int64_t i, struct normalise_element *e)
{
    work->v[i] = e->v / s->norm;
}

CGSOLVE_HOST_AND_DEVICE static inline void normalise_after(const void *given)
{
    const struct normalisation *work = (const struct normalisation *)given;
    *work->norm = sqrt(*work->squared);
}

#ifdef __cplusplus
extern "C" {
#endif

/* Their `reads` are without the columns of V. */
extern const struct pass panel_dot, panel_subtract, panel_multiply, normalise;
pass_launcher panel_dot_cuda, panel_subtract_cuda, panel_multiply_cuda, normalise_cuda;

#ifdef __cplusplus
}
#endif
#endif

/* Vectors side by side, and the passes over them. */
#ifndef SOLVER_LANCZOS_BASIS_PRODUCTS_H
#define SOLVER_LANCZOS_BASIS_PRODUCTS_H

#include "base/host_device.h"
#include "space/elements.h"

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

PASS_READ(normalise, normalisation)
{
    s->norm = sqrt(*work->squared);
}

PASS_PREPARES_NOTHING(normalise)

PASS_LOAD(normalise, normalisation)
{
    e->v = work->v[i];
}

PASS_MAKE(normalise, normalisation)
{
    work->v[i] = e->v / s->norm;
}

PASS_AFTER(normalise, normalisation)
{
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

/* The passes of conjugate gradients (space/elements.h), and what they work on. */
#ifndef SOLVER_CG_PASSES_H
#define SOLVER_CG_PASSES_H

#include "solver/cg/scalars.h"
#include "space/pass.h"

/* In the space's memory. */
struct cg_vectors {
    double *x, *r, *p;
    const double *q;
    const double *z; /* M^-1 r, or NULL: r itself */
    struct cg_scalars *scalars;
};

/* --- r -= alpha q, and r . r ------------------------------------------------------------------ */

/* Without an M the sum is rho, and the next row follows. With one nothing does, and
 * cg_residual_before_M says so: a GPU launches nothing for it. */

struct cg_residual_scalars {
    double rho, curvature, alpha;
};

struct cg_residual_element {
    double r, q;
};

CGSOLVE_HOST_AND_DEVICE static inline void cg_residual_read(const struct cg_vectors *v,
                                                            struct cg_residual_scalars *s)
{
    s->rho = v->scalars->rho;
    s->curvature = v->scalars->curvature;
}

CGSOLVE_HOST_AND_DEVICE static inline bool cg_residual_prepare(struct cg_residual_scalars *s)
{
    bool divides = cg_may_divide(s->curvature);
    s->alpha = divides ? s->rho / s->curvature : 0;
    return divides;
}

CGSOLVE_HOST_AND_DEVICE static inline void cg_residual_load(const struct cg_vectors *v, int64_t i,
                                                            struct cg_residual_element *e)
{
    e->r = v->r[i];
    e->q = v->q[i];
}

CGSOLVE_HOST_AND_DEVICE static inline void cg_residual_make(const struct cg_vectors *v,
                                                            const struct cg_residual_scalars *s,
                                                            int64_t i,
                                                            struct cg_residual_element *e)
{
    e->r = fma(-s->alpha, e->q, e->r);
    v->r[i] = e->r;
}

CGSOLVE_HOST_AND_DEVICE static inline void cg_residual_term(const struct cg_residual_element *e,
                                                            int k, double *x, double *y)
{
    (void)k;
    *x = *y = e->r;
}

static inline bool cg_residual_sum(const void *work, int64_t k, struct pass_sum *sum)
{
    const struct cg_vectors *v = (const struct cg_vectors *)work;
    sum->x = sum->y = v->r;
    sum->result = v->z ? &v->scalars->residual_squared : &v->scalars->next_rho;
    return k == 0;
}

/* The scalars are read at once: a device waits long for each read that it needs. */
CGSOLVE_HOST_AND_DEVICE static inline void cg_advance_after(const void *work)
{
    struct cg_scalars *stored = ((const struct cg_vectors *)work)->scalars, s = *stored;
    cg_scalars_advance(&s);
    *stored = s;
}

CGSOLVE_HOST_AND_DEVICE static inline void cg_residual_after(const void *work)
{
    if (!((const struct cg_vectors *)work)->z)
        cg_advance_after(work);
}

/* --- x += alpha p, p = z + beta p ------------------------------------------------------------- */

struct cg_direction_scalars {
    double alpha, beta;
};

struct cg_direction_element {
    double z, p, x;
};

CGSOLVE_HOST_AND_DEVICE static inline void cg_direction_read(const struct cg_vectors *v,
                                                             struct cg_direction_scalars *s)
{
    s->alpha = v->scalars->alpha;
    s->beta = v->scalars->beta;
}

CGSOLVE_HOST_AND_DEVICE static inline bool cg_direction_prepare(struct cg_direction_scalars *s)
{
    (void)s;
    return true;
}

CGSOLVE_HOST_AND_DEVICE static inline void cg_direction_load(const struct cg_vectors *v, int64_t i,
                                                             struct cg_direction_element *e)
{
    e->z = v->z ? v->z[i] : v->r[i];
    e->p = v->p[i];
    e->x = v->x[i];
}

CGSOLVE_HOST_AND_DEVICE static inline void cg_direction_make(const struct cg_vectors *v,
                                                             const struct cg_direction_scalars *s,
                                                             int64_t i,
                                                             struct cg_direction_element *e)
{
    v->x[i] = fma(s->alpha, e->p, e->x);
    v->p[i] = fma(s->beta, e->p, e->z);
}

#ifdef __cplusplus
extern "C" {
#endif

extern const struct pass cg_residual, cg_residual_before_M, cg_advance, cg_direction;
pass_launcher cg_residual_cuda, cg_advance_cuda, cg_direction_cuda;
pass_columns_launcher cg_residual_cuda_columns, cg_advance_cuda_columns, cg_direction_cuda_columns;

#ifdef __cplusplus
}
#endif
#endif

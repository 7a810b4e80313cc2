/* The passes of minimal residuals besides the recurrence (space/elements.h), and what they work on.
 * The step of the row that ends the iteration is done, so they are for always, and the scalars say
 * whether anything moves. */
#ifndef SOLVER_MINRES_PASSES_H
#define SOLVER_MINRES_PASSES_H

#include "solver/minres/scalars.h"
#include "space/pass.h"

/* In the space's memory; v = NULL: there is none yet, and only w is normed. */
struct minres_vectors {
    const double *v;        /* v_k */
    const double *d_before; /* d_{k-1}; NULL: that term is 0 */
    double *d;              /* d_{k-2}, becomes d_k */
    double *x;
    const double *w;
    double *v_next; /* becomes v_{k+1} */
    struct minres_scalars *scalars;
};

/* --- the next row ----------------------------------------------------------------------------- */

CGSOLVE_HOST_AND_DEVICE static inline void minres_advance_after(const void *work)
{
    struct minres_scalars *stored = ((const struct minres_vectors *)work)->scalars;
    struct minres_scalars s = *stored; /* at once: a device waits for each read that it needs */
    minres_scalars_advance(&s);
    *stored = s;
}

/* --- d_i = fma(-epsilon, d_i, fma(-delta, d_before_i, v_i)) inverse_gamma,
 *     x_i = fma(tau, d_i, x_i),  v_next_i = w_i inverse_beta ----------------------------------- */

struct minres_step_scalars {
    int64_t moves;
    double delta, epsilon, inverse_gamma, tau, inverse_beta;
};

struct minres_step_element {
    double v, before, d, x, w;
};

CGSOLVE_HOST_AND_DEVICE static inline void minres_step_read(const struct minres_vectors *vectors,
                                                            struct minres_step_scalars *s)
{
    const struct minres_scalars *from = vectors->scalars;
    s->moves = from->moves;
    s->delta = from->delta;
    s->epsilon = from->epsilon;
    s->inverse_gamma = from->inverse_gamma;
    s->tau = from->tau;
    s->inverse_beta = from->inverse_beta;
}

CGSOLVE_HOST_AND_DEVICE static inline bool minres_step_prepare(struct minres_step_scalars *s)
{
    return s->moves != 0;
}

CGSOLVE_HOST_AND_DEVICE static inline void
minres_step_load(const struct minres_vectors *vectors, int64_t i, struct minres_step_element *e)
{
    e->w = vectors->w[i];
    if (vectors->v) {
        e->v = vectors->v[i];
        e->before = vectors->d_before ? vectors->d_before[i] : 0;
        e->d = vectors->d[i];
        e->x = vectors->x[i];
    }
}

CGSOLVE_HOST_AND_DEVICE static inline void minres_step_make(const struct minres_vectors *vectors,
                                                            const struct minres_step_scalars *s,
                                                            int64_t i,
                                                            struct minres_step_element *e)
{
    if (vectors->v) {
        double v = vectors->d_before ? fma(-s->delta, e->before, e->v) : e->v;
        double d = fma(-s->epsilon, e->d, v) * s->inverse_gamma;
        vectors->d[i] = d;
        vectors->x[i] = fma(s->tau, d, e->x);
    }
    vectors->v_next[i] = e->w * s->inverse_beta;
}

#ifdef __cplusplus
extern "C" {
#endif

extern const struct pass minres_advance, minres_step, minres_skew_step;
pass_launcher minres_advance_cuda, minres_step_cuda;
pass_columns_launcher minres_advance_cuda_columns, minres_step_cuda_columns;

#ifdef __cplusplus
}
#endif
#endif

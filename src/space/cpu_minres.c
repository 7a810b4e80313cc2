/* The step of minimal residuals in the CPU space: 64 bytes a row, 56 without d_before. */
#include "space/cpu.h"

#include "base/multiversion.h"
#include "base/threads.h"
#include "cgsolve/sum_order.h"

#include <math.h>

MULTIVERSION static void scale(int64_t begin, int64_t end, double factor, const double *restrict w,
                               double *restrict v)
{
    for (int64_t i = begin; i < end; i++)
        v[i] = w[i] * factor;
}

MULTIVERSION static void move(int64_t begin, int64_t end, const struct minres_scalars *s,
                              const struct minres_vectors *vectors)
{
    const double *restrict v = vectors->v, *restrict w = vectors->w;
    double *restrict d = vectors->d, *restrict x = vectors->x, *restrict next = vectors->v_next;
    double epsilon = s->epsilon, inverse = s->inverse_gamma, tau = s->tau, norm = s->inverse_beta;
    for (int64_t i = begin; i < end; i++) {
        d[i] = fma(-epsilon, d[i], v[i]) * inverse;
        x[i] = fma(tau, d[i], x[i]);
        next[i] = w[i] * norm;
    }
}

MULTIVERSION static void move_with_before(int64_t begin, int64_t end,
                                          const struct minres_scalars *s,
                                          const struct minres_vectors *vectors)
{
    const double *restrict v = vectors->v, *restrict w = vectors->w;
    const double *restrict before = vectors->d_before;
    double *restrict d = vectors->d, *restrict x = vectors->x, *restrict next = vectors->v_next;
    double delta = s->delta, epsilon = s->epsilon, inverse = s->inverse_gamma;
    double tau = s->tau, norm = s->inverse_beta;
    for (int64_t i = begin; i < end; i++) {
        d[i] = fma(-epsilon, d[i], fma(-delta, before[i], v[i])) * inverse;
        x[i] = fma(tau, d[i], x[i]);
        next[i] = w[i] * norm;
    }
}

struct move_work {
    const struct minres_vectors *vectors;
    const struct minres_scalars *scalars;
};

static void move_elements(void *context, int64_t begin, int64_t end)
{
    const struct move_work *work = context;
    const struct minres_vectors *vectors = work->vectors;
    if (!vectors->v)
        scale(begin, end, work->scalars->inverse_beta, vectors->w, vectors->v_next);
    else if (vectors->d_before)
        move_with_before(begin, end, work->scalars, vectors);
    else
        move(begin, end, work->scalars, vectors);
}

enum status cpu_minres_step(struct space *space, int64_t n, const struct minres_vectors *vectors,
                            struct minres_scalars *scalars, struct error *error)
{
    (void)space;
    (void)error;
    minres_scalars_advance(scalars);
    if (!scalars->moves)
        return STATUS_OK;
    threads_each(n, move_elements, &(struct move_work){vectors, scalars});
    return STATUS_OK;
}

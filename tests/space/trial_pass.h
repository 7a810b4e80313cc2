/* A pass of the tests' own, as space/elements.h says, with two vectors, two sums, and what follows
 * from these. Run twice, it makes something else than once.
 *
 *     a = numerator / denominator, and where the denominator is not above 0 the vectors stay
 *     x_i = fma(a, y_i, x_i),  then  y_i = fma(-a, x_i, y_i)
 *     square = x . x,  product = x . y,  ratio = product / square,  runs += 1 */
#ifndef TESTS_SPACE_TRIAL_PASS_H
#define TESTS_SPACE_TRIAL_PASS_H

#include "base/host_device.h"
#include "space/pass.h"

#include <math.h>

/* Places in `scalars`. */
enum {
    TRIAL_NUMERATOR,
    TRIAL_DENOMINATOR,
    TRIAL_SQUARE,
    TRIAL_PRODUCT,
    TRIAL_RATIO,
    TRIAL_RUNS,
    TRIAL_SCALARS
};

/* In the space's memory. */
struct trial_work {
    double *x, *y, *scalars;
    bool unsummed; /* no sum is wanted */
};

struct trial_scalars {
    double numerator, denominator, a;
};

struct trial_element {
    double x, y;
};

CGSOLVE_HOST_AND_DEVICE static inline void trial_read(const struct trial_work *work,
                                                      struct trial_scalars *s)
{
    s->numerator = work->scalars[TRIAL_NUMERATOR];
    s->denominator = work->scalars[TRIAL_DENOMINATOR];
}

CGSOLVE_HOST_AND_DEVICE static inline bool trial_prepare(struct trial_scalars *s)
{
    s->a = s->numerator / s->denominator;
    return s->denominator > 0;
}

CGSOLVE_HOST_AND_DEVICE static inline void trial_load(const struct trial_work *work, int64_t i,
                                                      struct trial_element *e)
{
    e->x = work->x[i];
    e->y = work->y[i];
}

CGSOLVE_HOST_AND_DEVICE static inline void trial_make(const struct trial_work *work,
                                                      const struct trial_scalars *s, int64_t i,
                                                      struct trial_element *e)
{
    work->x[i] = e->x = fma(s->a, e->y, e->x);
    work->y[i] = e->y = fma(-s->a, e->x, e->y);
}

CGSOLVE_HOST_AND_DEVICE static inline void trial_term(const struct trial_element *e, int k,
                                                      double *x, double *y)
{
    *x = e->x;
    *y = k == 0 ? e->x : e->y;
}

static inline bool trial_sum(const void *given, int64_t k, struct pass_sum *sum)
{
    const struct trial_work *work = (const struct trial_work *)given;
    sum->x = work->x;
    sum->y = k == 0 ? work->x : work->y;
    sum->result = &work->scalars[k == 0 ? TRIAL_SQUARE : TRIAL_PRODUCT];
    return k < 2 && !work->unsummed;
}

CGSOLVE_HOST_AND_DEVICE static inline void trial_after(const void *given)
{
    double *s = ((const struct trial_work *)given)->scalars;
    s[TRIAL_RATIO] = s[TRIAL_PRODUCT] / s[TRIAL_SQUARE];
    s[TRIAL_RUNS] += 1;
}

#ifdef __cplusplus
extern "C" {
#endif

extern const struct pass trial, trial_always; /* the same, also when space->ended says so */
pass_launcher trial_cuda;
pass_columns_launcher trial_cuda_columns;

#ifdef __cplusplus
}
#endif
#endif

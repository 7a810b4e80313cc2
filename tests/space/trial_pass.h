/* A pass of the tests' own, as space/elements.h says, with two vectors, two sums, and what follows
 * from these. Run twice, it makes something else than once.
 *
 *     a = numerator / denominator, and where the denominator is not above 0 the vectors stay
 *     x_i = fma(a, y_i, x_i),  then  y_i = fma(-a, x_i, y_i)
 *     square = x . x,  product = x . y,  ratio = product / square,  runs += 1 */
#ifndef TESTS_SPACE_TRIAL_PASS_H
#define TESTS_SPACE_TRIAL_PASS_H

#include "space/elements.h"

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

PASS_READ(trial, trial_work)
{
    s->numerator = work->scalars[TRIAL_NUMERATOR];
    s->denominator = work->scalars[TRIAL_DENOMINATOR];
}

PASS_PREPARE(trial)
{
    s->a = s->numerator / s->denominator;
    return s->denominator > 0;
}

PASS_LOAD(trial, trial_work)
{
    e->x = work->x[i];
    e->y = work->y[i];
}

PASS_MAKE(trial, trial_work)
{
    work->x[i] = e->x = fma(s->a, e->y, e->x);
    work->y[i] = e->y = fma(-s->a, e->x, e->y);
}

PASS_TERM(trial)
{
    *x = e->x;
    *y = k == 0 ? e->x : e->y;
}

PASS_SUM(trial, trial_work)
{
    sum->x = work->x;
    sum->y = k == 0 ? work->x : work->y;
    sum->result = &work->scalars[k == 0 ? TRIAL_SQUARE : TRIAL_PRODUCT];
    return k < 2 && !work->unsummed;
}

PASS_AFTER(trial, trial_work)
{
    double *s = work->scalars;
    s[TRIAL_RATIO] = s[TRIAL_PRODUCT] / s[TRIAL_SQUARE];
    s[TRIAL_RUNS] += 1;
}

PASS_DECLARE(trial);
PASS_DECLARE(trial_always); /* the same, also when space->ended says so */
#endif

/* The pass of a Lanczos recurrence (space/elements.h): y -= a x, and with a second term y -= b u
 * after it; and y . y. The coefficients are in the space's memory.
 *
 *     y_i = fma(-b, u_i, fma(-a, x_i, y_i)) */
#ifndef SOLVER_RECURRENCE_H
#define SOLVER_RECURRENCE_H

#include "space/elements.h"

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

PASS_READ(recurrence, recurrence)
{
    s->a = *work->a;
    s->b = work->u ? *work->b : 0;
}

PASS_PREPARES_NOTHING(recurrence)

PASS_LOAD(recurrence, recurrence)
{
    e->x = work->x[i];
    e->u = work->u ? work->u[i] : 0;
    e->y = work->y[i];
}

PASS_MAKE(recurrence, recurrence)
{
    double y = fma(-s->a, e->x, e->y);
    if (work->u)
        y = fma(-s->b, e->u, y);
    work->y[i] = e->y = y;
}

PASS_SQUARE(recurrence, recurrence, y, work->squared)

PASS_DECLARE(one_term);
PASS_DECLARE(two_terms);
#endif

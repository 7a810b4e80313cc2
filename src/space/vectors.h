/* The passes that every method needs (space/space.h), as space/elements.h says. */
#ifndef SPACE_VECTORS_H
#define SPACE_VECTORS_H

#include "space/elements.h"

#include <math.h>

struct fill_work {
    double value;
    double *v;
};

PASS_AT(fill, fill_work)
{
    work->v[i] = work->value;
}

struct copy_work {
    const double *x;
    double *y;
};

PASS_AT(copy, copy_work)
{
    work->y[i] = work->x[i];
}

struct axpy_work {
    double a;
    const double *x;
    double *y;
};

PASS_AT(axpy, axpy_work)
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

PASS_READ(dot, pass_sum)
{
    s->none = 0;
}

PASS_PREPARE(dot)
{
    return false;
}

PASS_LOAD(dot, pass_sum)
{
    e->x = work->x[i];
    e->y = work->y[i];
}

PASS_MAKE(dot, pass_sum)
{
}

PASS_TERM(dot)
{
    *x = e->x;
    *y = e->y;
}

PASS_SUM(dot, pass_sum)
{
    *sum = *work;
    return k == 0;
}

#endif

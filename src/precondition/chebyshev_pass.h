/* The pass of a polynomial's recurrence (space/elements.h): a vector from four, and a dot product
 * where one is wanted,
 *
 *     z_i = fma(c[0], v[0]_i, fma(c[1], v[1]_i, fma(c[2], v[2]_i, c[3] v[3]_i))),   *dot = v[2] . z
 *
 * v are the last two vectors, r, and A times the last one; they may be one another, and v[1] may be
 * z. c is on the host. */
#ifndef PRECONDITION_CHEBYSHEV_PASS_H
#define PRECONDITION_CHEBYSHEV_PASS_H

#include "space/elements.h"

#include <math.h>

struct chebyshev_pass {
    double c[4];
    const double *v[4];
    double *z;
    double *dot; /* NULL: not wanted */
};

struct chebyshev_pass_scalars {
    double c[4];
};

struct chebyshev_pass_element {
    double v[4], z;
};

PASS_READ(chebyshev_pass, chebyshev_pass)
{
    for (int k = 0; k < 4; k++)
        s->c[k] = work->c[k];
}

PASS_PREPARES_NOTHING(chebyshev_pass)

PASS_LOAD(chebyshev_pass, chebyshev_pass)
{
    for (int k = 0; k < 4; k++)
        e->v[k] = work->v[k][i];
}

PASS_MAKE(chebyshev_pass, chebyshev_pass)
{
    e->z = fma(s->c[0], e->v[0], fma(s->c[1], e->v[1], fma(s->c[2], e->v[2], s->c[3] * e->v[3])));
    work->z[i] = e->z;
}

PASS_TERM(chebyshev_pass)
{
    *x = e->v[2];
    *y = e->z;
}

PASS_SUM(chebyshev_pass, chebyshev_pass)
{
    sum->x = work->v[2];
    sum->y = work->z;
    sum->result = work->dot;
    return k == 0 && work->dot;
}

PASS_DECLARE(chebyshev_pass);
#endif

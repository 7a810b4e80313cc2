/* Passes (space/elements.h): y_i = root_i x_i, y may be x; and root_i = sqrt(inverse_i). */
#ifndef PRECONDITION_MULTIGRID_CYCLE_SCALING_H
#define PRECONDITION_MULTIGRID_CYCLE_SCALING_H

#include "space/elements.h"

#include <math.h>

struct scaling {
    const double *inverse, *x;
    double *root, *y;
};

PASS_AT(scaling, scaling)
{
    work->y[i] = work->root[i] * work->x[i];
}

PASS_AT(roots, scaling)
{
    work->root[i] = sqrt(work->inverse[i]);
}

PASS_DECLARE(pass_scaling);
PASS_DECLARE(pass_roots);
#endif

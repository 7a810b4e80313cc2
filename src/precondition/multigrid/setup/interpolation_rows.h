/* The values of an interpolation, rounded to floats. */
#ifndef PRECONDITION_MULTIGRID_SETUP_INTERPOLATION_ROWS_H
#define PRECONDITION_MULTIGRID_SETUP_INTERPOLATION_ROWS_H

#include "space/elements.h"

struct rounding {
    const double *from;
    float *rounded;
};

PASS_AT(rounding, rounding)
{
    work->rounded[i] = (float)work->from[i];
}

PASS_DECLARE(pass_rounding);

#endif

/* The pass of a last level that is solved, in single precision (space/elements.h): x = B b, with a
 * dense symmetric B,
 *
 *     x_i = the chain from j = 0 on of  s = B_0i b_0,  s = fma(B_ji, b_j, s)
 *
 * (in double precision: one block of precondition/blocks.h). */
#ifndef PRECONDITION_MULTIGRID_CYCLE_DIRECT_H
#define PRECONDITION_MULTIGRID_CYCLE_DIRECT_H

#include "space/elements.h"

#include <math.h>

struct direct {
    int64_t n;
    const float *values; /* [n][n]: values[j n + i] = B_ji */
    const float *b;
    float *x;
    int shift; /* b and x are multivectors of 2^shift columns */
};

PASS_AT(direct, direct)
{
    const float *values = work->values + (i >> work->shift);
    const float *b = work->b + (i & ((INT64_C(1) << work->shift) - 1));
    float s = values[0] * b[0];
    CGSOLVE_UNROLL(16)
    for (int64_t j = 1; j < work->n; j++)
        s = fmaf(values[j * work->n], b[j << work->shift], s);
    work->x[i] = s;
}

PASS_DECLARE(pass_direct); /* its `reads` are without the values */
#endif

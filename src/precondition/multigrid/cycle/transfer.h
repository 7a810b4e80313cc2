/* The passes between two levels (space/elements.h), over the rows of the coarse one
 *
 *     coarse_I = the chain from its first row on of  s = s + (b_i - q_i),  i in I ascending
 *
 * and over those of the fine one, where they lie in an aggregate,
 *
 *     x_i = x_i + coarse_{map[i]}
 *
 * or by the blocks of an interpolation (setup/interpolation.h), with their rows i and columns
 *
 *     coarse_I = the sum over lanes l = 0 ... 15 of  the chain from 0 on of
 *                s = fma(P_iI, b_i - q_i, s), over the rows i of blocks l, l + 16, ... of column I,
 *                ascending; lane l takes that of l + 8, then l + 4, l + 2, l + 1
 *     x_i = the chain from x_i on of  s = fma(P_iI, coarse_I, s),  I ascending
 *
 * and over the rows of the fine one
 *
 *     q_i = b_i - q_i,
 *
 * in double precision, or in single precision, and likewise over the elements of multivectors. */
#ifndef PRECONDITION_MULTIGRID_CYCLE_TRANSFER_H
#define PRECONDITION_MULTIGRID_CYCLE_TRANSFER_H

#include "matrix/near_null.h"
#include "precondition/multigrid/setup/interpolation.h"
#include "space/elements.h"

#include <math.h>

/* Vectors are of the precision of the pass, multivectors (spmv/operator.h) of 2^shift columns. */
struct restriction {
    const int32_t *offsets, *members; /* of struct aggregates */
    const void *b, *q;                /* q = NULL: b is the residual */
    void *coarse;
    int shift;
};

struct prolongation {
    const int32_t *map; /* of struct aggregates */
    const void *coarse;
    void *x;
    int shift;
};

enum { TRANSFER_LANES = 16 };

/* Both, by blocks. */
struct block_transfer {
    struct interpolation P;
    const void *b, *q; /* q = NULL: b is the residual */
    void *coarse, *x;
    int shift;
};

/* In the row of a multivector the element of the column that element e is of. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t transfer_element(int64_t row, int shift, int64_t e)
{
    return (row << shift) + (e & ((INT64_C(1) << shift) - 1));
}

struct remainder {
    const void *b;
    void *q;
};

#define REAL double
#define REAL_FMA fma
#define REAL_NAME(pass, part) pass##_##part
#include "precondition/multigrid/cycle/transfer_real.h"
#undef REAL
#undef REAL_FMA
#undef REAL_NAME

#define REAL float
#define REAL_FMA fmaf
#define REAL_NAME(pass, part) pass##_float_##part
#include "precondition/multigrid/cycle/transfer_real.h"
#undef REAL
#undef REAL_FMA
#undef REAL_NAME

PASS_DECLARE(pass_restriction);
PASS_DECLARE(pass_prolongation);
PASS_DECLARE(pass_remainder);
PASS_DECLARE(pass_block_restriction);
PASS_DECLARE(pass_block_prolongation);
PASS_DECLARE(pass_remainder_float);
PASS_DECLARE(pass_restriction_float);
PASS_DECLARE(pass_prolongation_float);
PASS_DECLARE(pass_block_restriction_float);
PASS_DECLARE(pass_block_prolongation_float);
#endif

/* What the kernels *_sym_compensated keep the rounding errors of: their parameter "compensate", in
 * C and in CUDA.
 *
 * u is 2^-53; a row has L entries and S_i = sum_j |a_ij x_j|. The products of the lower triangle
 * and the sums of the stored rows are added to y by atomics, in the order in which they arrive.
 *
 * "atomics": the errors of those additions alone, each by Knuth's TwoSum from the value that the
 * atomic hands back. Products, and the sum of a row before it is added, are rounded as in
 * *_sym_atomic; but these do not depend on the order in which anything arrives. So y is usually the
 * same on every run, and about as far from A x as by any plain sum: gamma_L S_i. It is the kernel
 * of the study that this project begins with (docs/sources.md).
 *
 * "all": those of the products too (TwoProduct, an fma), and of the additions within a row. So y is
 * usually A x rounded once, u |y_i| away from it: a dot product in twice the precision (Dot2;
 * Ogita, Rump, Oishi 2005, algorithm 5.3), its errors added in any order. */
#ifndef SPMV_SYMMETRIC_SCATTER_COMPENSATE_H
#define SPMV_SYMMETRIC_SCATTER_COMPENSATE_H

#include "spmv/kernel.h"

enum compensate { COMPENSATE_ATOMICS, COMPENSATE_ALL };

static const char *const compensate_choices[] = {"atomics", "all", NULL};

#define KERNEL_COMPENSATE(k)                                                                       \
    KERNEL_CHOICE(k, "compensate",                                                                 \
                  "the errors that are kept: of atomic additions, or of products and rows too",    \
                  "atomics", compensate_choices)

/* Which errors decide about the order is the same in both; what "all" says of y is more. */
static const struct kernel_promise compensate_promises[] = {
    {"compensate", COMPENSATE_ALL, GUARANTEE_ACCURATE}, {NULL, 0, GUARANTEE_NONE}};

#endif

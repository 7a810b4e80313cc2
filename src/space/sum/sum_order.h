/* The order of a reproducible sum, for CPU and GPU: cgsolve/order.h defines it, with its constants;
 * cpu_sum.h and cuda_sum.cuh follow it. The sums of exact_sum.h need no order. */
#ifndef SPACE_SUM_SUM_ORDER_H
#define SPACE_SUM_SUM_ORDER_H

#include "base/host_device.h"
#include "cgsolve/order.h"

#include <stdint.h>

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) ||     \
    defined(__NO_SIGNED_ZEROS__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "the compiler may change sums (-ffast-math, -Ofast or the like): their bits would be others"
#endif

enum {
    SUM_TILE = CGS_SUM_TILE,
    SUM_LANES = CGS_SUM_LANES,
};

/* Tiles that n terms make. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t sum_tiles(int64_t n)
{
    return (n + SUM_TILE - 1) / SUM_TILE;
}

#endif

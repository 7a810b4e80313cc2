/* The order of a reproducible sum: the one place where it is written, for CPU and GPU.
 *
 * Let t_0 ... t_{n-1} be the terms. They are cut into tiles of SUM_TILE; tile T holds t_i with
 * T SUM_TILE <= i < (T + 1) SUM_TILE. Inside a tile, lane l of SUM_LANES takes the terms
 * i = T SUM_TILE + l, + SUM_LANES, + 2 SUM_LANES, ... in ascending order, starting from +0:
 *
 *     dot product:  s_l = fma(x_i, y_i, s_l)             sum:  s_l = s_l + t_i
 *
 * and the lanes are added in a binary tree:
 *
 *     for (h = SUM_LANES / 2; h >= 1; h /= 2)  for l < h:  s_l = s_l + s_{l+h};     tile = s_0
 *
 * The sums of the tiles are then the terms of the same procedure, as a sum, and so on until one
 * number is left: levels of SUM_TILE, SUM_TILE^2, ... terms. Terms past the end are absent: a lane
 * without any is +0. A sum that is zero is +0: products that underflow to -0 can leave a single
 * tile at -0, and 0 is added in the end. Nothing here depends on threads, blocks, memory or
 * devices.
 *
 * Why these numbers. 480 = 2^5 3 5 is a multiple of 2, 3, 4, 5 and 6, so a tile holds whole block
 * rows of a finite-element matrix with that many unknowns a node, and a product by block rows can
 * fuse the dot. 32 lanes are a warp (one warp, one tile: 15 coalesced steps and 5 shuffles) and
 * four 512-bit vectors, enough independent additions to hide their latency on a CPU.
 *
 * Error bound: |computed - x.y| <= gamma_m |x|.|y| with m = (15 + 5) levels and gamma_m = m u /
 * (1 - m u) (Higham 2002, section 3.1): about 20 roundings a level instead of n. */
#ifndef CGSOLVE_SUM_ORDER_H
#define CGSOLVE_SUM_ORDER_H

#include "cgsolve/host_device.h"

#include <stdint.h>

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) ||     \
    defined(__NO_SIGNED_ZEROS__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "the compiler may change sums (-ffast-math, -Ofast or the like): their bits would be others"
#endif

enum {
    SUM_TILE = 480,
    SUM_LANES = 32,
};

/* Tiles that n terms make. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t sum_tiles(int64_t n)
{
    return (n + SUM_TILE - 1) / SUM_TILE;
}

#endif

/* The order of cgsolve's reproducible sums, and functions that add in this order, for programs that
 * want the same bits in their own sums. This is the only definition of the order. It needs no other
 * header.
 *
 * Let t_0 ... t_{n-1} be the terms. They are cut into tiles of TILE = CGS_SUM_TILE; tile T holds
 * t_i with T TILE <= i < (T + 1) TILE. Inside a tile, lane l of LANES = CGS_SUM_LANES takes the
 * terms i = T TILE + l, + LANES, + 2 LANES, ... in ascending order, starting from +0:
 *
 *     dot product:  s_l = fma(x_i, y_i, s_l)             sum:  s_l = s_l + t_i
 *
 * and the lanes are added in a binary tree:
 *
 *     for (h = LANES / 2; h >= 1; h /= 2)  for l < h:  s_l = s_l + s_{l+h};     tile = s_0
 *
 * The sums of the tiles are then the terms of the same procedure, as a sum, and so on until one
 * number is left: levels of TILE, TILE^2, ... terms. Terms past the end are absent: a lane without
 * any is +0. A sum that is zero is +0: products that underflow to -0 can leave a single tile at -0,
 * and 0 is added in the end. Nothing here depends on threads, blocks, memory or devices.
 *
 * Why these numbers. 480 = 2^5 3 5 is a multiple of 2, 3, 4, 5 and 6, so a tile holds whole block
 * rows of a finite-element matrix with that many unknowns a node, and a product by block rows can
 * fuse the dot. 32 lanes are a warp (one warp, one tile: 15 coalesced steps and 5 shuffles) and
 * four 512-bit vectors, enough independent additions to hide their latency on a CPU.
 *
 * Error bound: |computed - x.y| <= gamma_m |x|.|y| with m = (15 + 5) levels and gamma_m = m u /
 * (1 - m u) (Higham 2002, section 3.1): about 20 roundings a level instead of n.
 *
 * Your own code for this order gives the same bits if the compiler changes no sum (no -ffast-math)
 * and fuses only explicit fma (-ffp-contract=off).
 *
 * A product y = A x has another order: docs/reproducibility.md has it for every kernel. In the
 * kernels *_sym_bitwise and cpu_csr it is one chain for each row of the full matrix, in ascending
 * columns:
 *
 *     s = +0;  for k ascending:  s = fma(a_jk, x_k, s);  y_j = s */
#ifndef CGSOLVE_ORDER_H
#define CGSOLVE_ORDER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef CGS_API /* as in cgsolve/cgsolve.h */
#if defined __GNUC__
#define CGS_API __attribute__((visibility("default")))
#else
#define CGS_API
#endif
#endif

enum {
    CGS_SUM_TILE = 480,
    CGS_SUM_LANES = 32,
};

/* x[n] and y[n] are on the host, and may be the same array. The calling thread does the work, and
 * allocates nothing. n <= 0 gives 0. The thread's rounding mode and flush to zero have no
 * effect. */

/* x . y, with the bits of the option reductions = "reproducible". */
CGS_API double cgs_dot(int64_t n, const double *x, const double *y);

/* sqrt(cgs_dot(n, x, x)), as a solve computes ||r|| of its history; row 0 is ||b|| if x_0 = 0. (The
 * true residual has twice the precision.) */
CGS_API double cgs_norm(int64_t n, const double *x);

/* x_0 + ... + x_{n-1}. */
CGS_API double cgs_sum(int64_t n, const double *x);

/* x . y with the bits of reductions = "compensated": in the same order, every fma becomes a step of
 * Dot2 (Ogita, Rump, Oishi 2005, algorithm 5.3), and every addition becomes Knuth's TwoSum. Both
 * keep the rounding errors, which are added in the end. */
CGS_API double cgs_dot_compensated(int64_t n, const double *x, const double *y);

#ifdef __cplusplus
}
#endif
#endif

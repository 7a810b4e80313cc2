/* The order in which cgsolve adds, for a program that wants equal bits in its own sums: the one
 * place where the order of a reproducible sum is written, and functions that follow it. It needs
 * no other header.
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
 * A program that adds in this order itself has these bits if its compiler changes no sum (no
 * -ffast-math) and fuses no operation but those that are written fma (-ffp-contract=off).
 *
 * The order of a product y = A x is another: docs/reproducibility.md has it for every kernel, and
 * that of the kernels *_sym_bitwise and cpu_csr is one chain a row of the full matrix, in ascending
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

/* Of x[n] and y[n] on the host, by the calling thread, which allocates nothing. n <= 0: 0. x and y
 * may be one. The thread's rounding mode, and whether it makes subnormal numbers 0, do not
 * count. */

/* x . y, with the bits of the option reductions = "reproducible". */
CGS_API double cgs_dot(int64_t n, const double *x, const double *y);

/* sqrt(cgs_dot(n, x, x)): so a solve takes ||r|| of its history, of which row 0 is ||b|| where it
 * begins with 0. (The true residual is computed in twice the precision.) */
CGS_API double cgs_norm(int64_t n, const double *x);

/* x_0 + ... + x_{n-1}. */
CGS_API double cgs_sum(int64_t n, const double *x);

/* x . y with the bits of reductions = "compensated": the same order, in which every fma is a step
 * of Dot2 (Ogita, Rump, Oishi 2005, algorithm 5.3), and every addition Knuth's TwoSum, which keep
 * the rounding errors; they are added in the end. */
CGS_API double cgs_dot_compensated(int64_t n, const double *x, const double *y);

#ifdef __cplusplus
}
#endif
#endif

/* Sampled products of two dense matrices (SDDMM): for every stored entry (i, j) of a pattern
 *
 *     v_ij = x_i . y_j,   x_i, y_j: rows of K numbers
 *
 * The order of the sum, the same on a CPU and a GPU, for any number of threads: column c belongs to
 * lane c mod 8, which takes its columns in ascending order from +0 on, and the lanes are added in a
 * binary tree:
 *
 *     s_l = fma(x_ic, y_jc, s_l),   c = l, l + 8, l + 16, ...
 *     for h = 4, 2, 1:  for l < h:  s_l = s_l + s_{l+h};     v_ij = s_0 + 0
 *
 * A lane without columns is +0. The last addition turns -0 into +0, so padding columns of +0 change
 * no bit. If X = Y, v_ij and v_ji are equal: the upper triangle suffices.
 *
 * Eight lanes are one vector of 512 bits, or two of 256, and on a GPU four threads that load 16
 * bytes each, two lanes: 64 neighbouring bytes of a row of Y, two sectors.
 *
 * Error: |computed - x_i . y_j| <= gamma_m |x_i| . |y_j| with m = ceil(K / 8) + 3, and v_ij may be
 * off by K 2^-1074 more where products underflow. */
#ifndef MATRIX_SDDMM_H
#define MATRIX_SDDMM_H

#include "matrix/csr.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SDDMM_LANES = 8 };

/* X of n rows and Y of `width`, by rows, in groups of columns one after the other: column c = g
 * `group` + d, d < group, of row i is x[g group n + i stride + d]. The stride is `group`, and
 * `last` in a last group that is not full. The group is a multiple of 8, or all K. */
struct sddmm_operands {
    const double *x, *y;
    int64_t n, width, columns, group, last;
};

/* values[k] = x_i . y_j for the entries begin <= k < end of the pattern, whose values are not
 * looked at. */
void sddmm_entries(const struct csr *pattern, const struct sddmm_operands *of, int64_t begin,
                   int64_t end, double *values);

#ifdef __cplusplus
}
#endif
#endif

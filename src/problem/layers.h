/* A source and layers of nodes behind it: node 0 is joined to each node of the first layer by a
 * conductance of 2, and node j of a layer to the nodes j, j + 1, ..., j + d - 1 (mod `width`) of
 * the next one by 1. Node j of layer l = 1, 2, ..., `layers` is row 1 + (l - 1) width + j, and
 *
 *     A[0][0] = 4 width,   A[0][j] = -2,   A[v][v] = 2 d + 1 in the first layer,
 *         5 d / 2 in the others,
 *     A[v][w] = -1 for v and w joined
 *
 * with d = `joined` even: whole numbers, strictly diagonally dominant from d = 2 on.
 *
 * What it is for: with b = e_0 (rhs = "unit") residual k of conjugate gradients is (2 width)^-1
 * 2^-(k-1) on layer k and 0 elsewhere, the coefficients are alpha_0 = 1 / (4 width), then
 * alpha = 1 / (2 d), beta_0 = 1 / (4 width), then beta = 1/4, and q is 0 but on two layers. Where
 * `width` and d are powers of two, all of these, and every partial sum in any order, are exact in
 * double precision: nothing is rounded but x. */
#ifndef PROBLEM_LAYERS_H
#define PROBLEM_LAYERS_H

#include "base/status.h"
#include "matrix/csr.h"

#include <stdint.h>

struct layers {
    int64_t n[2];   /* layers, width >= 1 */
    int64_t joined; /* d: even, from 2 to width */
};

/* 1 + layers width, or -1 when it passes INT32_MAX or a number is below 1. */
int64_t layers_rows(const struct layers *layers);

/* A = the upper triangle. The caller owns A. Errors: STATUS_CONFIG (n, joined), STATUS_MEMORY. */
enum status layers_create(const struct layers *layers, struct csr *A, struct error *error);

#endif

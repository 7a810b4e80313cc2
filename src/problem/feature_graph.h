/* A graph whose nodes have features, rows of K numbers: the Laplacian of its edges, each weighted
 * by how near the features of its ends are:
 *
 *     A = D - W + shift I,   w_ij = f(d_ij),   d_ij^2 = |x_i - x_j|^2,   D_ii = the sum of w_ij
 *     f = exp(-d^2 / (2 sigma^2)), "gaussian",   or 1 / (1 + d^2 / sigma^2), "rational"
 *
 * v' A v = the sum of w_ij (v_i - v_j)^2 over the edges + shift |v|^2, and no weight is negative:
 * so A is positive definite, with `shift` for its smallest eigenvalue. That is up to rounding: a
 * shift below about 1e-16 D_ii times the edges of a node may be lost in A_ii.
 *
 * The graph is the pattern of a Matrix Market file, a symmetric matrix, whose values and diagonal
 * mean nothing more. Or it is made, a small world (Newman and Watts 1999): nodes on a ring, each
 * joined to the next `near` on both sides, and to `far` nodes anywhere. Order t of the nodes
 * (problem/random_order.h), of splitmix64(seed, 4 + 2 t), t = 0, ..., far - 1, joins node i to the
 * node at its place i. An edge that comes twice is one. Features are the rows of a NumPy file, or
 * drawn, x_ic = random_uniform(splitmix64(seed, 2), K i + c), in [-1, 1).
 *
 * The bits are the same everywhere. x_i . x_j are sampled products (matrix/sddmm.h) on the upper
 * triangle, whose diagonal has the x_i . x_i; then
 *
 *     d^2 = fma(-2, x_i . x_j, x_i . x_i + x_j . x_j), and 0 where that is below 0
 *
 * so what near features have in common cancels, and d^2 is off by some
 * 1e-16 (x_i . x_i + x_j . x_j). e^x is that of base/exponential.h; D_ii adds the weights of row i
 * in ascending columns to +0, and A_ii = D_ii + shift. */
#ifndef PROBLEM_FEATURE_GRAPH_H
#define PROBLEM_FEATURE_GRAPH_H

#include "base/status.h"
#include "matrix/csr.h"

#include <stdint.h>

enum feature_weight {
    FEATURE_GAUSSIAN,
    FEATURE_RATIONAL,
};

enum { FEATURE_GRAPH_EDGES_MAX = 64, FEATURE_GRAPH_DIMENSIONS_MAX = 1 << 20 };

struct feature_graph {
    char *graph;        /* a Matrix Market file, or NULL */
    char *features;     /* an .npy file of doubles, a row a node, each within 1e100; or NULL */
    int64_t n;          /* nodes of one that is made, else 0 */
    int64_t near, far;  /* edges, 0 to FEATURE_GRAPH_EDGES_MAX */
    int64_t dimensions; /* K of features that are made */
    enum feature_weight weight;
    double sigma, shift; /* 1e-100 to 1e100; above 0, up to 1e100 */
    int64_t seed;
};

/* A = the upper triangle. The caller owns A. Errors: STATUS_CONFIG, STATUS_INPUT (a file),
 * STATUS_MEMORY. */
enum status feature_graph_create(const struct feature_graph *graph, struct csr *A,
                                 struct error *error);

#endif

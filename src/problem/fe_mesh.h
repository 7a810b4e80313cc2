/* Symmetric positive definite matrices of k x k blocks with the graph of linear finite elements: on
 * a triangulated sheet of nx x ny nodes (7-point), or on a box of nx x ny x nz nodes whose cells
 * are each cut into six tetrahedra (15-point; Kuhn 1960). A sheet is a box of one layer.
 *
 * Node (i, j, l) has the natural number  v = i + nx (j + ny l). A node a and a direction
 * d = (dx, dy, dz) of zeros and ones, not all zero, span a line, a face or a cell between the nodes
 * a and a + d. Each of them has one edge: it joins the first of its corners to the opposite one.
 * `diagonals` says which corner is the first:
 *
 *     regular   the lowest number: nodes are joined when they differ by a d or by -d
 *     random    the least splitmix64(seed, 8 v), and of equal ones the lowest number
 *
 * Every order of the nodes gives triangles and tetrahedra that fit together, the same number of
 * edges, and one diagonal of each face and cell (pulling: De Loera, Rambau and Santos 2010, section
 * 4.3.2). The random one is an unstructured mesh: inside, a node has 4 to 8 neighbours on a sheet
 * and 6 to 26 in a box. `numbering` says how the nodes are numbered in A: naturally, or node v as
 * node number[v], by random_permutation(splitmix64(seed, 8 nx ny nz), nx ny nz). Everything below
 * speaks of natural numbers, and A is then permuted: the values do not hang on the numbering.
 *
 * Unknown u, 0 <= u < k, of node v is row v k + u. The edge of a and d, which joins the nodes s and
 * t > s, adds
 *
 *     [P, -Q]' W [P, -Q],   W = I/2 + g L'L,   P = I + delta R,   Q = I + delta S
 *
 * to the blocks (s, s), (s, t), (t, t) of A:  P'WP, -P'WQ, Q'WQ. The k x k matrices R, S and L, row
 * by row and in this order, are the numbers  random_uniform(splitmix64(seed, 8 a + c), m),
 * m = 0, 1, ..., 3 k^2 - 1  (base/random.h), c = dx + 2 dy + 4 dz: each edge has its own, and
 * for k > 1 no block off the diagonal is symmetric. g = 3 / (2 k) makes I the mean of W. The
 * diagonal block of a node is  shift I + its edges.
 *
 * shift sets the conditioning. Every edge adds a semidefinite part, so no eigenvalue is below
 * shift. With delta = 2^-12 the smallest is close above it: for a vector x that is the same at each
 * node, x'Ax / x'x is on average shift + 2/3 k delta^2 edges / nodes, and there are at most 7 edges
 * a node: shift + 1.1e-6 for k = 4. shift >= 1e-10 keeps A definite in spite of the rounding of its
 * values, which changes A by less than 1e-11 in the norm (shift <= 1).
 *
 * Order of operations, which makes the bits the same on every machine: a product X'Y has the
 * entries
 *     s = 0;  for m ascending:  s = fma(X_mp, Y_mq, s)
 * and X'WY is X'(W'Y); W_pq = g (L'L)_pq, and then + 1/2 where p = q; the diagonal block begins as
 * shift I and takes its edges one after the other, in ascending order of the neighbour. Off the
 * diagonal all k^2 values of a block are stored, on it the upper half. */
#ifndef PROBLEM_FE_MESH_H
#define PROBLEM_FE_MESH_H

#include "base/status.h"
#include "matrix/csr.h"

#include <stdint.h>

enum { FE_MESH_UNKNOWNS_MAX = 8 };

enum fe_mesh_diagonals {
    FE_MESH_REGULAR,
    FE_MESH_RANDOM_DIAGONALS,
};

enum fe_mesh_numbering {
    FE_MESH_NATURAL,
    FE_MESH_RANDOM_NUMBERING,
};

struct fe_mesh {
    int64_t n[3];     /* nx, ny >= 1; nz >= 1, or 0 for a sheet */
    int64_t unknowns; /* k, 1 to FE_MESH_UNKNOWNS_MAX */
    double shift;     /* 1e-10 to 1e100 */
    int64_t seed;
    enum fe_mesh_diagonals diagonals;
    enum fe_mesh_numbering numbering;
};

/* Rows nx ny nz k, or -1 when they pass INT32_MAX, an n is below 1 or k is out of range. */
int64_t fe_mesh_rows(const struct fe_mesh *mesh);

/* A = the upper triangle. The caller owns A. Errors: STATUS_CONFIG (sizes, unknowns, shift),
 * STATUS_MEMORY. */
enum status fe_mesh_create(const struct fe_mesh *mesh, struct csr *A, struct error *error);

#ifdef __cplusplus
extern "C" {
#endif

/* Rows in the natural numbering, as csr.h says; options: a struct fe_mesh. Those in a device's
 * memory in a build with CUDA. */
extern const struct csr_maker fe_mesh_maker;
enum status fe_mesh_cuda(const void *options, void *stream, int64_t first, int64_t base,
                         const struct csr *rows, struct error *error);

#ifdef __cplusplus
}
#endif

#endif

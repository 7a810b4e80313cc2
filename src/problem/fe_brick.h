/* The pattern of finite elements with k unknowns a node, by how long its rows are and how much that
 * differs: a box of nx x ny x nz nodes, node (i, j, l) with the natural number v = i + nx (j + ny
 * l), each with a dense block of its own k unknowns and with dense blocks for the nodes that it is
 * joined to. Two nodes whose indices differ by at most `reach` along every axis may be joined, with
 * reach = 1 the 27 of a brick element mesh (9 on a sheet, nz = 1). With the chance `hubs` a node is
 * a hub, which reaches one step further. Of those pairs
 *
 *     v < w are joined where  random_share(splitmix64(s, 2 v + 1), w) < (f_v + f_w) / 2,
 *
 * f_v = low + (high - low) random_share(s, 2 z)^2, density = [low, high], is drawn for each patch z
 * of 4 x 4 x 4 nodes: elements are small here and large there, and rows long here and short there.
 * The first fixed * nx ny nz nodes have prescribed values: their rows hold the diagonal alone, and
 * nothing is joined to them. s = splitmix64(seed, 2), and whether v is a hub is
 * random_share(splitmix64(seed, 4), v) < hubs.
 *
 * Unknown u of a node is row k v + u, where the numbering is natural; where it is random, the nx
 * nodes of a line along x stay together, and line t = j + ny l is the one number
 * random_order(splitmix64(seed, 6), ny nz) of t.
 *
 * fe_mesh has elements that fit together and values with a structure; this has neither: it is what
 * a product sees of a matrix of finite elements. */
#ifndef PROBLEM_FE_BRICK_H
#define PROBLEM_FE_BRICK_H

#include "problem/pattern.h"

enum { FE_BRICK_UNKNOWNS_MAX = 16, FE_BRICK_REACH_MAX = 2 };

enum fe_brick_numbering {
    FE_BRICK_NATURAL,
    FE_BRICK_RANDOM_LINES,
};

struct fe_brick {
    int64_t n[3];      /* nx, ny, nz >= 1 */
    int64_t unknowns;  /* k, 1 to FE_BRICK_UNKNOWNS_MAX */
    int64_t reach;     /* 1 to FE_BRICK_REACH_MAX */
    double density[2]; /* low <= high, 0 to 1 */
    double hubs;       /* 0 to 1 */
    double fixed;      /* 0 to 1 */
    enum fe_brick_numbering numbering;
};

/* Rows nx ny nz k, or -1 when they pass INT32_MAX, an n is below 1 or k is out of range. */
int64_t fe_brick_rows(const struct fe_brick *mesh);

/* Why there is no such matrix, or NULL; static. A general one does not exist. */
const char *fe_brick_complaint(const struct fe_brick *mesh, const struct pattern_options *options);

/* A = the upper triangle. The caller owns A. Errors: STATUS_CONFIG, STATUS_MEMORY. */
enum status fe_brick_create(const struct fe_brick *mesh, const struct pattern_options *options,
                            struct csr *A, struct error *error);

#endif

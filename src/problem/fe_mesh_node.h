/* One node of a mesh (fe_mesh.c) in its natural numbering: its edges, and the rows of its unknowns.
 * For host and device, with the same bits.
 *
 * The number k of unknowns is a parameter by itself, so that a device has functions in which it is
 * a constant, and blocks in registers. */
#ifndef PROBLEM_FE_MESH_NODE_H
#define PROBLEM_FE_MESH_NODE_H

#include "base/host_device.h"
#include "base/multiversion.h"
#include "base/random.h"
#include "problem/generators.h"

#include <math.h>
#include <stdbool.h>

enum {
    FE_MESH_MOST = FE_MESH_UNKNOWNS_MAX,
    FE_MESH_DIRECTIONS = 8, /* from 1: direction 0 is the node itself */
};

/* The length of loops over the columns of a block: on the host the padded length, so that the loops
 * vectorise. */
#ifdef __CUDA_ARCH__
#define FE_MESH_COLUMNS(k) (k)
#else
#define FE_MESH_COLUMNS(k) FE_MESH_MOST
#endif

#ifdef __CUDACC__
#define FE_MESH_HOT CGSOLVE_HOST_AND_DEVICE static inline
#else
#define FE_MESH_HOT MULTIVERSION static
#endif

/* The same mesh, a sheet as a box of one layer. */
CGSOLVE_HOST_AND_DEVICE static inline struct fe_mesh fe_mesh_box(const struct fe_mesh *mesh)
{
    struct fe_mesh box = *mesh;
    if (box.n[2] == 0)
        box.n[2] = 1;
    return box;
}

/* --- edges ------------------------------------------------------------------------------------ */

struct fe_mesh_node {
    int64_t number;
    int64_t index[3];
};

CGSOLVE_HOST_AND_DEVICE static inline struct fe_mesh_node fe_mesh_node(const struct fe_mesh *box,
                                                                       int64_t number)
{
    const int64_t *n = box->n;
    struct fe_mesh_node node = {number,
                                {number % n[0], number / n[0] % n[1], number / n[0] / n[1]}};
    return node;
}

/* One of the bits dx, dy, dz of a direction. */
CGSOLVE_HOST_AND_DEVICE static inline int fe_mesh_component(int direction, int axis)
{
    return direction >> axis & 1;
}

/* The difference of the node numbers at the ends of a direction. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t fe_mesh_stride(const struct fe_mesh *box,
                                                             int direction)
{
    const int64_t *n = box->n;
    return fe_mesh_component(direction, 0) +
           n[0] * (fe_mesh_component(direction, 1) + n[1] * fe_mesh_component(direction, 2));
}

/* The first of the corners of the cell, face or line that a direction spans from its lowest corner,
 * in the order of which the diagonals are drawn. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t fe_mesh_first_corner(const struct fe_mesh *box,
                                                                   int64_t lowest, int direction)
{
    if (box->diagonals == FE_MESH_REGULAR)
        return lowest;
    int64_t first = lowest;
    uint64_t least = UINT64_MAX;
    for (int subset = 0; subset < FE_MESH_DIRECTIONS; subset++) {
        if (subset & ~direction)
            continue;
        int64_t corner = lowest + fe_mesh_stride(box, subset);
        uint64_t rank = splitmix64((uint64_t)box->seed, (uint64_t)(FE_MESH_DIRECTIONS * corner));
        if (rank < least) { /* corners ascend: of equal ranks the lower number is first */
            least = rank;
            first = corner;
        }
    }
    return first;
}

/* The nodes around a node, itself included, are its places 0 to PLACES - 1, in ascending order of
 * their numbers: steps of -1, 0 or 1 along x, y and z. */
enum { FE_MESH_PLACES = 27, FE_MESH_OWN_PLACE = 13 };

CGSOLVE_HOST_AND_DEVICE static inline int fe_mesh_step(int place, int axis)
{
    int third = axis == 0 ? place : axis == 1 ? place / 3 : place / 9;
    return third % 3 - 1;
}

struct fe_mesh_edge {
    int64_t other;   /* the node at its other end */
    uint64_t stream; /* of its random numbers */
};

/* Whether an edge joins the node to the one at the place. */
CGSOLVE_HOST_AND_DEVICE static inline bool fe_mesh_find_edge(const struct fe_mesh *box,
                                                             const struct fe_mesh_node *node,
                                                             int place, struct fe_mesh_edge *edge)
{
    int direction = 0, back = 0;
    for (int axis = 0; axis < 3; axis++) {
        int step = fe_mesh_step(place, axis);
        int64_t index = node->index[axis] + step;
        if (index < 0 || index >= box->n[axis])
            return false;
        direction |= (step != 0) << axis;
        back |= (step < 0) << axis;
    }
    int64_t lowest = node->number - fe_mesh_stride(box, back);
    edge->other = lowest + fe_mesh_stride(box, direction & ~back);
    edge->stream =
        splitmix64((uint64_t)box->seed, (uint64_t)(FE_MESH_DIRECTIONS * lowest + direction));
    int64_t first = fe_mesh_first_corner(box, lowest, direction);
    return first == node->number || first == edge->other;
}

/* Edges to nodes of greater numbers. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t fe_mesh_later(const struct fe_mesh *box,
                                                            const struct fe_mesh_node *node)
{
    int64_t later = 0;
    struct fe_mesh_edge edge;
    for (int place = FE_MESH_OWN_PLACE + 1; place < FE_MESH_PLACES; place++)
        later += fe_mesh_find_edge(box, node, place, &edge);
    return later;
}

/* The length of row u of a node with `later` such blocks, and a part of the diagonal block. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t fe_mesh_row_length(int64_t k, int64_t u,
                                                                 int64_t later)
{
    return k - u + k * later;
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* A k x k matrix; the columns from k on are zero. */
struct fe_mesh_block {
    double at[FE_MESH_MOST][FE_MESH_MOST];
};

/* C = A'B, with the chains that fe_mesh.c states. */
FE_MESH_HOT void fe_mesh_multiply(int k, const struct fe_mesh_block *A,
                                  const struct fe_mesh_block *B, struct fe_mesh_block *C)
{
    for (int p = 0; p < k; p++) {
        double sums[FE_MESH_MOST] = {0};
        for (int m = 0; m < k; m++)
            for (int q = 0; q < FE_MESH_COLUMNS(k); q++)
                sums[q] = fma(A->at[m][p], B->at[m][q], sums[q]);
        for (int q = 0; q < FE_MESH_COLUMNS(k); q++)
            C->at[p][q] = sums[q];
    }
}

/* X = scale times the random matrix of the stream that is number `which`, + diagonal I. */
CGSOLVE_HOST_AND_DEVICE static inline void fe_mesh_draw(int k, uint64_t stream, int which,
                                                        double scale, double diagonal,
                                                        struct fe_mesh_block *X)
{
    const struct fe_mesh_block zero = {{{0}}};
    uint64_t m = (uint64_t)(which * k * k);
    *X = zero;
    for (int p = 0; p < k; p++) {
        for (int q = 0; q < k; q++)
            X->at[p][q] = scale * random_uniform(stream, m++);
        X->at[p][p] += diagonal;
    }
}

/* P or Q: number 0 or 1. */
CGSOLVE_HOST_AND_DEVICE static inline void fe_mesh_draw_end(int k, uint64_t stream, int which,
                                                            struct fe_mesh_block *X)
{
    fe_mesh_draw(k, stream, which, 0x1p-12, 1, X);
}

CGSOLVE_HOST_AND_DEVICE static inline void fe_mesh_draw_W(int k, uint64_t stream,
                                                          struct fe_mesh_block *W)
{
    const double g = 3 / (2 * (double)k);
    struct fe_mesh_block L;
    fe_mesh_draw(k, stream, 2, 1, 0, &L);
    fe_mesh_multiply(k, &L, &L, W);
    for (int p = 0; p < k; p++) {
        for (int q = 0; q < k; q++)
            W->at[p][q] *= g;
        W->at[p][p] += 0.5;
    }
}

/* sum += X'WX */
CGSOLVE_HOST_AND_DEVICE static inline void fe_mesh_add_square(int k, const struct fe_mesh_block *W,
                                                              const struct fe_mesh_block *X,
                                                              struct fe_mesh_block *sum)
{
    struct fe_mesh_block WX, square;
    fe_mesh_multiply(k, W, X, &WX);
    fe_mesh_multiply(k, X, &WX, &square);
    for (int p = 0; p < k; p++)
        for (int q = 0; q < k; q++)
            sum->at[p][q] += square.at[p][q];
}

/* sum += the share of an edge that ends at the node. */
CGSOLVE_HOST_AND_DEVICE static inline void fe_mesh_add_edge_from(int k, uint64_t stream,
                                                                 struct fe_mesh_block *sum)
{
    struct fe_mesh_block W, Q;
    fe_mesh_draw_W(k, stream, &W);
    fe_mesh_draw_end(k, stream, 1, &Q);
    fe_mesh_add_square(k, &W, &Q, sum);
}

/* sum += the share of an edge that starts at the node; PWQ = the block that joins its ends, without
 * its sign. */
CGSOLVE_HOST_AND_DEVICE static inline void
fe_mesh_add_edge_to(int k, uint64_t stream, struct fe_mesh_block *sum, struct fe_mesh_block *PWQ)
{
    struct fe_mesh_block W, P, Q, WQ;
    fe_mesh_draw_W(k, stream, &W);
    fe_mesh_draw_end(k, stream, 0, &P);
    fe_mesh_draw_end(k, stream, 1, &Q);
    fe_mesh_add_square(k, &W, &P, sum);
    fe_mesh_multiply(k, &W, &Q, &WQ);
    fe_mesh_multiply(k, &P, &WQ, PWQ);
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Rows that are made, from row `first` of the mesh on, with columns counted from `base` on (csr.h).
 * They may begin and end within a node. */
struct fe_mesh_rows {
    int64_t first, base;
    struct csr to;
};

/* If row u of the node is made, store sign times the columns from `from` on of its block, whose
 * leftmost column is `column`, from entry `entry` of the row on. */
CGSOLVE_HOST_AND_DEVICE static inline void
fe_mesh_store_row(int k, const struct fe_mesh_block *block, double sign, int64_t node, int u,
                  int from, int64_t column, int64_t entry, const struct fe_mesh_rows *rows)
{
    int64_t r = node * k + u - rows->first;
    if (r < 0 || r >= rows->to.n)
        return;
    int64_t place = rows->to.offsets[r] + entry;
    for (int q = from; q < k; q++, place++) {
        rows->to.columns[place] = (int32_t)(column + q - rows->base);
        rows->to.values[place] = sign * block->at[u][q];
    }
}

/* The k rows of the node, as far as they are made. Their offsets are set. */
CGSOLVE_HOST_AND_DEVICE static inline void fe_mesh_fill_node(const struct fe_mesh *box, int k,
                                                             const struct fe_mesh_node *node,
                                                             const struct fe_mesh_rows *rows)
{
    struct fe_mesh_block diagonal = {{{0}}}, PWQ;
    struct fe_mesh_edge edge;
    for (int p = 0; p < k; p++)
        diagonal.at[p][p] = box->shift;
    for (int place = 0; place < FE_MESH_OWN_PLACE; place++)
        if (fe_mesh_find_edge(box, node, place, &edge))
            fe_mesh_add_edge_from(k, edge.stream, &diagonal);
    int64_t blocks = 0;
    for (int place = FE_MESH_OWN_PLACE + 1; place < FE_MESH_PLACES; place++)
        if (fe_mesh_find_edge(box, node, place, &edge)) {
            fe_mesh_add_edge_to(k, edge.stream, &diagonal, &PWQ);
            for (int u = 0; u < k; u++)
                fe_mesh_store_row(k, &PWQ, -1, node->number, u, 0, edge.other * k,
                                  fe_mesh_row_length(k, u, blocks), rows);
            blocks++;
        }
    for (int u = 0; u < k; u++)
        fe_mesh_store_row(k, &diagonal, 1, node->number, u, u, node->number * k, 0, rows);
}

/* The rows in the natural numbering in a device's memory (struct csr_maker); options: a struct
 * fe_mesh. In the CUDA part (base/cuda_part.h). */
#ifdef __cplusplus
extern "C"
#endif
    enum status
    fe_mesh_cuda(const void *options, void *stream, int64_t first, int64_t base,
                 const struct csr *rows, struct error *error);

#endif

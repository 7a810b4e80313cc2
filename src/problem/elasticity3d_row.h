/* One row of the matrix of an elastic body (elasticity3d.c), for host and device. */
#ifndef PROBLEM_ELASTICITY3D_ROW_H
#define PROBLEM_ELASTICITY3D_ROW_H

#include "problem/generators.h"
#include "problem/grid.h"

/* The data of the rows. The host computes them, so that a device has the same numbers. */
struct elasticity3d_body {
    int64_t n[3];      /* elements */
    struct grid nodes; /* that are free */
    int clamped;       /* the axis whose first nodes are clamped; -1: of a free body */
    double jump;
    /* The sizes of K_pp and K_pq, where bit a of the place says whether the two nodes differ along
     * axis a: normal[p][differ], with its sign; shear[p][q][differ] without it. */
    double normal[3][8], shear[3][3][8];
};

/* The elements along each axis. */
static inline void elasticity3d_elements(const struct elasticity3d *elasticity, int64_t n[3])
{
    enum elasticity3d_shape shape = elasticity->shape;
    bool given = elasticity->n[2] != 0;
    for (int axis = 0; axis < 3; axis++)
        n[axis] = given ? elasticity->n[axis] : elasticity->n[0];
    if (!given && shape != ELASTICITY3D_CUBE)
        n[0] *= ELASTICITY3D_LONG;
    if (!given && shape == ELASTICITY3D_PLATE)
        n[1] *= ELASTICITY3D_LONG;
}

/* The longest axis, of several the first; -1: none is clamped. */
static inline int elasticity3d_clamped(const struct elasticity3d *elasticity, const int64_t n[3])
{
    const double *h = elasticity->spacing;
    int longest = 0;
    if (elasticity->support == ELASTICITY3D_FREE)
        return -1;
    for (int axis = 1; axis < 3; axis++)
        if ((double)n[axis] * h[axis] > (double)n[longest] * h[longest])
            longest = axis;
    return longest;
}

/* G_aa of two nodes (elasticity3d.c). */
static inline double elasticity3d_gradient(const double h[3], int axis, int differ)
{
    int b = (axis + 1) % 3, c = (axis + 2) % 3;
    double weight = (differ >> b & 1 ? 1 : 2) * (differ >> c & 1 ? 1 : 2) / 36.;
    double size = h[b] * h[c] / h[axis] * weight;
    return differ >> axis & 1 ? -size : size;
}

/* normal and shear. */
static inline void elasticity3d_set_stiffness(const struct elasticity3d *elasticity,
                                              struct elasticity3d_body *body)
{
    const double *h = elasticity->spacing;
    double nu = elasticity->poisson_ratio, common = (1 + nu) * (1 - 2 * nu);
    double mu = 0.5 / (1 + nu), stretch = (1 - nu) / common; /* stretch = lambda + 2 mu */
    double sum = 0.5 / common, difference = (2 * nu - 0.5) / common;
    for (int p = 0; p < 3; p++)
        for (int differ = 0; differ < 8; differ++) {
            int q = (p + 1) % 3, r = (p + 2) % 3;
            bool odd = (differ >> p & 1) != (differ >> q & 1);
            double mean = h[r] / (differ >> r & 1 ? 24 : 12);
            body->normal[p][differ] =
                stretch * elasticity3d_gradient(h, p, differ) +
                mu * (elasticity3d_gradient(h, q, differ) + elasticity3d_gradient(h, r, differ));
            body->shear[p][q][differ] = body->shear[q][p][differ] = (odd ? difference : sum) * mean;
        }
}

static inline struct elasticity3d_body elasticity3d_body(const struct elasticity3d *elasticity)
{
    struct elasticity3d_body body = {.jump = elasticity->jump};
    elasticity3d_elements(elasticity, body.n);
    body.clamped = elasticity3d_clamped(elasticity, body.n);
    for (int axis = 0; axis < 3; axis++)
        body.nodes.n[axis] = body.n[axis] + (axis != body.clamped);
    elasticity3d_set_stiffness(elasticity, &body);
    return body;
}

/* --- which entries ---------------------------------------------------------------------------- */

enum { ELASTICITY3D_PLACES = 27, ELASTICITY3D_OWN_PLACE = 13 };

/* The nodes around a node, itself included, are its places, in ascending order of their numbers:
 * steps of -1, 0 or 1 along x, y and z. False: no free node at this place. */
CGSOLVE_HOST_AND_DEVICE static inline bool
elasticity3d_find_node(const struct elasticity3d_body *body, const struct grid_point *node,
                       int place, int step[3])
{
    bool is_free = true;
    for (int axis = 0, third = place; axis < 3; axis++, third /= 3) {
        step[axis] = third % 3 - 1;
        int64_t index = node->index[axis] + step[axis];
        is_free = is_free && index >= 0 && index < body->nodes.n[axis];
    }
    return is_free;
}

/* For a line of n nodes: the sum of the numbers of neighbours within one step, itself included, of
 * the nodes 0 ... index - 1. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t elasticity3d_near_before(int64_t nodes, int64_t index)
{
    return index == 0 ? 0 : 3 * index - 1 - (index == nodes);
}

CGSOLVE_HOST_AND_DEVICE static inline int64_t elasticity3d_near(int64_t nodes, int64_t index)
{
    return 1 + (index > 0) + (index + 1 < nodes);
}

/* The number of nodes at places after the node's own. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t
elasticity3d_later(const struct elasticity3d_body *body, const struct grid_point *node)
{
    const int64_t *nodes = body->nodes.n, *i = node->index;
    int64_t x = elasticity3d_near(nodes[0], i[0]), y = elasticity3d_near(nodes[1], i[1]);
    return (i[0] + 1 < nodes[0]) + (i[1] + 1 < nodes[1] ? x : 0) +
           (i[2] + 1 < nodes[2] ? x * y : 0);
}

/* The same of all nodes before it, in closed form, so that rows can be filled in parallel. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t
elasticity3d_later_before(const struct elasticity3d_body *body, const struct grid_point *node)
{
    const int64_t *nodes = body->nodes.n, *i = node->index;
    int64_t line = i[1] + nodes[1] * i[2], planes = i[2] < nodes[2] ? i[2] : nodes[2] - 1;
    int64_t of_line = elasticity3d_near_before(nodes[0], nodes[0]),
            of_plane = elasticity3d_near_before(nodes[1], nodes[1]) * of_line;
    int64_t own = elasticity3d_near_before(nodes[0], i[0]);
    int64_t along = line * (nodes[0] - 1) + i[0];
    int64_t across = (i[2] * (nodes[1] - 1) + i[1]) * of_line + (i[1] + 1 < nodes[1] ? own : 0);
    int64_t above = planes * of_plane;
    if (i[2] + 1 < nodes[2])
        above += elasticity3d_near_before(nodes[1], i[1]) * of_line +
                 elasticity3d_near(nodes[1], i[1]) * own;
    return along + across + above;
}

/* The entries of the rows before `row`: row u of a node has 3 - u of the node itself, and 3 of each
 * later one. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t
elasticity3d_entries_before(const struct elasticity3d_body *body, int64_t row)
{
    struct grid_point node = grid_point_of(&body->nodes, row / 3);
    int64_t u = row % 3, before = 9 * elasticity3d_later_before(body, &node) + 6 * (row / 3);
    return u == 0 ? before : before + 3 * u - (u - 1) + 3 * u * elasticity3d_later(body, &node);
}

/* --- their values ----------------------------------------------------------------------------- */

/* The elements first <= e <= last along an axis that have both the free node `index` and its
 * neighbour at `step`. */
CGSOLVE_HOST_AND_DEVICE static inline void elasticity3d_shared(const struct elasticity3d_body *body,
                                                               int axis, int64_t index, int step,
                                                               int64_t *first, int64_t *last)
{
    int64_t node = index + (axis == body->clamped);
    *first = step > 0 || node == 0 ? node : node - 1;
    *last = step < 0 || node == body->n[axis] ? node - 1 : node;
}

/* K_pq of two nodes of an element; corner: of the first of them, 0 or 1 along each axis. */
CGSOLVE_HOST_AND_DEVICE static inline double
elasticity3d_stiffness(const struct elasticity3d_body *body, int p, int q, const int corner[3],
                       const int step[3])
{
    int differ = (step[0] != 0) | (step[1] != 0) << 1 | (step[2] != 0) << 2;
    if (p == q)
        return body->normal[p][differ];
    return corner[p] == corner[q] + step[q] ? body->shear[p][q][differ]
                                            : -body->shear[p][q][differ];
}

/* values[3] += E K_p. of an element. */
CGSOLVE_HOST_AND_DEVICE static inline void
elasticity3d_add_element(const struct elasticity3d_body *body, const struct grid_point *node,
                         const struct grid_point *element, int p, const int step[3],
                         double values[3])
{
    double E = body->jump != 1 && grid_in_middle(body->n, element) ? body->jump : 1;
    int corner[3];
    for (int axis = 0; axis < 3; axis++)
        corner[axis] = (int)(node->index[axis] + (axis == body->clamped) - element->index[axis]);
    for (int q = 0; q < 3; q++)
        values[q] += E * elasticity3d_stiffness(body, p, q, corner, step);
}

/* Row p of the block of a node and its neighbour at these steps: values[3]. */
CGSOLVE_HOST_AND_DEVICE static inline void
elasticity3d_block_row(const struct elasticity3d_body *body, const struct grid_point *node, int p,
                       const int step[3], double values[3])
{
    int64_t first[3], last[3];
    for (int axis = 0; axis < 3; axis++) {
        elasticity3d_shared(body, axis, node->index[axis], step[axis], &first[axis], &last[axis]);
        values[axis] = 0;
    }
    struct grid_point element;
    int64_t *e = element.index;
    for (e[2] = first[2]; e[2] <= last[2]; e[2]++)
        for (e[1] = first[1]; e[1] <= last[1]; e[1]++)
            for (e[0] = first[0]; e[0] <= last[0]; e[0]++)
                elasticity3d_add_element(body, node, &element, p, step, values);
}

CGSOLVE_HOST_AND_DEVICE static inline void elasticity3d_fill(const struct elasticity3d_body *body,
                                                             int64_t row, int64_t base,
                                                             int32_t *columns, double *values)
{
    int p = (int)(row % 3), step[3];
    struct grid_point node = grid_point_of(&body->nodes, row / 3);
    for (int place = ELASTICITY3D_OWN_PLACE; place < ELASTICITY3D_PLACES; place++) {
        double block[3];
        if (!elasticity3d_find_node(body, &node, place, step))
            continue;
        int64_t other =
            row / 3 + step[0] + body->nodes.n[0] * (step[1] + body->nodes.n[1] * step[2]);
        elasticity3d_block_row(body, &node, p, step, block);
        for (int q = place == ELASTICITY3D_OWN_PLACE ? p : 0; q < 3; q++) {
            *columns++ = (int32_t)(3 * other + q - base);
            *values++ = block[q];
        }
    }
}

/* One row for a maker (csr.h): its offset, or its entries. */
CGSOLVE_HOST_AND_DEVICE static inline void elasticity3d_row(const struct elasticity3d_body *body,
                                                            int64_t first, int64_t base,
                                                            const struct csr *rows, int64_t r)
{
    if (!rows->columns)
        rows->offsets[r] =
            elasticity3d_entries_before(body, first + r) - elasticity3d_entries_before(body, first);
    else if (r < rows->n)
        elasticity3d_fill(body, first + r, base, rows->columns + rows->offsets[r],
                          rows->values + rows->offsets[r]);
}

/* The rows in a device's memory (struct csr_maker); options: a struct elasticity3d. In the CUDA
 * part (base/cuda_part.h). */
#ifdef __cplusplus
extern "C"
#endif
    enum status
    elasticity3d_cuda(const void *options, void *stream, int64_t first, int64_t base,
                      const struct csr *rows, struct error *error);

#endif

#include "problem/fe_mesh.h"

#include "base/multiversion.h"
#include "problem/random.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { MOST = FE_MESH_UNKNOWNS_MAX, DIRECTIONS = 8 /* from 1: direction 0 is the node itself */ };

static const double DELTA = 0x1p-12;
static const double SHIFT_LEAST = 1e-10, SHIFT_LARGEST = 1e100;

/* The same mesh, a sheet as a box of one layer. */
static struct fe_mesh as_box(const struct fe_mesh *mesh)
{
    struct fe_mesh box = *mesh;
    if (box.n[2] == 0)
        box.n[2] = 1;
    return box;
}

int64_t fe_mesh_rows(const struct fe_mesh *mesh)
{
    struct fe_mesh box = as_box(mesh);
    if (box.unknowns < 1 || box.unknowns > MOST)
        return -1;
    int64_t rows = box.unknowns;
    for (int axis = 0; axis < 3; axis++) {
        if (box.n[axis] < 1 || box.n[axis] > INT32_MAX / rows)
            return -1;
        rows *= box.n[axis];
    }
    return rows;
}

static enum status check(const struct fe_mesh *mesh, struct error *error)
{
    if (mesh->unknowns < 1 || mesh->unknowns > MOST)
        return error_set(error, STATUS_CONFIG,
                         "problem.unknowns = %" PRId64 " lies outside 1 to %d", mesh->unknowns,
                         MOST);
    if (!(mesh->shift >= SHIFT_LEAST && mesh->shift <= SHIFT_LARGEST))
        return error_set(error, STATUS_CONFIG, "problem.shift = %g lies outside %g to %g",
                         mesh->shift, SHIFT_LEAST, SHIFT_LARGEST);
    if (fe_mesh_rows(mesh) > 0)
        return STATUS_OK;
    char third[32] = "";
    if (mesh->n[2] != 0)
        snprintf(third, sizeof third, ", %" PRId64, mesh->n[2]);
    return error_set(error, STATUS_CONFIG,
                     "problem.n = [%" PRId64 ", %" PRId64 "%s]: every number must be at least 1 "
                     "and their product, times %" PRId64 " unknowns, at most %" PRId32,
                     mesh->n[0], mesh->n[1], third, mesh->unknowns, INT32_MAX);
}

struct node {
    int64_t number;
    int64_t index[3];
};

static struct node node_of(const struct fe_mesh *box, int64_t number)
{
    const int64_t *n = box->n;
    return (struct node){number, {number % n[0], number / n[0] % n[1], number / n[0] / n[1]}};
}

/* One of the bits dx, dy, dz of a direction. */
static int component(int direction, int axis)
{
    return direction >> axis & 1;
}

/* How far apart in number the nodes of an edge are; it ascends with the direction, among the
 * directions that the mesh has. */
static int64_t stride(const struct fe_mesh *box, int direction)
{
    const int64_t *n = box->n;
    return component(direction, 0) +
           n[0] * (component(direction, 1) + n[1] * component(direction, 2));
}

static bool has_next(const struct fe_mesh *box, const struct node *node, int direction)
{
    for (int axis = 0; axis < 3; axis++)
        if (node->index[axis] + component(direction, axis) >= box->n[axis])
            return false;
    return true;
}

static bool has_previous(const struct node *node, int direction)
{
    for (int axis = 0; axis < 3; axis++)
        if (node->index[axis] < component(direction, axis))
            return false;
    return true;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Edges that start at the nodes before this one. In each direction the starting nodes are a box,
 * shorter by one along the axes of the direction: its whole layers, then its whole lines, then the
 * rest of a line. */
static int64_t edges_before(const struct fe_mesh *box, const struct node *node)
{
    const int64_t *index = node->index;
    int64_t edges = 0;
    for (int direction = 1; direction < DIRECTIONS; direction++) {
        int64_t n[3];
        for (int axis = 0; axis < 3; axis++)
            n[axis] = box->n[axis] - component(direction, axis);
        edges += smaller(index[2], n[2]) * n[1] * n[0];
        if (index[2] < n[2])
            edges += smaller(index[1], n[1]) * n[0];
        if (index[2] < n[2] && index[1] < n[1])
            edges += smaller(index[0], n[0]);
    }
    return edges;
}

/* Stored entries of the rows before those of this node. In closed form, so that nodes can be filled
 * in parallel. */
static int64_t entries_before(const struct fe_mesh *box, const struct node *node)
{
    int64_t k = box->unknowns;
    return node->number * (k * (k + 1) / 2) + edges_before(box, node) * k * k;
}

/* A k x k matrix; the columns from k on are zero. Loops over all MOST columns become vectors. */
struct block {
    double at[MOST][MOST];
};

/* C = A'B, with the chains that the header states. */
MULTIVERSION static void multiply_transposed(int k, const struct block *A, const struct block *B,
                                             struct block *C)
{
    for (int p = 0; p < k; p++) {
        double sums[MOST] = {0};
        for (int m = 0; m < k; m++)
            for (int q = 0; q < MOST; q++)
                sums[q] = fma(A->at[m][p], B->at[m][q], sums[q]);
        for (int q = 0; q < MOST; q++)
            C->at[p][q] = sums[q];
    }
}

/* X = scale times the random matrix of the stream that is number `which`, + diagonal I. */
static void draw(int k, uint64_t stream, int which, double scale, double diagonal, struct block *X)
{
    *X = (struct block){0};
    uint64_t m = (uint64_t)(which * k * k);
    for (int p = 0; p < k; p++) {
        for (int q = 0; q < k; q++)
            X->at[p][q] = scale * random_uniform(stream, m++);
        X->at[p][p] += diagonal;
    }
}

static uint64_t edge_stream(const struct fe_mesh *box, int64_t number, int direction)
{
    return splitmix64((uint64_t)box->seed, (uint64_t)(DIRECTIONS * number + direction));
}

static void draw_P(int k, uint64_t stream, struct block *P)
{
    draw(k, stream, 0, DELTA, 1, P);
}

static void draw_Q(int k, uint64_t stream, struct block *Q)
{
    draw(k, stream, 1, DELTA, 1, Q);
}

static void draw_W(int k, uint64_t stream, struct block *W)
{
    const double g = 3 / (2 * (double)k);
    struct block L;
    draw(k, stream, 2, 1, 0, &L);
    multiply_transposed(k, &L, &L, W);
    for (int p = 0; p < k; p++) {
        for (int q = 0; q < k; q++)
            W->at[p][q] *= g;
        W->at[p][p] += 0.5;
    }
}

/* sum += X'WX */
static void add_square(int k, const struct block *W, const struct block *X, struct block *sum)
{
    struct block WX, square;
    multiply_transposed(k, W, X, &WX);
    multiply_transposed(k, X, &WX, &square);
    for (int p = 0; p < k; p++)
        for (int q = 0; q < k; q++)
            sum->at[p][q] += square.at[p][q];
}

/* sum += the share of an edge that ends at the node. */
static void add_edge_from(int k, uint64_t stream, struct block *sum)
{
    struct block W, Q;
    draw_W(k, stream, &W);
    draw_Q(k, stream, &Q);
    add_square(k, &W, &Q, sum);
}

/* sum += the share of an edge that starts at the node; PWQ = the block that joins its ends, without
 * its sign. */
static void add_edge_to(int k, uint64_t stream, struct block *sum, struct block *PWQ)
{
    struct block W, P, Q, WQ;
    draw_W(k, stream, &W);
    draw_P(k, stream, &P);
    draw_Q(k, stream, &Q);
    add_square(k, &W, &P, sum);
    multiply_transposed(k, &W, &Q, &WQ);
    multiply_transposed(k, &P, &WQ, PWQ);
}

/* The offsets of the node's rows. They all have `later` whole blocks, and row u has k - u entries
 * of the diagonal block. */
static void fill_offsets(const struct fe_mesh *box, const struct node *node, struct csr *A)
{
    int64_t k = box->unknowns, later = 0, place = entries_before(box, node);
    for (int direction = 1; direction < DIRECTIONS; direction++)
        later += has_next(box, node, direction);
    for (int64_t u = 0; u < k; u++) {
        A->offsets[node->number * k + u] = place;
        place += k - u + k * later;
    }
}

/* Store sign times the columns from `first` on of row u of a block whose leftmost column is
 * `column`. */
static void store_row(int k, const struct block *block, double sign, int u, int first,
                      int64_t column, int64_t place, struct csr *A)
{
    for (int q = first; q < k; q++, place++) {
        A->columns[place] = (int32_t)(column + q);
        A->values[place] = sign * block->at[u][q];
    }
}

static void fill_node(const struct fe_mesh *box, const struct node *node, struct csr *A)
{
    int k = (int)box->unknowns;
    const int64_t *offsets = A->offsets + node->number * k;
    struct block diagonal = {0}, PWQ;
    for (int p = 0; p < k; p++)
        diagonal.at[p][p] = box->shift;
    for (int direction = DIRECTIONS - 1; direction > 0; direction--)
        if (has_previous(node, direction)) {
            int64_t previous = node->number - stride(box, direction);
            add_edge_from(k, edge_stream(box, previous, direction), &diagonal);
        }
    int64_t blocks = 0;
    for (int direction = 1; direction < DIRECTIONS; direction++)
        if (has_next(box, node, direction)) {
            int64_t column = (node->number + stride(box, direction)) * k;
            add_edge_to(k, edge_stream(box, node->number, direction), &diagonal, &PWQ);
            for (int u = 0; u < k; u++)
                store_row(k, &PWQ, -1, u, 0, column, offsets[u] + k - u + k * blocks, A);
            blocks++;
        }
    for (int u = 0; u < k; u++)
        store_row(k, &diagonal, 1, u, u, node->number * k, offsets[u], A);
}

enum status fe_mesh_create(const struct fe_mesh *mesh, struct csr *A, struct error *error)
{
    enum status status = check(mesh, error);
    if (status)
        return status;
    const struct fe_mesh box = as_box(mesh);
    int64_t rows = fe_mesh_rows(mesh), nodes = rows / box.unknowns;
    struct node end = node_of(&box, nodes);
    status = csr_create(A, CSR_SYMMETRIC, rows, entries_before(&box, &end), error);
    if (status)
        return status;
    A->offsets[rows] = A->nnz;
#pragma omp parallel for schedule(static)
    for (int64_t number = 0; number < nodes; number++) {
        struct node node = node_of(&box, number);
        fill_offsets(&box, &node, A);
        fill_node(&box, &node, A);
    }
    return STATUS_OK;
}

#include "problem/fe_mesh.h"

#include "base/memory.h"
#include "base/multiversion.h"
#include "base/random.h"
#include "matrix/permute.h"
#include "problem/problem.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { MOST = FE_MESH_UNKNOWNS_MAX, DIRECTIONS = 8 /* from 1: direction 0 is the node itself */ };

static const double DELTA = 0x1p-12;

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

/* How far apart in number the ends of a direction are. */
static int64_t stride(const struct fe_mesh *box, int direction)
{
    const int64_t *n = box->n;
    return component(direction, 0) +
           n[0] * (component(direction, 1) + n[1] * component(direction, 2));
}

/* The first of the corners of the cell, face or line that a direction spans from its lowest corner,
 * in the order of which the diagonals are drawn. */
static int64_t first_corner(const struct fe_mesh *box, int64_t lowest, int direction)
{
    if (box->diagonals == FE_MESH_REGULAR)
        return lowest;
    int64_t first = lowest;
    uint64_t least = UINT64_MAX;
    for (int subset = 0; subset < DIRECTIONS; subset++) {
        if (subset & ~direction)
            continue;
        int64_t corner = lowest + stride(box, subset);
        uint64_t rank = splitmix64((uint64_t)box->seed, (uint64_t)(DIRECTIONS * corner));
        if (rank < least) { /* corners ascend: of equal ranks the lower number is first */
            least = rank;
            first = corner;
        }
    }
    return first;
}

/* The nodes around a node, itself included, are its places 0 to PLACES - 1, in ascending order of
 * their numbers: steps of -1, 0 or 1 along x, y and z. */
enum { PLACES = 27, OWN_PLACE = 13 };

static int step(int place, int axis)
{
    static const int thirds[] = {1, 3, 9};
    return place / thirds[axis] % 3 - 1;
}

struct edge {
    int64_t other;   /* the node at its other end */
    uint64_t stream; /* of its random numbers */
};

/* Whether an edge joins the node to the one at the place. */
static bool find_edge(const struct fe_mesh *box, const struct node *node, int place,
                      struct edge *edge)
{
    int direction = 0, back = 0;
    for (int axis = 0; axis < 3; axis++) {
        int64_t index = node->index[axis] + step(place, axis);
        if (index < 0 || index >= box->n[axis])
            return false;
        direction |= (step(place, axis) != 0) << axis;
        back |= (step(place, axis) < 0) << axis;
    }
    int64_t lowest = node->number - stride(box, back);
    edge->other = lowest + stride(box, direction & ~back);
    edge->stream = splitmix64((uint64_t)box->seed, (uint64_t)(DIRECTIONS * lowest + direction));
    int64_t first = first_corner(box, lowest, direction);
    return first == node->number || first == edge->other;
}

/* One for each cell, face and line of the mesh. */
static int64_t count_edges(const struct fe_mesh *box)
{
    int64_t edges = 0;
    for (int direction = 1; direction < DIRECTIONS; direction++) {
        int64_t spanned = 1;
        for (int axis = 0; axis < 3; axis++)
            spanned *= box->n[axis] - component(direction, axis);
        edges += spanned;
    }
    return edges;
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

/* offsets[row + 1] = the length of each of the node's rows. They all have `later` whole blocks, and
 * row u has k - u entries of the diagonal block. */
static void set_lengths(const struct fe_mesh *box, const struct node *node, int64_t *offsets)
{
    int64_t k = box->unknowns, later = 0;
    struct edge edge;
    for (int place = OWN_PLACE + 1; place < PLACES; place++)
        later += find_edge(box, node, place, &edge);
    for (int64_t u = 0; u < k; u++)
        offsets[node->number * k + u + 1] = k - u + k * later;
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
    struct edge edge;
    for (int p = 0; p < k; p++)
        diagonal.at[p][p] = box->shift;
    for (int place = 0; place < OWN_PLACE; place++)
        if (find_edge(box, node, place, &edge))
            add_edge_from(k, edge.stream, &diagonal);
    int64_t blocks = 0;
    for (int place = OWN_PLACE + 1; place < PLACES; place++)
        if (find_edge(box, node, place, &edge)) {
            add_edge_to(k, edge.stream, &diagonal, &PWQ);
            for (int u = 0; u < k; u++)
                store_row(k, &PWQ, -1, u, 0, edge.other * k, offsets[u] + k - u + k * blocks, A);
            blocks++;
        }
    for (int u = 0; u < k; u++)
        store_row(k, &diagonal, 1, u, u, node->number * k, offsets[u], A);
}

/* In the natural numbering. */
static enum status create_natural(const struct fe_mesh *box, struct csr *A, struct error *error)
{
    int64_t k = box->unknowns, rows = fe_mesh_rows(box), nodes = rows / k;
    int64_t entries = nodes * (k * (k + 1) / 2) + count_edges(box) * k * k;
    enum status status = csr_create(A, CSR_SYMMETRIC, rows, entries, error);
    if (status)
        return status;
    A->offsets[0] = 0;
#pragma omp parallel for schedule(static)
    for (int64_t number = 0; number < nodes; number++) {
        struct node node = node_of(box, number);
        set_lengths(box, &node, A->offsets);
    }
    for (int64_t row = 0; row < rows; row++)
        A->offsets[row + 1] += A->offsets[row];
#pragma omp parallel for schedule(static)
    for (int64_t number = 0; number < nodes; number++) {
        struct node node = node_of(box, number);
        fill_node(box, &node, A);
    }
    return STATUS_OK;
}

/* The nodes are shuffled, the unknowns of a node stay together. */
static enum status shuffle(const struct fe_mesh *box, struct csr *A, struct error *error)
{
    int64_t k = box->unknowns, nodes = A->n / k;
    int32_t *number = memory_array(A->n, sizeof *number, "the numbering", error);
    if (!number)
        return STATUS_MEMORY;
    random_permutation(splitmix64((uint64_t)box->seed, (uint64_t)(DIRECTIONS * nodes)), nodes,
                       number);
    for (int64_t row = A->n - 1; row >= 0; row--)
        number[row] = (int32_t)(number[row / k] * k + row % k);
    struct csr shuffled;
    enum status status = csr_permute(A, number, &shuffled, error);
    memory_free(number);
    if (status)
        return status;
    csr_free(A);
    *A = shuffled;
    return STATUS_OK;
}

enum status fe_mesh_create(const struct fe_mesh *mesh, struct csr *A, struct error *error)
{
    const struct fe_mesh box = as_box(mesh);
    enum status status =
        problem_check(mesh->n[2] ? &problem_fe_cube : &problem_fe_sheet, mesh, error);
    if (!status)
        status = create_natural(&box, A, error);
    if (status || box.numbering == FE_MESH_NATURAL)
        return status;
    status = shuffle(&box, A, error);
    if (status)
        csr_free(A);
    return status;
}

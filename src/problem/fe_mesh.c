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
 * speaks of natural numbers, and A is then permuted: the values do not depend on the numbering.
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
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "matrix/implicit_rows.h"
#include "matrix/permute.h"
#include "problem/fe_mesh_node.h"

#include <inttypes.h>

static int64_t rows(const void *options)
{
    struct fe_mesh box = fe_mesh_box(options);
    int64_t count = box.unknowns;
    for (int axis = 0; axis < 3; axis++) {
        if (box.n[axis] < 1 || box.n[axis] > INT32_MAX / count)
            return -1;
        count *= box.n[axis];
    }
    return count;
}

/* One for each cell, face and line of the mesh. */
static int64_t count_edges(const struct fe_mesh *box)
{
    int64_t edges = 0;
    for (int direction = 1; direction < FE_MESH_DIRECTIONS; direction++) {
        int64_t spanned = 1;
        for (int axis = 0; axis < 3; axis++)
            spanned *= box->n[axis] - fe_mesh_component(direction, axis);
        edges += spanned;
    }
    return edges;
}

static int64_t entries(const void *options)
{
    const struct fe_mesh box = fe_mesh_box(options);
    int64_t k = box.unknowns, nodes = rows(&box) / k;
    return nodes * (k * (k + 1) / 2) + count_edges(&box) * k * k;
}

/* From the first unknown of a node to the last one of the farthest node that an edge may reach. */
static int64_t reach(const void *options)
{
    const struct fe_mesh box = fe_mesh_box(options);
    int farthest = 0;
    for (int axis = 0; axis < 3; axis++)
        farthest |= (box.n[axis] > 1) << axis;
    return (fe_mesh_stride(&box, farthest) + 1) * box.unknowns - 1;
}

static void make_offsets(const struct fe_mesh *box, int64_t first, const struct csr *rows)
{
    int64_t k = box->unknowns, later = 0;
    rows->offsets[0] = 0;
    for (int64_t r = 0; r < rows->n; r++) {
        int64_t row = first + r;
        if (r == 0 || row % k == 0) {
            struct fe_mesh_node node = fe_mesh_node(box, row / k);
            later = fe_mesh_later(box, &node);
        }
        rows->offsets[r + 1] = rows->offsets[r] + fe_mesh_row_length(k, row % k, later);
    }
}

static void make_rows(const void *options, int64_t first, int64_t base, const struct csr *rows)
{
    const struct fe_mesh box = fe_mesh_box(options);
    const struct fe_mesh_rows made = {first, base, *rows};
    int64_t k = box.unknowns;
    if (!rows->columns) {
        make_offsets(&box, first, rows);
        return;
    }
    for (int64_t number = first / k; number * k < first + rows->n; number++) {
        struct fe_mesh_node node = fe_mesh_node(&box, number);
        fe_mesh_fill_node(&box, (int)k, &node, &made);
    }
}

static const struct csr_maker maker = {
    .entries = entries, .reach = reach, .rows = make_rows, .rows_on_device = "fe_mesh_cuda"};

/* The nodes are shuffled, the unknowns of a node stay together. */
static enum status shuffle(const struct fe_mesh *mesh, struct csr *A, struct error *error)
{
    int64_t k = mesh->unknowns, nodes = A->n / k;
    int32_t *number = memory_array(A->n, sizeof *number, "the numbering", error);
    if (!number)
        return STATUS_MEMORY;
    random_permutation(splitmix64((uint64_t)mesh->seed, (uint64_t)(FE_MESH_DIRECTIONS * nodes)),
                       nodes, number);
    for (int64_t row = A->n - 1; row >= 0; row--)
        number[row] = (int32_t)(number[row / k] * k + row % k);
    struct csr shuffled;
    enum status status = csr_permute(A, number, &shuffled, error);
    memory_free(number);
    csr_free(A);
    *A = shuffled;
    return status;
}

/* A random numbering needs the whole mesh. */
static bool suits_maker(const void *options)
{
    return ((const struct fe_mesh *)options)->numbering == FE_MESH_NATURAL;
}

static enum status make(const void *options, struct csr *A, struct error *error)
{
    const struct fe_mesh *mesh = options;
    *A = csr_made(CSR_SYMMETRIC, rows(mesh), &maker, mesh);
    enum status status = csr_store(A, error);
    if (status)
        return status;
    A->maker = NULL;
    status = shuffle(mesh, A, error);
    if (status)
        csr_free(A);
    return status;
}

/* ---- the components -------------------------------------------------------------------------- */

static const char *const diagonals[] = {
    [FE_MESH_REGULAR] = "regular", [FE_MESH_RANDOM_DIAGONALS] = "random", NULL};
static const char *const numberings[] = {
    [FE_MESH_NATURAL] = "natural", [FE_MESH_RANDOM_NUMBERING] = "random", NULL};

static const char *complain(const void *options, const char **parameter)
{
    *parameter = "n";
    return rows(options) < 0
               ? "the product of the sizes and of problem.unknowns passes 2147483647 rows"
               : NULL;
}

static void describe(const void *options, FILE *stream)
{
    const struct fe_mesh *mesh = options;
    fprintf(stream, "%s, %" PRId64 " x %" PRId64, mesh->n[2] ? "fe_cube" : "fe_sheet", mesh->n[0],
            mesh->n[1]);
    if (mesh->n[2] != 0)
        fprintf(stream, " x %" PRId64, mesh->n[2]);
    fprintf(stream, " nodes, %" PRId64 " unknown%s a node, shift %g, seed %" PRId64, mesh->unknowns,
            text_plural(mesh->unknowns), mesh->shift, mesh->seed);
    if (mesh->diagonals == FE_MESH_RANDOM_DIAGONALS)
        fprintf(stream, ", random diagonals");
    if (mesh->numbering == FE_MESH_RANDOM_NUMBERING)
        fprintf(stream, ", random numbering");
}

static const struct parameter shared[] = {
    {"shift", "what is added to the diagonal: about the smallest eigenvalue", "1e-3",
     TAKES_REAL(struct fe_mesh, shift, 1e-10, 1e100)},
    {"seed", "seed of the values, and of all else that is random", "1",
     TAKES_INTEGER(struct fe_mesh, seed, 0, INT64_MAX)},
    {"diagonals",
     "how faces and cells are cut: all in the same way; at random, which gives a mesh whose nodes "
     "have from 4 to 8 neighbours (fe_sheet) or 6 to 26 (fe_cube)",
     "regular", TAKES_CHOICE(struct fe_mesh, diagonals, diagonals)},
    {"numbering", "the numbering of the nodes: line by line; at random", "natural",
     TAKES_CHOICE(struct fe_mesh, numbering, numberings)},
    {0}};

static const struct parameter of_sheet[] = {
    {"n", "nodes along x and y", NULL, TAKES_INTEGER(struct fe_mesh, n, 1, INT32_MAX), .count = 2,
     .one_for_all = true},
    {"unknowns", "unknowns of each node: the size of the blocks", "5",
     TAKES_INTEGER(struct fe_mesh, unknowns, 1, FE_MESH_UNKNOWNS_MAX)},
    PARAMETERS_OF(struct fe_mesh, n, shared),
    {0}};

static const struct parameter of_cube[] = {
    {"n", "nodes along x, y and z", NULL, TAKES_INTEGER(struct fe_mesh, n, 1, INT32_MAX),
     .count = 3, .one_for_all = true},
    {"unknowns", "unknowns of each node: the size of the blocks", "4",
     TAKES_INTEGER(struct fe_mesh, unknowns, 1, FE_MESH_UNKNOWNS_MAX)},
    PARAMETERS_OF(struct fe_mesh, n, shared),
    {0}};

const struct problem problem_fe_sheet = {{COMPONENT_PROBLEM, "fe_sheet",
                                          "k x k blocks, finite elements on a triangulated sheet",
                                          of_sheet, sizeof(struct fe_mesh), complain},
                                         .rows = rows,
                                         .make = make,
                                         .maker = &maker,
                                         .suits_maker = suits_maker,
                                         .describe = describe};

const struct problem problem_fe_cube = {{COMPONENT_PROBLEM, "fe_cube",
                                         "k x k blocks, finite elements on a cube of tetrahedra",
                                         of_cube, sizeof(struct fe_mesh), complain},
                                        .rows = rows,
                                        .make = make,
                                        .maker = &maker,
                                        .suits_maker = suits_maker,
                                        .describe = describe};

/* A pattern like that of finite elements with k unknowns a node, with a chosen distribution of row
 * lengths: a box of nx x ny x nz nodes, node (i, j, l) with the natural number v = i + nx (j + ny
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
 * fe_mesh has conforming elements and structured values. This pattern has neither; it is a
 * finite-element matrix only in its effect on a product. */
#include "base/random.h"
#include "base/text.h"
#include "problem/generators.h"
#include "problem/grid.h"
#include "problem/pattern.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

enum { PATCH = 4 };

struct pattern_of_mesh {
    const struct fe_brick *mesh;
    uint64_t joins, hubs; /* streams */
    struct random_order lines;
};

static int64_t rows(const void *options)
{
    const struct fe_brick *mesh = options;
    int64_t nodes = grid_rows(mesh->n);
    return nodes < 0 || nodes > INT32_MAX / mesh->unknowns ? -1 : nodes * mesh->unknowns;
}

struct node {
    int64_t number; /* its natural one */
    int64_t index[3];
};

static struct node node_at(const int64_t n[3], int64_t x, int64_t y, int64_t z)
{
    return (struct node){x + n[0] * (y + n[1] * z), {x, y, z}};
}

static bool is_fixed(const struct fe_brick *mesh, const struct node *node)
{
    return (double)node->number < mesh->fixed * (double)grid_rows(mesh->n);
}

static bool is_hub(const struct pattern_of_mesh *pattern, const struct node *node)
{
    return random_share(pattern->hubs, (uint64_t)node->number) < pattern->mesh->hubs;
}

static double density(const struct pattern_of_mesh *pattern, const struct node *node)
{
    const int64_t *n = pattern->mesh->n;
    const double *density = pattern->mesh->density;
    int64_t patches[2] = {(n[0] + PATCH - 1) / PATCH, (n[1] + PATCH - 1) / PATCH};
    int64_t patch = node->index[0] / PATCH +
                    patches[0] * (node->index[1] / PATCH + patches[1] * (node->index[2] / PATCH));
    double share = random_share(pattern->joins, 2 * (uint64_t)patch);
    return density[0] + (density[1] - density[0]) * share * share;
}

/* Of two different nodes, not further apart than a hub reaches. */
static bool are_joined(const struct pattern_of_mesh *pattern, const struct node *v,
                       const struct node *w)
{
    const struct fe_brick *mesh = pattern->mesh;
    int64_t apart = 0;
    for (int axis = 0; axis < 3; axis++) {
        int64_t steps = llabs(v->index[axis] - w->index[axis]);
        apart = steps > apart ? steps : apart;
    }
    if (apart > mesh->reach && !is_hub(pattern, v) && !is_hub(pattern, w))
        return false;
    if (is_fixed(mesh, v) || is_fixed(mesh, w))
        return false;
    uint64_t low = (uint64_t)(v->number < w->number ? v->number : w->number);
    uint64_t high = (uint64_t)(v->number < w->number ? w->number : v->number);
    return random_share(splitmix64(pattern->joins, 2 * low + 1), high) <
           (density(pattern, v) + density(pattern, w)) / 2;
}

/* A line of nodes along x, and its number in A. */
struct line {
    int64_t number, y, z;
};

enum { LINES_MOST = (2 * (FE_BRICK_REACH_MAX + 1) + 1) * (2 * (FE_BRICK_REACH_MAX + 1) + 1) };

/* The lines within `reach` of a node, in ascending order of their numbers. */
static int find_lines(const struct pattern_of_mesh *pattern, const struct node *node, int64_t reach,
                      struct line *sorted)
{
    const int64_t *n = pattern->mesh->n;
    int count = 0;
    for (int64_t z = node->index[2] - reach; z <= node->index[2] + reach; z++)
        for (int64_t y = node->index[1] - reach; y <= node->index[1] + reach; y++) {
            if (y < 0 || y >= n[1] || z < 0 || z >= n[2])
                continue;
            struct line line = {y + n[1] * z, y, z};
            if (pattern->mesh->numbering == FE_BRICK_RANDOM_LINES)
                line.number = random_order_at(&pattern->lines, line.number);
            int place = count++;
            for (; place > 0 && sorted[place - 1].number > line.number; place--)
                sorted[place] = sorted[place - 1];
            sorted[place] = line;
        }
    return count;
}

/* The columns, beyond the row, of the block of the node with that number in A. */
static int64_t add_block(int64_t k, int64_t number, int64_t row, int64_t length, int32_t *columns)
{
    for (int64_t column = k * number; column < k * (number + 1); column++)
        if (column > row) {
            if (columns)
                columns[length] = (int32_t)column;
            length++;
        }
    return length;
}

static int64_t fill_row(const void *generator, int64_t row, int32_t *columns)
{
    const struct pattern_of_mesh *pattern = generator;
    const struct fe_brick *mesh = pattern->mesh;
    const int64_t *n = mesh->n;
    int64_t k = mesh->unknowns, number = row / k, line = number / n[0];
    if (mesh->numbering == FE_BRICK_RANDOM_LINES)
        line = random_order_of(&pattern->lines, line);
    struct node node = node_at(n, number % n[0], line % n[1], line / n[1]);
    if (is_fixed(mesh, &node))
        return 0;
    int64_t reach = mesh->reach + (mesh->hubs > 0), length = 0;
    struct line lines[LINES_MOST];
    int count = find_lines(pattern, &node, reach, lines);
    for (int l = 0; l < count; l++)
        for (int64_t x = node.index[0] - reach; x <= node.index[0] + reach; x++) {
            int64_t other_number = x + n[0] * lines[l].number;
            if (x < 0 || x >= n[0] || other_number < number)
                continue;
            struct node other = node_at(n, x, lines[l].y, lines[l].z);
            if (other_number == number || are_joined(pattern, &node, &other))
                length = add_block(k, other_number, row, length, columns);
        }
    return length;
}

static enum status make(const void *options, struct csr *A, struct error *error)
{
    const struct fe_brick *mesh = options;
    uint64_t seed = (uint64_t)mesh->pattern.seed;
    const struct pattern_of_mesh pattern = {
        mesh, splitmix64(seed, 2), splitmix64(seed, 4),
        random_order_make(splitmix64(seed, 6), mesh->n[1] * mesh->n[2])};
    return pattern_create(&mesh->pattern, rows(mesh), fill_row, &pattern, A, error);
}

/* ---- the component --------------------------------------------------------------------------- */

static const char *const numberings[] = {
    [FE_BRICK_NATURAL] = "natural", [FE_BRICK_RANDOM_LINES] = "random", NULL};

static const char *complain(const void *options, const char **parameter)
{
    const struct fe_brick *mesh = options;
    *parameter = "n";
    if (mesh->pattern.kind != PATTERN_SYMMETRIC || mesh->pattern.rows != PATTERN_DRAWN)
        return "this one exists only with problem.kind = \"symmetric\"";
    if (rows(mesh) < 0)
        return "the product of the sizes and of problem.unknowns passes 2147483647 rows";
    return mesh->density[0] > mesh->density[1]
               ? "problem.density wants two numbers from 0 to 1, the smaller one first"
               : NULL;
}

static void describe(const void *options, FILE *stream)
{
    const struct fe_brick *mesh = options;
    fprintf(stream,
            "fe_brick, %" PRId64 " x %" PRId64 " x %" PRId64 " nodes, %" PRId64
            " unknown%s a node, reach %" PRId64 ", density %.6g to %.6g",
            mesh->n[0], mesh->n[1], mesh->n[2], mesh->unknowns, text_plural(mesh->unknowns),
            mesh->reach, mesh->density[0], mesh->density[1]);
    if (mesh->hubs > 0)
        fprintf(stream, ", hubs %.6g", mesh->hubs);
    if (mesh->fixed > 0)
        fprintf(stream, ", fixed %.6g", mesh->fixed);
    if (mesh->numbering == FE_BRICK_RANDOM_LINES)
        fprintf(stream, ", random numbering");
    pattern_describe(&mesh->pattern, stream);
}

static const struct parameter parameters[] = {
    {"n", "nodes along x, y and z", NULL, TAKES_INTEGER(struct fe_brick, n, 1, INT32_MAX),
     .count = 3, .one_for_all = true},
    {"unknowns", "unknowns of each node: the size of the blocks", "3",
     TAKES_INTEGER(struct fe_brick, unknowns, 1, FE_BRICK_UNKNOWNS_MAX)},
    {"reach", "nodes are joined to those at most this many steps away along each axis", "1",
     TAKES_INTEGER(struct fe_brick, reach, 1, FE_BRICK_REACH_MAX)},
    {"density",
     "the share of these pairs that is joined, drawn between two numbers for each patch of 4 x 4 "
     "x 4 nodes",
     "1", TAKES_REAL(struct fe_brick, density, 0, 1), .count = 2},
    {"hubs", "the share of the nodes that reach one step further", "0",
     TAKES_REAL(struct fe_brick, hubs, 0, 1)},
    {"fixed", "the share of the nodes, the first ones, whose rows hold the diagonal alone", "0",
     TAKES_REAL(struct fe_brick, fixed, 0, 1)},
    {"numbering", "the numbering of the nodes: line by line; line by line, the lines at random",
     "natural", TAKES_CHOICE(struct fe_brick, numbering, numberings)},
    PARAMETERS_OF(struct fe_brick, pattern, pattern_parameters_symmetric),
    {0}};

const struct problem problem_fe_brick = {{COMPONENT_PROBLEM, "fe_brick",
                                          "sparsity pattern of finite elements on a brick",
                                          parameters, sizeof(struct fe_brick), complain},
                                         .rows = rows,
                                         .make = make,
                                         .describe = describe};

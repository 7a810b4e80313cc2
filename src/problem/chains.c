#include "problem/chains.h"

#include "base/random.h"
#include "problem/problem.h"
#include "problem/random_order.h"

#include <inttypes.h>
#include <stdbool.h>

struct graph {
    const struct chains *chains;
    bool symmetric;
    uint64_t stream;
    struct random_order branches, numbering;
};

static bool is_cut_behind(const struct graph *graph, int64_t node)
{
    return random_share(graph->stream, 2 * (uint64_t)node) < graph->chains->cuts;
}

static bool branches_at(const struct graph *graph, int64_t node)
{
    return random_share(graph->stream, 2 * (uint64_t)node + 1) < graph->chains->branches;
}

enum { NEIGHBOURS = 4 };

/* Some may be the node itself, or there twice. */
static int find_neighbours(const struct graph *graph, int64_t node, int64_t *neighbours)
{
    int count = 0;
    if (node > 0 && !is_cut_behind(graph, node - 1))
        neighbours[count++] = node - 1;
    if (node + 1 < graph->chains->n && !is_cut_behind(graph, node))
        neighbours[count++] = node + 1;
    if (branches_at(graph, node))
        neighbours[count++] = random_order_at(&graph->branches, node);
    int64_t source = random_order_of(&graph->branches, node);
    if (branches_at(graph, source))
        neighbours[count++] = source;
    return count;
}

static int64_t fill_row(const void *generator, int64_t row, int32_t *columns)
{
    const struct graph *graph = generator;
    bool renumbered = graph->chains->numbering == CHAINS_RANDOM;
    int64_t neighbours[NEIGHBOURS], sorted[NEIGHBOURS];
    int count = find_neighbours(graph, renumbered ? random_order_of(&graph->numbering, row) : row,
                                neighbours);
    int length = 0;
    for (int k = 0; k < count; k++) {
        int64_t column =
            renumbered ? random_order_at(&graph->numbering, neighbours[k]) : neighbours[k];
        if (column == row || (graph->symmetric && column < row))
            continue;
        int place = length;
        while (place > 0 && sorted[place - 1] > column)
            place--;
        if (place > 0 && sorted[place - 1] == column)
            continue;
        for (int later = length++; later > place; later--)
            sorted[later] = sorted[later - 1];
        sorted[place] = column;
    }
    for (int k = 0; columns && k < length; k++)
        columns[k] = (int32_t)sorted[k];
    return length;
}

struct chains_pattern {
    struct chains chains;
    struct pattern_options pattern;
};

enum status chains_create(const struct chains *chains, const struct pattern_options *options,
                          struct csr *A, struct error *error)
{
    const struct chains_pattern made = {*chains, *options};
    enum status status = problem_check(&problem_chains, &made, error);
    if (status)
        return status;
    uint64_t seed = (uint64_t)options->seed;
    const struct graph graph = {chains, options->kind == PATTERN_SYMMETRIC, splitmix64(seed, 2),
                                random_order_make(splitmix64(seed, 4), chains->n),
                                random_order_make(splitmix64(seed, 6), chains->n)};
    return pattern_create(options, chains->n, fill_row, &graph, A, error);
}

/* ---- the component --------------------------------------------------------------------------- */

static const char *const numberings[] = {
    [CHAINS_NATURAL] = "natural", [CHAINS_RANDOM] = "random", NULL};

static int64_t rows(const void *options)
{
    return ((const struct chains_pattern *)options)->chains.n;
}

static const char *complain(const void *options, const char **parameter)
{
    return pattern_check(&((const struct chains_pattern *)options)->pattern, parameter);
}

static enum status make(const void *options, struct csr *A, struct error *error)
{
    const struct chains_pattern *made = options;
    return chains_create(&made->chains, &made->pattern, A, error);
}

static void describe(const void *options, FILE *stream)
{
    const struct chains_pattern *made = options;
    const struct chains *chains = &made->chains;
    fprintf(stream, "chains, %" PRId64 " nodes, cuts %.6g, branches %.6g%s", chains->n,
            chains->cuts, chains->branches,
            chains->numbering == CHAINS_RANDOM ? ", random numbering" : "");
    pattern_describe(&made->pattern, stream);
}

static const struct parameter parameters[] = {
    {"n", "nodes", NULL, TAKES_INTEGER(struct chains_pattern, chains.n, 1, INT32_MAX)},
    {"cuts", "the share of the nodes that a chain ends behind", "0.098",
     TAKES_REAL(struct chains_pattern, chains.cuts, 0, 1)},
    {"branches", "the share of the nodes that are joined to another, anywhere", "0.163",
     TAKES_REAL(struct chains_pattern, chains.branches, 0, 1)},
    {"numbering", "the numbering of the nodes: along the chains; at random", "natural",
     TAKES_CHOICE(struct chains_pattern, chains.numbering, numberings)},
    PARAMETERS_OF(struct chains_pattern, pattern, pattern_parameters),
    {0}};

const struct problem problem_chains = {{COMPONENT_PROBLEM, "chains",
                                        "sparsity pattern of chains that branch", parameters,
                                        sizeof(struct chains_pattern), complain},
                                       .rows = rows,
                                       .make = make,
                                       .describe = describe};

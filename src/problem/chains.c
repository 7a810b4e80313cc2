/* The graph of an assembler of sequences: nodes (k-mers) in long chains that branch now and then,
 * as in the graphs kmer_* of the SuiteSparse collection (GenBank; imported 2018). kmer_V2a has
 * 55,042,369 rows, 117,217,600 entries, so 2.13 a row, with a standard deviation of 0.67.
 *
 * Nodes 0 ... n - 1 stand along the chains. Node v is joined to
 *
 *     v + 1,   unless the chain is cut after v:  random_share(s, 2 v) < cuts
 *     w(v),    if it branches there:              random_share(s, 2 v + 1) < branches
 *
 * with s = splitmix64(seed, 2) and w = random_order(splitmix64(seed, 4), n), a random numbering of
 * the nodes (problem/pattern.h); a node is not joined to itself, and to another one once. So v
 * has at most four neighbours: those two, v - 1, and the one node whose w is v. The mean number of
 * neighbours is 2 (1 - cuts + branches), with the variance 2 cuts (1 - cuts) + 2 branches
 * (1 - branches): the defaults give kmer_V2a's 2.13 and 0.67. The share cuts^2 (1 - branches)^2 of
 * the nodes has none. The longest row of kmer_V2a has 39 entries; here it has four.
 *
 * numbering: natural, along the chains, the order in which an assembler that walks them writes
 * them; or random, node v as random_order(splitmix64(seed, 6), n) of v, which is what the
 * collection has: the columns of a row of kmer_V2a lie 0.337 n apart on average, and those of two
 * random numbers n / 3.
 *
 * kind = general: the graph alone, without a diagonal, as in the collection. */
#include "base/random.h"
#include "problem/generators.h"
#include "problem/pattern.h"

#include <inttypes.h>
#include <stdbool.h>

struct graph {
    const struct chains *chains;
    bool symmetric;
    uint64_t stream;
    struct random_order branches, numbering;
};

static bool is_cut_after(const struct graph *graph, int64_t node)
{
    return random_share(graph->stream, 2 * (uint64_t)node) < graph->chains->cuts;
}

static bool branches_at(const struct graph *graph, int64_t node)
{
    return random_share(graph->stream, 2 * (uint64_t)node + 1) < graph->chains->branches;
}

enum { NEIGHBOURS = 4 };

/* Neighbours, possibly the node itself or duplicates. */
static int find_neighbours(const struct graph *graph, int64_t node, int64_t *neighbours)
{
    int count = 0;
    if (node > 0 && !is_cut_after(graph, node - 1))
        neighbours[count++] = node - 1;
    if (node + 1 < graph->chains->n && !is_cut_after(graph, node))
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
        if (graph->symmetric ? column > row : column != row)
            pattern_insert(column, sorted, &length);
    }
    return pattern_give(sorted, length, columns);
}

static enum status make(const void *options, struct csr *A, struct error *error)
{
    const struct chains *chains = options;
    uint64_t seed = (uint64_t)chains->pattern.seed;
    const struct graph graph = {chains, chains->pattern.kind == PATTERN_SYMMETRIC,
                                splitmix64(seed, 2),
                                random_order_make(splitmix64(seed, 4), chains->n),
                                random_order_make(splitmix64(seed, 6), chains->n)};
    return pattern_create(&chains->pattern, chains->n, fill_row, &graph, A, error);
}

/* ---- the component --------------------------------------------------------------------------- */

static const char *const numberings[] = {
    [CHAINS_NATURAL] = "natural", [CHAINS_RANDOM] = "random", NULL};

static int64_t rows(const void *options)
{
    return ((const struct chains *)options)->n;
}

static const char *complain(const void *options, const char **parameter)
{
    return pattern_check(&((const struct chains *)options)->pattern, parameter);
}

static void describe(const void *options, FILE *stream)
{
    const struct chains *chains = options;
    fprintf(stream, "chains, %" PRId64 " nodes, cuts %.6g, branches %.6g%s", chains->n,
            chains->cuts, chains->branches,
            chains->numbering == CHAINS_RANDOM ? ", random numbering" : "");
    pattern_describe(&chains->pattern, stream);
}

static const struct parameter parameters[] = {
    {"n", "nodes", NULL, TAKES_INTEGER(struct chains, n, 1, INT32_MAX)},
    {"cuts", "the share of the nodes after which a chain ends", "0.098",
     TAKES_REAL(struct chains, cuts, 0, 1)},
    {"branches", "the share of the nodes that are joined to another, anywhere", "0.163",
     TAKES_REAL(struct chains, branches, 0, 1)},
    {"numbering", "the numbering of the nodes: along the chains; at random", "natural",
     TAKES_CHOICE(struct chains, numbering, numberings)},
    PARAMETERS_OF(struct chains, pattern, pattern_parameters),
    {0}};

const struct problem problem_chains = {{COMPONENT_PROBLEM, "chains",
                                        "sparsity pattern of chains that branch", parameters,
                                        sizeof(struct chains), complain},
                                       .rows = rows,
                                       .make = make,
                                       .describe = describe};

#include "matrix/rcm.h"

#include "base/memory.h"
#include "base/threads.h"

#include <stdbool.h>

/* The neighbours of node i are neighbours[k], offsets[i] <= k < offsets[i+1], in any order: no
 * result depends on it. */
struct graph {
    int64_t n;
    int64_t *offsets;    /* [n + 1] */
    int32_t *neighbours; /* [offsets[n]] */
};

static void graph_free(struct graph *graph)
{
    memory_free(graph->offsets);
    memory_free(graph->neighbours);
    *graph = (struct graph){0};
}

struct building {
    const struct csr *A;
    struct graph *graph;
};

static void count_neighbours(void *context, int64_t first, int64_t last)
{
    const struct building *building = context;
    const struct csr *A = building->A;
    int64_t *counts = building->graph->offsets;
    for (int64_t i = first; i < last; i++) {
        int64_t begin = A->offsets[i] + 1, end = A->offsets[i + 1];
        __atomic_fetch_add(&counts[i], end - begin, __ATOMIC_RELAXED);
        for (int64_t k = begin; k < end; k++)
            __atomic_fetch_add(&counts[A->columns[k]], 1, __ATOMIC_RELAXED);
    }
}

/* offsets[i] = the end of node i, from which its neighbours are then filled downwards. */
static void set_ends(struct building *building)
{
    int64_t n = building->A->n, *offsets = building->graph->offsets;
    threads_each(threads_lent(), n, count_neighbours, building);
    for (int64_t i = 0; i < n; i++)
        offsets[i + 1] += offsets[i];
}

static void fill_neighbours(void *context, int64_t begin, int64_t end)
{
    const struct building *building = context;
    const struct csr *A = building->A;
    int64_t *offsets = building->graph->offsets;
    int32_t *neighbours = building->graph->neighbours;
    for (int64_t i = begin; i < end; i++)
        for (int64_t k = A->offsets[i] + 1; k < A->offsets[i + 1]; k++) {
            int32_t j = A->columns[k];
            neighbours[__atomic_sub_fetch(&offsets[i], 1, __ATOMIC_RELAXED)] = j;
            neighbours[__atomic_sub_fetch(&offsets[j], 1, __ATOMIC_RELAXED)] = (int32_t)i;
        }
}

static enum status graph_create(const struct csr *A, struct graph *graph, struct error *error)
{
    int64_t arcs = 2 * (A->nnz - A->n);
    double bytes = 8.0 * (double)(A->n + 1) + 4.0 * (double)arcs;
    *graph = (struct graph){.n = A->n};
    enum status status = memory_fits(bytes, "the graph of the matrix", error);
    if (status)
        return status;
    graph->offsets = memory_zeros(A->n + 1, sizeof *graph->offsets, "the graph's offsets", error);
    if (graph->offsets)
        graph->neighbours = memory_array(arcs, sizeof *graph->neighbours, "the graph", error);
    if (!graph->neighbours) {
        graph_free(graph);
        return STATUS_MEMORY;
    }
    struct building building = {A, graph};
    set_ends(&building);
    threads_each(threads_lent(), A->n, fill_neighbours, &building);
    return STATUS_OK;
}

static int64_t degree(const struct graph *graph, int32_t node)
{
    return graph->offsets[node + 1] - graph->offsets[node];
}

/* By degree, and then by row. */
static bool comes_before(const struct graph *graph, int32_t a, int32_t b)
{
    int64_t of_a = degree(graph, a), of_b = degree(graph, b);
    return of_a != of_b ? of_a < of_b : a < b;
}

/* Shell's sort with the gaps of Gonnet and Baeza-Yates (1991): it needs no memory, and no two nodes
 * are equal. */
static void sort_nodes(const struct graph *graph, int64_t count, int32_t *nodes)
{
    for (int64_t gap = count; gap > 1;) {
        gap = gap < 5 ? 1 : (5 * gap - 1) / 11;
        for (int64_t k = gap; k < count; k++) {
            int32_t node = nodes[k];
            int64_t at = k;
            for (; at >= gap && comes_before(graph, node, nodes[at - gap]); at -= gap)
                nodes[at] = nodes[at - gap];
            nodes[at] = node;
        }
    }
}

/* The nodes of one component, level by level from a start node. */
struct levels {
    int32_t *nodes; /* [count] */
    int64_t count;
    int64_t last;   /* where the last level begins */
    int64_t height; /* levels */
};

/* In a matrix that needs a new numbering every visit misses the caches, but the next nodes are
 * known. So prefetch the offsets of a node first, and its first and last neighbour later. */
static void fetch_ahead(const struct graph *graph, const struct levels *levels, int64_t visited)
{
    enum { FAR = 16, NEAR = 8 };
    if (visited + FAR >= levels->count)
        return;
    const int64_t *far = graph->offsets + levels->nodes[visited + FAR];
    const int64_t *near = graph->offsets + levels->nodes[visited + NEAR];
    __builtin_prefetch(far);
    __builtin_prefetch(graph->neighbours + near[0]);
    __builtin_prefetch(graph->neighbours + near[1]);
}

/* Append the neighbours of a node that are not listed yet. */
static void append_neighbours(const struct graph *graph, int32_t node, bool *listed,
                              struct levels *levels)
{
    for (int64_t k = graph->offsets[node]; k < graph->offsets[node + 1]; k++) {
        int32_t neighbour = graph->neighbours[k];
        if (listed[neighbour])
            continue;
        listed[neighbour] = true;
        levels->nodes[levels->count++] = neighbour;
    }
}

/* List the component of the start node into `nodes`; sorted: in the order of Cuthill and McKee,
 * else in any order within a level. The nodes stay marked as listed. */
static struct levels list_component(const struct graph *graph, int32_t start, bool sorted,
                                    bool *listed, int32_t *nodes)
{
    struct levels levels = {.nodes = nodes, .count = 1};
    nodes[0] = start;
    listed[start] = true;
    for (int64_t visited = 0; visited < levels.count; levels.height++) {
        levels.last = visited;
        for (int64_t end = levels.count; visited < end; visited++) {
            int64_t known = levels.count;
            fetch_ahead(graph, &levels, visited);
            append_neighbours(graph, nodes[visited], listed, &levels);
            if (sorted)
                sort_nodes(graph, levels.count - known, nodes + known);
        }
    }
    return levels;
}

static int32_t first_of_last_level(const struct graph *graph, const struct levels *levels)
{
    int32_t first = levels->nodes[levels->last];
    for (int64_t k = levels->last + 1; k < levels->count; k++)
        if (comes_before(graph, levels->nodes[k], first))
            first = levels->nodes[k];
    return first;
}

/* Where the list of the root's component is to start. No node of it is listed, before and after. */
static int32_t find_start(const struct graph *graph, int32_t root, bool *listed, int32_t *nodes)
{
    for (int64_t height = 0;;) {
        struct levels levels = list_component(graph, root, false, listed, nodes);
        for (int64_t k = 0; k < levels.count; k++)
            listed[nodes[k]] = false;
        if (levels.height <= height)
            return root;
        height = levels.height;
        root = first_of_last_level(graph, &levels);
    }
}

static void number_components(const struct graph *graph, bool *listed, int32_t *nodes,
                              int32_t *number)
{
    int64_t done = 0;
    for (int64_t root = 0; root < graph->n; root++) {
        if (listed[root])
            continue;
        int32_t start = find_start(graph, (int32_t)root, listed, nodes);
        struct levels levels = list_component(graph, start, true, listed, nodes);
        done += levels.count;
        for (int64_t k = 0; k < levels.count; k++)
            number[nodes[k]] = (int32_t)(done - 1 - k);
    }
}

enum status rcm_numbering(const struct csr *A, int32_t *number, struct error *error)
{
    if (A->kind == CSR_GENERAL)
        return error_set(error, STATUS_CONFIG,
                         "a general matrix cannot be renumbered: only symmetric and "
                         "skew-symmetric ones are");
    struct graph graph;
    enum status status = graph_create(A, &graph, error);
    if (status)
        return status;
    int32_t *nodes = memory_array(A->n, sizeof *nodes, "the list of nodes", error);
    bool *listed = nodes ? memory_zeros(A->n, sizeof *listed, "the listed nodes", error) : NULL;
    if (listed)
        number_components(&graph, listed, nodes, number);
    else
        status = STATUS_MEMORY;
    memory_free(listed);
    memory_free(nodes);
    graph_free(&graph);
    return status;
}

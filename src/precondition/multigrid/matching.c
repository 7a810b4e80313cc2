#include "precondition/multigrid/matching.h"

#include "base/memory.h"
#include "base/threads.h"
#include "precondition/multigrid/graph_rows.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static void graph_free(struct graph *graph)
{
    csr_free(&graph->both);
    memory_free(graph->weights);
    memory_free(graph->mate);
    memory_free(graph->best);
}

/* Each node's block as one entry, the sum of its squares. */
static enum status squares(const struct csr *A, int64_t block, struct csr *nodes,
                           struct error *error)
{
    struct csr squared = *A;
    squared.maker = NULL;
    struct aggregates groups = {.n = A->n, .count = A->n / block};
    squared.values = memory_array(A->nnz, sizeof *squared.values, "the blocks of a matrix", error);
    groups.map = memory_array(A->n, sizeof *groups.map, "the blocks of a matrix", error);
    enum status status = squared.values && groups.map ? STATUS_OK : STATUS_MEMORY;
    if (!status) {
#pragma omp parallel for schedule(static)
        for (int64_t k = 0; k < A->nnz; k++)
            squared.values[k] = A->values[k] * A->values[k];
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < A->n; i++)
            groups.map[i] = (int32_t)(i / block);
        status = aggregates_list(&groups, error);
    }
    if (!status)
        status = coarse_matrix(&squared, &groups, nodes, error);
    memory_free(squared.values);
    aggregates_free(&groups);
    return status;
}

/* What a thread does that owns the nodes begin <= j < end: off[j] += |a_ij|, by ascending i. */
static void sum_couplings(const struct csr *upper, int64_t begin, int64_t end, double *off)
{
    for (int64_t i = 0; i < end; i++) {
        int64_t stop = upper->offsets[i + 1];
        bool owns = i >= begin;
        if (!owns && upper->columns[stop - 1] < begin)
            continue;
        for (int64_t k = upper->offsets[i] + 1; k < stop; k++) {
            int32_t j = upper->columns[k];
            double size = fabs(upper->values[k]);
            if (owns)
                off[i] += size;
            if (j >= begin && j < end)
                off[j] += size;
        }
    }
}

/* The same for edges: count them, next[j]++, or put them there. weights: of the upper entries. */
static void take_edges(const struct csr *upper, const float *weights, int64_t begin, int64_t end,
                       int64_t *next, const struct graph *graph)
{
    for (int64_t i = 0; i < end; i++) {
        int64_t stop = upper->offsets[i + 1];
        bool owns = i >= begin;
        if (graph->mate[i] == LEFT_OUT || (!owns && upper->columns[stop - 1] < begin))
            continue;
        for (int64_t k = upper->offsets[i] + 1; k < stop; k++) {
            int32_t j = upper->columns[k];
            if (!(weights[k] > 0))
                continue;
            int64_t ends[2] = {owns ? next[i]++ : -1, j >= begin && j < end ? next[j]++ : -1};
            for (int e = 0; e < 2 && graph->weights; e++)
                if (ends[e] >= 0) {
                    graph->both.columns[ends[e]] = e == 0 ? j : (int32_t)i;
                    graph->weights[ends[e]] = weights[k];
                }
        }
    }
}

static void take_all_edges(const struct csr *upper, const float *weights, int64_t *next,
                           const struct graph *graph)
{
    int64_t shares = threads_count(threads_lent());
#pragma omp parallel for schedule(static, 1)
    for (int64_t s = 0; s < shares; s++)
        take_edges(upper, weights, upper->n * s / shares, upper->n * (s + 1) / shares, next, graph);
}

static void find_left_out(const struct csr *upper, int64_t block, const double *diagonal,
                          double *off, int32_t *mate)
{
    int64_t n = upper->n, shares = threads_count(threads_lent());
    memset(off, 0, (size_t)n * sizeof *off);
#pragma omp parallel for schedule(static, 1)
    for (int64_t s = 0; s < shares; s++) {
        if (block == 1)
            sum_couplings(upper, n * s / shares, n * (s + 1) / shares, off);
        for (int64_t i = n * s / shares; i < n * (s + 1) / shares; i++)
            mate[i] = graph_start(block, diagonal[i], off[i]);
    }
}

static void weigh(const struct csr *upper, int64_t block, const double *diagonal,
                  const int32_t *mate, float *weights)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < upper->n; i++)
        for (int64_t k = upper->offsets[i] + 1; k < upper->offsets[i + 1] && mate[i] == FREE; k++) {
            int32_t j = upper->columns[k];
            weights[k] =
                mate[j] == FREE ? graph_weight(diagonal, block, i, j, upper->values[k]) : 0;
        }
}

static enum status list_edges(const struct csr *upper, const float *weights, struct graph *graph,
                              struct error *error)
{
    static const char *const what = "a graph of couplings";
    struct csr *both = &graph->both;
    both->n = upper->n;
    both->offsets = memory_array(both->n + 1, sizeof *both->offsets, what, error);
    int64_t *next = memory_zeros(both->n, sizeof *next, what, error);
    enum status status = both->offsets && next ? STATUS_OK : STATUS_MEMORY;
    if (!status) {
        take_all_edges(upper, weights, next, graph);
        for (int64_t i = 0; i < both->n; i++) {
            both->offsets[i] = both->nnz;
            both->nnz += next[i];
            next[i] = both->offsets[i];
        }
        both->offsets[both->n] = both->nnz;
        both->columns = memory_array(both->nnz, sizeof *both->columns, what, error);
        graph->weights = memory_array(both->nnz, sizeof *graph->weights, what, error);
        status = both->columns && graph->weights ? STATUS_OK : STATUS_MEMORY;
    }
    if (!status)
        take_all_edges(upper, weights, next, graph);
    memory_free(next);
    return status;
}

static enum status graph_make(const struct csr *A, int64_t block, struct graph *graph,
                              struct error *error)
{
    static const char *const what = "a graph of couplings";
    struct csr nodes = {0};
    enum status status = block > 1 ? squares(A, block, &nodes, error) : STATUS_OK;
    const struct csr *upper = block > 1 ? &nodes : A;
    double *diagonal = NULL;
    float *weights = NULL;
    if (!status) {
        diagonal = memory_array(2 * upper->n, sizeof *diagonal, what, error);
        weights = memory_array(upper->nnz, sizeof *weights, what, error);
        graph->mate = memory_array(upper->n, sizeof *graph->mate, what, error);
        graph->best = memory_array(upper->n, sizeof *graph->best, what, error);
        if (!diagonal || !weights || !graph->mate || !graph->best)
            status = STATUS_MEMORY;
    }
    if (!status) {
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < upper->n; i++)
            diagonal[i] = upper->values[upper->offsets[i]];
        find_left_out(upper, block, diagonal, diagonal + upper->n, graph->mate);
        weigh(upper, block, diagonal, graph->mate, weights);
        status = list_edges(upper, weights, graph, error);
    }
    memory_free(diagonal);
    memory_free(weights);
    csr_free(&nodes);
    return status;
}

/* A proposal stays the best one as long as whom it is made to is free. */
static bool proposes_anew(const struct graph *graph, int64_t i)
{
    int32_t to = graph->best[i];
    return graph->mate[i] == FREE && to != FREE && graph->mate[to] != FREE;
}

static void match(struct graph *graph)
{
    int64_t n = graph->both.n;
    for (int round = 0; round < MATCHING_ROUNDS; round++) {
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i++)
            if (round == 0 || proposes_anew(graph, i))
                graph->best[i] = graph->mate[i] == FREE ? graph_propose(graph, i, 0, 1).to : FREE;
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i++)
            graph_accept(graph, i);
    }
}

/* In the place of a mate: best[i] is a node of a pair, whose aggregate it joins. */
enum { JOINED = -3 };

/* The neighbour in a pair to which node i is coupled most strongly. */
static int32_t strongest_in_a_pair(const struct graph *graph, int64_t i)
{
    struct proposal best = {FREE, 0};
    for (int64_t k = graph->both.offsets[i]; k < graph->both.offsets[i + 1]; k++) {
        struct proposal next = {graph->both.columns[k], graph->weights[k]};
        if (graph->mate[next.to] >= 0)
            best = graph_better(i, best, next);
    }
    return best.to;
}

static void join_rest(struct graph *graph)
{
    int64_t n = graph->both.n;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        graph->best[i] = graph->mate[i] == FREE ? strongest_in_a_pair(graph, i) : FREE;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        if (graph->best[i] != FREE)
            graph->mate[i] = JOINED;
}

/* Numbered by their first nodes, ascending, of those that have not joined. */
static enum status number_pairs(const struct graph *graph, int64_t block, struct aggregates *made,
                                struct error *error)
{
    int64_t nodes = graph->both.n;
    *made = (struct aggregates){.n = nodes * block};
    made->map = memory_array(made->n, sizeof *made->map, "the aggregates", error);
    if (!made->map)
        return STATUS_MEMORY;
    int64_t count = 0;
    for (int64_t i = 0; i < nodes; i++) {
        int32_t mate = graph->mate[i];
        bool leads = graph_leads(graph->mate, i);
        int64_t number = leads || mate < FREE ? count : made->map[mate * block] / block;
        count += leads;
        for (int64_t c = 0; c < block; c++)
            made->map[i * block + c] =
                mate == LEFT_OUT ? IN_NO_AGGREGATE : (int32_t)(number * block + c);
    }
    for (int64_t i = 0; i < nodes; i++)
        for (int64_t c = 0; c < block && graph->mate[i] == JOINED; c++)
            made->map[i * block + c] = made->map[graph->best[i] * block + c];
    made->count = count * block;
    enum status status = aggregates_list(made, error);
    if (status)
        aggregates_free(made);
    return status;
}

static enum status pair(const struct csr *A, int64_t block, bool joins, struct aggregates *made,
                        struct error *error)
{
    struct graph graph = {0};
    enum status status = graph_make(A, block, &graph, error);
    if (!status) {
        match(&graph);
        if (joins)
            join_rest(&graph);
        status = number_pairs(&graph, block, made, error);
    }
    graph_free(&graph);
    return status;
}

/* Through `first` and `second`, in the place of `first`. */
static void compose(struct aggregates *first, const struct aggregates *second)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < first->n; i++)
        if (first->map[i] != IN_NO_AGGREGATE)
            first->map[i] = second->map[first->map[i]];
    first->count = second->count;
}

/* The first pass: its map becomes that of all of them, so there is one more of it. */
static enum status keep_first(struct aggregates *aggregates, struct passes *kept,
                              struct error *error)
{
    int32_t *map = memory_array(aggregates->n, sizeof *map, "the aggregates", error);
    if (!map)
        return STATUS_MEMORY;
    memcpy(map, aggregates->map, (size_t)aggregates->n * sizeof *map);
    kept->of[kept->count++] = *aggregates;
    aggregates->map = map;
    aggregates->offsets = aggregates->members = NULL;
    return STATUS_OK;
}

/* One pass more: A_c of the pairs of A_c. */
static enum status pair_again(int64_t block, struct aggregates *aggregates, struct csr *coarse,
                              struct passes *kept, struct error *error)
{
    struct aggregates pairs = {0};
    struct csr next = {0};
    enum status status = pair(coarse, block, false, &pairs, error);
    if (!status)
        status = coarse_matrix(coarse, &pairs, &next, error);
    if (!status) {
        compose(aggregates, &pairs);
        csr_free(coarse);
        *coarse = next;
    }
    if (!status && kept)
        kept->of[kept->count++] = pairs;
    else
        aggregates_free(&pairs);
    return status;
}

enum status matching_aggregate(const struct csr *A, int64_t block, int passes,
                               struct aggregates *aggregates, struct csr *coarse,
                               struct passes *kept, struct error *error)
{
    *aggregates = (struct aggregates){0};
    *coarse = (struct csr){0};
    enum status status = pair(A, block, false, aggregates, error);
    if (!status)
        status = aggregates->count > 0
                     ? coarse_matrix(A, aggregates, coarse, error)
                     : STATUS_OK; /* no node is coupled: there is no coarse matrix */
    if (!status && kept && passes > 1 && aggregates->count > 0)
        status = keep_first(aggregates, kept, error);
    for (int pass = 1; pass < passes && !status && aggregates->count > 0; pass++)
        status = pair_again(block, aggregates, coarse, kept, error);
    if (!status && passes > 1 && aggregates->count > 0) {
        memory_free(aggregates->offsets);
        memory_free(aggregates->members);
        aggregates->offsets = aggregates->members = NULL;
        status = aggregates_list(aggregates, error);
    }
    if (status) {
        aggregates_free(aggregates);
        csr_free(coarse);
        if (kept)
            passes_free(kept);
    }
    return status;
}

enum status matching_join(const struct csr *A, int64_t block, struct aggregates *aggregates,
                          struct csr *coarse, struct error *error)
{
    *coarse = (struct csr){0};
    enum status status = pair(A, block, true, aggregates, error);
    if (!status && aggregates->count > 0)
        status = coarse_matrix(A, aggregates, coarse, error);
    if (status)
        aggregates_free(aggregates);
    return status;
}

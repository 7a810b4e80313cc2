#include "precondition/multigrid/setup/matching.h"

#include "base/memory.h"
#include "base/threads.h"
#include "precondition/multigrid/setup/graph_rows.h"

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

struct squaring {
    const struct csr *A;
    int64_t block;
    double *values;
    int32_t *map;
};

static void square_rows(void *context, int64_t i, int64_t end)
{
    const struct squaring *of = context;
    for (int64_t k = of->A->offsets[i]; k < of->A->offsets[end]; k++)
        of->values[k] = of->A->values[k] * of->A->values[k];
    for (; i < end; i++)
        of->map[i] = (int32_t)(i / of->block);
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
        threads_each(threads_lent(), A->n, square_rows,
                     &(struct squaring){A, block, squared.values, groups.map});
        status = aggregates_list(&groups, error);
    }
    if (!status)
        status = coarse_matrix(&squared, &groups, nodes, error);
    memory_free(squared.values);
    aggregates_free(&groups);
    return status;
}

/* While a graph is made. */
struct making {
    const struct csr *upper;
    int64_t block;
    double *diagonal, *off; /* [n]; the sums |a_ij|, j not i */
    float *weights;         /* of the upper entries */
    int64_t *next;          /* [n] */
    struct graph *graph;
};

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

/* The same for edges: count them, next[j]++, or put them there. */
static void take_edges(void *context, int64_t begin, int64_t end)
{
    const struct making *making = context;
    const struct csr *upper = making->upper;
    const float *weights = making->weights;
    const struct graph *graph = making->graph;
    int64_t *next = making->next;
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

static void find_left_out(void *context, int64_t begin, int64_t end)
{
    const struct making *making = context;
    const struct csr *upper = making->upper;
    memset(making->off + begin, 0, (size_t)(end - begin) * sizeof *making->off);
    if (making->block == 1)
        sum_couplings(upper, begin, end, making->off);
    for (int64_t i = begin; i < end; i++) {
        making->diagonal[i] = upper->values[upper->offsets[i]];
        making->graph->mate[i] = graph_start(making->block, making->diagonal[i], making->off[i]);
    }
}

static void weigh(void *context, int64_t i, int64_t end)
{
    const struct making *by = context;
    const struct csr *upper = by->upper;
    const int32_t *mate = by->graph->mate;
    for (; i < end; i++)
        for (int64_t k = upper->offsets[i] + 1; k < upper->offsets[i + 1] && mate[i] == FREE; k++) {
            int32_t j = upper->columns[k];
            by->weights[k] =
                mate[j] == FREE ? graph_weight(by->diagonal, by->block, i, j, upper->values[k]) : 0;
        }
}

static enum status list_edges(struct making *making, struct error *error)
{
    static const char *const what = "a graph of couplings";
    struct graph *graph = making->graph;
    struct csr *both = &graph->both;
    both->n = making->upper->n;
    both->offsets = memory_array(both->n + 1, sizeof *both->offsets, what, error);
    int64_t *next = making->next = memory_zeros(both->n, sizeof *next, what, error);
    enum status status = both->offsets && next ? STATUS_OK : STATUS_MEMORY;
    if (!status) {
        threads_each(threads_lent(), both->n, take_edges, making);
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
        threads_each(threads_lent(), both->n, take_edges, making);
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
        struct making making = {upper, block, diagonal, diagonal + upper->n, weights, NULL, graph};
        threads_each(threads_lent(), upper->n, find_left_out, &making);
        threads_each(threads_lent(), upper->n, weigh, &making);
        status = list_edges(&making, error);
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

static void propose(void *context, int64_t i, int64_t end)
{
    const struct graph *graph = context;
    for (; i < end; i++)
        graph->best[i] = graph->mate[i] == FREE ? graph_propose(graph, i, 0, 1).to : FREE;
}

static void propose_anew(void *context, int64_t i, int64_t end)
{
    for (; i < end; i++)
        if (proposes_anew(context, i))
            propose(context, i, i + 1);
}

static void accept(void *context, int64_t i, int64_t end)
{
    for (; i < end; i++)
        graph_accept(context, i);
}

static void match(struct graph *graph)
{
    int64_t n = graph->both.n;
    for (int round = 0; round < MATCHING_ROUNDS; round++) {
        threads_each(threads_lent(), n, round == 0 ? propose : propose_anew, graph);
        threads_each(threads_lent(), n, accept, graph);
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

static void find_pair(void *context, int64_t i, int64_t end)
{
    const struct graph *graph = context;
    for (; i < end; i++)
        graph->best[i] = graph->mate[i] == FREE ? strongest_in_a_pair(graph, i) : FREE;
}

static void join(void *context, int64_t i, int64_t end)
{
    const struct graph *graph = context;
    for (; i < end; i++)
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
        if (joins) {
            threads_each(threads_lent(), graph.both.n, find_pair, &graph);
            threads_each(threads_lent(), graph.both.n, join, &graph);
        }
        status = number_pairs(&graph, block, made, error);
    }
    graph_free(&graph);
    return status;
}

struct maps {
    int32_t *first;
    const int32_t *second;
};

/* Through `first` and `second`, in the place of `first`. */
static void compose(void *context, int64_t i, int64_t end)
{
    const struct maps *maps = context;
    for (; i < end; i++)
        if (maps->first[i] != IN_NO_AGGREGATE)
            maps->first[i] = maps->second[maps->first[i]];
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
        threads_each(threads_lent(), aggregates->n, compose,
                     &(struct maps){aggregates->map, pairs.map});
        aggregates->count = pairs.count;
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

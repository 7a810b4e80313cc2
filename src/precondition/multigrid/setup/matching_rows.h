/* Aggregates by matching (matching.h), as passes over nodes and rows (space/elements.h), in any
 * space. The order in which a node looks at its neighbours does not matter: of two proposals the
 * same one is always better. */
#ifndef PRECONDITION_MULTIGRID_SETUP_MATCHING_ROWS_H
#define PRECONDITION_MULTIGRID_SETUP_MATCHING_ROWS_H

#include "base/random.h"
#include "matrix/csr.h"
#include "matrix/near_null.h"
#include "precondition/multigrid/setup/aggregates.h"
#include "space/elements.h"

#include <math.h>

/* In place of a mate. If node i has JOINED, best[i] is a node of its pair. */
enum { FREE = -1, LEFT_OUT = -2, JOINED = -3 };

/* Nodes, and what couples them: both triangles. */
struct graph {
    struct csr upper, lower;        /* lower: left of the diagonal */
    float *weights, *lower_weights; /* of their entries; those of the diagonal are not read */
    double *diagonal;               /* [n] */
    int32_t *mate;                  /* [n]: a node, FREE, LEFT_OUT or JOINED */
    int32_t *best; /* [n]: the receiver of a node's proposal; FREE: none; itself: not known yet */
    int64_t block; /* rows of a node */
    bool joins;    /* nodes in no pair join one */
};

PASS_AT(taking_diagonal, graph)
{
    work->diagonal[i] = work->upper.values[work->upper.offsets[i]];
}

/* Of entry a_ij beside the diagonal. */
PASS_FUNCTION float graph_weight(const struct graph *graph, int64_t i, int64_t j, double value)
{
    double scale = sqrt(graph->diagonal[i] * graph->diagonal[j]);
    return (float)(graph->block > 1 ? sqrt(value / scale) : -value / scale);
}

/* The weights of the entries first <= k < last of row i; returns off + |a_ik| + .... */
PASS_FUNCTION double graph_weigh(const struct graph *graph, const struct csr *A, int64_t i,
                                 int64_t first, int64_t last, float *weights, double off)
{
    for (int64_t k = first; k < last; k++) {
        weights[k] = graph_weight(graph, i, A->columns[k], A->values[k]);
        off += fabs(A->values[k]);
    }
    return off;
}

/* The weights of node i, and whether it takes part: this depends on the sum of |a_ij|, j != i, in
 * ascending order of j. A row without couplings does not, whatever its diagonal is: of a singular
 * matrix it may be all that is left of a component. */
PASS_AT(weighing, graph)
{
    const double dominates = 0.2;
    const struct csr *lower = &work->lower, *upper = &work->upper;
    double off = graph_weigh(work, lower, i, lower->offsets[i], lower->offsets[i + 1],
                             work->lower_weights, 0);
    off = graph_weigh(work, upper, i, upper->offsets[i] + 1, upper->offsets[i + 1], work->weights,
                      off);
    bool alone = off == 0 || off < dominates * work->diagonal[i];
    work->mate[i] = work->block == 1 && alone ? LEFT_OUT : FREE;
    work->best[i] = work->mate[i] == FREE ? (int32_t)i : FREE;
}

PASS_FUNCTION uint64_t graph_edge(int64_t i, int64_t j)
{
    return i < j ? splitmix64((uint64_t)i << 32, (uint64_t)j)
                 : splitmix64((uint64_t)j << 32, (uint64_t)i);
}

struct proposal {
    int32_t to; /* FREE: to none */
    float weight;
    uint64_t edge; /* 0: not known yet */
};

/* The better one of two proposals of node i. */
PASS_FUNCTION void graph_compare(int64_t i, struct proposal next, struct proposal *best)
{
    if (next.weight > best->weight)
        *best = next;
    if (next.weight != best->weight || next.to == best->to)
        return;
    next.edge = graph_edge(i, next.to);
    best->edge = best->edge ? best->edge : graph_edge(i, best->to);
    if (next.edge > best->edge || (next.edge == best->edge && next.to < best->to))
        *best = next;
}

/* Whether node i looks for a neighbour: a proposal stays the best while its receiver is free. */
PASS_FUNCTION bool graph_proposes(const struct graph *graph, int64_t i)
{
    int32_t to = graph->best[i];
    if (graph->mate[i] != FREE || graph->joins)
        return graph->mate[i] == FREE;
    return to == i || (to != FREE && graph->mate[to] != FREE);
}

/* The better one of *best and those of the entries first, first + lanes, ... < last of row i. */
PASS_FUNCTION void graph_look(const struct graph *graph, const struct csr *A, const float *weights,
                              int64_t i, int64_t first, int64_t last, int lanes,
                              struct proposal *best)
{
    for (int64_t k = first; k < last; k += lanes) {
        struct proposal next = {A->columns[k], weights[k], 0};
        if (next.weight > 0 && !(next.weight < best->weight) &&
            (graph->joins ? graph->mate[next.to] >= 0 : graph->mate[next.to] == FREE))
            graph_compare(i, next, best);
    }
}

/* The best proposal to a free neighbour, or, where nodes join, to one in a pair; of every `lanes`th
 * entry of either triangle, from number `lane` on. */
PASS_FUNCTION struct proposal graph_propose(const struct graph *graph, int64_t i, int lane,
                                            int lanes)
{
    const struct csr *lower = &graph->lower, *upper = &graph->upper;
    struct proposal best = {FREE, 0, 0};
    graph_look(graph, lower, graph->lower_weights, i, lower->offsets[i] + lane,
               lower->offsets[i + 1], lanes, &best);
    graph_look(graph, upper, graph->weights, i, upper->offsets[i] + 1 + lane, upper->offsets[i + 1],
               lanes, &best);
    return best;
}

PASS_AT(proposing, graph)
{
    if (graph_proposes(work, i))
        work->best[i] = graph_propose(work, i, 0, 1).to;
}

/* Two nodes that propose to each other are a pair. */
PASS_AT(accepting, graph)
{
    int32_t j = work->best[i];
    if (j != FREE && work->best[j] == i)
        work->mate[i] = j;
}

/* A node that is left joins the pair of the neighbour that it has proposed to. */
PASS_AT(joining, graph)
{
    if (work->mate[i] == FREE && work->best[i] != FREE)
        work->mate[i] = JOINED;
}

/* From nodes to the aggregates of their rows. */
struct numbering {
    const int32_t *mate, *best;
    int64_t *numbers; /* [nodes + 1]: how many nodes before a node lead, after a scan */
    int64_t block;
    int32_t *map; /* [nodes block] */
};

/* Whether the node is the first one of an aggregate: these are numbered ascending. */
PASS_FUNCTION bool numbering_leads(const struct numbering *by, int64_t i)
{
    return by->mate[i] == FREE || by->mate[i] > i;
}

PASS_AT(leading, numbering)
{
    if (i == 0)
        work->numbers[0] = 0;
    work->numbers[i + 1] = numbering_leads(work, i);
}

PASS_AT(numbering, numbering)
{
    int64_t node = work->mate[i] == JOINED ? work->best[i] : i;
    int64_t leader = numbering_leads(work, node) ? node : work->mate[node];
    for (int64_t c = 0; c < work->block; c++)
        work->map[i * work->block + c] =
            leader < 0 ? IN_NO_AGGREGATE : (int32_t)(work->numbers[leader] * work->block + c);
}

/* Through two maps; in the place of the first one too. */
struct composing {
    const int32_t *first, *second;
    int32_t *composed;
};

PASS_AT(composing, composing)
{
    int32_t I = work->first[i];
    work->composed[i] = I == IN_NO_AGGREGATE ? I : work->second[I];
}

/* The blocks of A's nodes as entries, the sums of their squares: A_c of aggregates.h for squares
 * of A's values, where the rows of a node are an aggregate. */
struct node_rows {
    struct csr A, nodes;
    int64_t block; /* at most NEAR_NULL_MAX */
};

/* The sum over the entries of node I with node J, from at[c] on in its row c. Then at[c] is after
 * them. */
PASS_FUNCTION double node_rows_sum(const struct node_rows *by, int64_t I, int64_t J, int64_t *at)
{
    const struct csr *A = &by->A;
    int64_t next = (J + 1) * by->block;
    double sum = 0;
    for (int64_t c = 0; c < by->block; c++) {
        int64_t i = I * by->block + c, k = at[c];
        for (; k < A->offsets[i + 1] && A->columns[k] < next; k++) {
            double square = A->values[k] * A->values[k];
            sum += I == J && A->columns[k] > i ? 2 * square : square;
        }
        at[c] = k;
    }
    return sum;
}

/* Row I from `columns` and `values` on, NULL: nowhere; returns how many entries it has. */
PASS_FUNCTION int64_t node_rows_make(const struct node_rows *by, int64_t I, int32_t *columns,
                                     double *values)
{
    const struct csr *A = &by->A;
    const int64_t *offsets = A->offsets + I * by->block;
    int64_t at[NEAR_NULL_MAX], count = 0;
    for (int64_t c = 0; c < by->block; c++)
        at[c] = offsets[c];
    for (;; count++) {
        int32_t least = INT32_MAX;
        for (int64_t c = 0; c < by->block; c++)
            if (at[c] < offsets[c + 1] && A->columns[at[c]] < least)
                least = A->columns[at[c]];
        if (least == INT32_MAX)
            return count;
        int32_t J = (int32_t)((uint32_t)least / (uint32_t)by->block);
        double sum = node_rows_sum(by, I, J, at);
        if (columns) {
            columns[count] = J;
            values[count] = sum;
        }
    }
}

/* The length of row i, as device_csr_begin wants it. */
PASS_AT(counting_nodes, node_rows)
{
    if (i == 0)
        work->nodes.offsets[0] = 0;
    work->nodes.offsets[i + 1] = node_rows_make(work, i, NULL, NULL);
}

PASS_AT(making_nodes, node_rows)
{
    int64_t begin = work->nodes.offsets[i];
    node_rows_make(work, i, work->nodes.columns + begin, work->nodes.values + begin);
}

PASS_DECLARE(pass_taking_diagonal);
PASS_DECLARE(pass_weighing);
PASS_DECLARE(pass_proposing);
PASS_DECLARE(pass_accepting);
PASS_DECLARE(pass_joining);
PASS_DECLARE(pass_leading);
PASS_DECLARE(pass_numbering);
PASS_DECLARE(pass_composing);
PASS_DECLARE(pass_counting_nodes);
PASS_DECLARE(pass_making_nodes);

#endif

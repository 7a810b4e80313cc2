/* Distance-2 aggregates (distance2.h), as passes over nodes. Maxima and sums of integers alone
 * decide, so the order in which a node looks at its neighbours does not matter.
 *
 * In a round few nodes change, and only those beside them can change next. So a node that changes
 * marks the tiles of its neighbours, and a pass looks at the nodes of marked tiles alone. */
#ifndef PRECONDITION_MULTIGRID_SETUP_DISTANCE2_ROWS_H
#define PRECONDITION_MULTIGRID_SETUP_DISTANCE2_ROWS_H

#include "base/random.h"
#include "precondition/multigrid/setup/matching_rows.h"
#include "space/find.h"

/* The state of a node: a root, beside one or in no aggregate, or its priority while it is
 * undecided. */
static const uint64_t STATE_ROOT = UINT64_MAX, STATE_OUT = 0;
static const uint64_t NEAREST_UNKNOWN = UINT64_MAX - 1; /* before the first round */

enum { TILE = 32 }; /* consecutive nodes */

struct independent_set {
    struct graph graph; /* its mates are the aggregates of nodes, FREE, or LEFT_OUT */
    float threshold;
    bool hashed;               /* the priorities */
    uint64_t *state, *nearest; /* [n]; nearest: the greatest state of a node and its neighbours */
    uint64_t *farther[2];      /* [n]: of those at a distance of 2, 3, ... in turns; or NULL */
    const uint64_t *from;      /* one of these, from which a pass goes on, */
    uint64_t *to;              /* and another one, to which it goes */
    int32_t *joined;           /* [n]: the mates of the next round */
    int64_t *numbers;          /* [n + 1]: how many roots before a node, after a scan */

    unsigned char *spreads, *decides; /* [tiles]: the tile is marked for that pass */
    int lanes;
};

/* The greatest of *most and of `states` over those of the entries first <= k < last of a row that
 * are strong. */
PASS_FUNCTION uint64_t strong_most(const struct independent_set *set, const struct csr *rows,
                                   const float *weights, int64_t first, int64_t last,
                                   const uint64_t *states, uint64_t most)
{
    for (int64_t k = first; k < last; k++) {
        uint64_t state = states[rows->columns[k]];
        if (weights[k] > set->threshold && state > most)
            most = state;
    }
    return most;
}

PASS_FUNCTION uint64_t neighbours_most(const struct independent_set *set, int64_t i,
                                       const uint64_t *states)
{
    const struct graph *graph = &set->graph;
    const struct csr *lower = &graph->lower, *upper = &graph->upper;
    uint64_t most = strong_most(set, lower, graph->lower_weights, lower->offsets[i],
                                lower->offsets[i + 1], states, states[i]);
    return strong_most(set, upper, graph->weights, upper->offsets[i] + 1, upper->offsets[i + 1],
                       states, most);
}

/* Above STATE_OUT and below STATE_ROOT, and of each node another one. */
PASS_FUNCTION uint64_t node_priority(const struct independent_set *set, int64_t i)
{
    uint64_t back = (uint64_t)(set->graph.upper.n - i);
    return set->hashed ? splitmix64(0, (uint64_t)i) >> 33 << 32 | back : back;
}

PASS_FUNCTION int64_t node_of_priority(const struct independent_set *set, uint64_t priority)
{
    return set->graph.upper.n - (int64_t)(priority & UINT32_MAX);
}

PASS_FUNCTION void mark_strong(const struct independent_set *set, const struct csr *rows,
                               const float *weights, int64_t first, int64_t last,
                               unsigned char *tiles)
{
    for (int64_t k = first; k < last; k++)
        if (weights[k] > set->threshold)
            pass_mark(&tiles[rows->columns[k] / TILE]);
}

/* The tiles of a node that has changed and of its neighbours. */
PASS_FUNCTION void mark_around(const struct independent_set *set, int64_t i, unsigned char *tiles)
{
    const struct graph *graph = &set->graph;
    const struct csr *lower = &graph->lower, *upper = &graph->upper;
    pass_mark(&tiles[i / TILE]);
    mark_strong(set, lower, graph->lower_weights, lower->offsets[i], lower->offsets[i + 1], tiles);
    mark_strong(set, upper, graph->weights, upper->offsets[i] + 1, upper->offsets[i + 1], tiles);
}

/* The first node of each tile sets its mark. */
PASS_FUNCTION void mark_tile(unsigned char *tiles, int64_t i, unsigned char mark)
{
    if (i % TILE == 0)
        tiles[i / TILE] = mark;
}

PASS_AT(prioritizing, independent_set)
{
    mark_tile(work->spreads, i, 1);
    mark_tile(work->decides, i, 0);
    work->nearest[i] = NEAREST_UNKNOWN;
    work->state[i] = work->graph.mate[i] == LEFT_OUT ? STATE_OUT : node_priority(work, i);
}

PASS_AT(hashing, independent_set)
{
    mark_tile(work->spreads, i, 1);
    if (work->state[i] != STATE_OUT && work->state[i] != STATE_ROOT)
        work->state[i] = node_priority(work, i);
}

/* A node without a strong neighbour that may be in an aggregate is in none itself. */
PASS_AT(isolating, independent_set)
{
    if (work->state[i] == STATE_OUT)
        return;
    const struct graph *graph = &work->graph;
    const struct csr *lower = &graph->lower, *upper = &graph->upper;
    uint64_t most = strong_most(work, lower, graph->lower_weights, lower->offsets[i],
                                lower->offsets[i + 1], work->state, STATE_OUT);
    most = strong_most(work, upper, graph->weights, upper->offsets[i] + 1, upper->offsets[i + 1],
                       work->state, most);
    work->graph.mate[i] = most == STATE_OUT ? LEFT_OUT : FREE;
}

/* The greatest state stays so where it is a root's or all are out, and as long as its node is
 * undecided: within a distance of 2 of that no other node becomes a root. */
PASS_FUNCTION void node_spread(const struct independent_set *work, int64_t i)
{
    uint64_t nearest = work->nearest[i];
    if (nearest == STATE_ROOT || nearest == STATE_OUT)
        return;
    if (nearest != NEAREST_UNKNOWN && work->state[node_of_priority(work, nearest)] == nearest)
        return;
    work->nearest[i] = neighbours_most(work, i, work->state);
    mark_around(work, i, work->decides);
}

PASS_AT(spreading_on, independent_set)
{
    work->to[i] = neighbours_most(work, i, work->from);
    mark_tile(work->decides, i, 1);
}

PASS_FUNCTION void node_decide(const struct independent_set *work, int64_t i)
{
    uint64_t own = work->state[i];
    if (own == STATE_OUT || own == STATE_ROOT)
        return;
    uint64_t most = neighbours_most(work, i, work->from);
    if (most != STATE_ROOT && most != own)
        return;
    work->state[i] = most == STATE_ROOT ? STATE_OUT : STATE_ROOT;
    mark_around(work, i, work->spreads);
}

/* Whether the tile was marked; it is not any more. */
PASS_FUNCTION bool tile_takes(unsigned char *mark, int lane, int lanes)
{
    bool marked = *mark;
    pass_lanes_meet(lanes);
    if (lane == 0)
        *mark = 0;
    return marked;
}

/* A pass over the nodes of marked tiles. */
#define PASS_OF_TILES(its, node, marks)                                                            \
    PASS_LANES_AT(its, independent_set)                                                            \
    {                                                                                              \
        int64_t end = (i + 1) * TILE < work->graph.upper.n ? (i + 1) * TILE : work->graph.upper.n; \
        if (tile_takes(&work->marks[i], lane, lanes))                                              \
            for (int64_t k = i * TILE + lane; k < end; k += lanes)                                 \
                node(work, k);                                                                     \
    }
PASS_OF_TILES(spreading, node_spread, spreads)
PASS_OF_TILES(deciding, node_decide, decides)

/* sum, over tiles: those with a node whose state has changed, or beside one. */
FIND_DECLARE(find_changing);
/* sum: how many lie in no aggregate and are not LEFT_OUT. */
FIND_DECLARE(find_free);

PASS_AT(counting_roots, independent_set)
{
    if (i == 0)
        work->numbers[0] = 0;
    work->numbers[i + 1] = work->state[i] == STATE_ROOT;
}

PASS_AT(numbering_roots, independent_set)
{
    if (work->state[i] == STATE_ROOT)
        work->graph.mate[i] = (int32_t)work->numbers[i];
}

/* The strongest neighbour that lies in an aggregate, by graph_propose. */
PASS_AT(joining_roots, independent_set)
{
    int32_t own = work->graph.mate[i];
    if (own == FREE) {
        struct proposal best = graph_propose(&work->graph, i, 0, 1);
        if (best.to != FREE && best.weight > work->threshold)
            own = work->graph.mate[best.to];
    }
    work->joined[i] = own;
}

PASS_AT(keeping_joined, independent_set)
{
    work->graph.mate[i] = work->joined[i];
}

/* The map of the aggregates. */
PASS_AT(mapping_nodes, independent_set)
{
    int32_t own = work->graph.mate[i];
    work->joined[i] = own < 0 ? IN_NO_AGGREGATE : own;
}

PASS_DECLARE(pass_prioritizing);
PASS_DECLARE(pass_hashing);
PASS_DECLARE(pass_isolating);
PASS_DECLARE(pass_spreading);
PASS_DECLARE(pass_spreading_on);
PASS_DECLARE(pass_deciding);
PASS_DECLARE(pass_counting_roots);
PASS_DECLARE(pass_numbering_roots);
PASS_DECLARE(pass_joining_roots);
PASS_DECLARE(pass_keeping_joined);
PASS_DECLARE(pass_mapping_nodes);

#endif

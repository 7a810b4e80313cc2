#include "precondition/multigrid/setup/distance2.h"

#include "precondition/multigrid/setup/distance2_rows.h"
#include "space/rows.h"

static const char what[] = "aggregates at a distance of 2";

enum { COUNT_EVERY = 8 }; /* rounds between two looks whether a node has changed */

static enum status run(const struct independent_set *set, const struct pass *pass,
                       struct error *error)
{
    const struct csr *nodes = &set->graph.upper;
    return rows_run(nodes->space, pass, nodes->n, set, error);
}

static int64_t tiles_of(const struct independent_set *set)
{
    return (set->graph.upper.n + TILE - 1) / TILE;
}

static enum status run_tiles(const struct independent_set *set, const struct pass *pass,
                             struct error *error)
{
    return rows_run(set->graph.upper.space, pass, tiles_of(set), set, error);
}

static enum status count(const struct independent_set *set, const struct find *find, int64_t n,
                         uint64_t *counted, struct error *error)
{
    struct found found;
    enum status status = space_find(set->graph.upper.space, find, n, set, &found, error);
    *counted = status ? 0 : found.sum;
    return status;
}

static enum status make_arrays(struct independent_set *set, int distance, struct error *error)
{
    struct space *space = set->graph.upper.space;
    int64_t n = set->graph.upper.n;
    enum status status =
        rows_array(space, n, sizeof *set->state, what, (void **)&set->state, error);
    for (int k = 0; k < 2 && k < distance - 2 && !status; k++)
        status = rows_array(space, n, sizeof *set->state, what, (void **)&set->farther[k], error);
    if (!status)
        status = rows_array(space, n, sizeof *set->nearest, what, (void **)&set->nearest, error);
    if (!status)
        status = rows_array(space, n, sizeof *set->joined, what, (void **)&set->joined, error);
    if (!status)
        status =
            rows_array(space, n + 1, sizeof *set->numbers, what, (void **)&set->numbers, error);
    if (!status)
        status = rows_array(space, tiles_of(set), 1, what, (void **)&set->spreads, error);
    if (!status)
        status = rows_array(space, tiles_of(set), 1, what, (void **)&set->decides, error);
    return status;
}

static void free_arrays(struct independent_set *set)
{
    struct space *space = set->graph.upper.space;
    rows_release(space, set->state);
    rows_release(space, set->nearest);
    rows_release(space, set->farther[0]);
    rows_release(space, set->farther[1]);
    rows_release(space, set->joined);
    rows_release(space, set->numbers);
    rows_release(space, set->spreads);
    rows_release(space, set->decides);
}

/* set->from: the greatest states at a distance that is one less. */
static enum status spread(struct independent_set *set, int distance, struct error *error)
{
    enum status status = run_tiles(set, &pass_spreading, error);
    set->from = set->nearest;
    for (int k = 2; k < distance && !status; k++) {
        set->to = set->farther[k % 2];
        status = run(set, &pass_spreading_on, error);
        set->from = set->to;
    }
    return status;
}

/* In each round the undecided node of the highest priority is decided, so nothing changes once all
 * are. A device waits for each look. */
static enum status find_roots(struct independent_set *set, int distance, struct error *error)
{
    uint64_t changing = 1;
    int rounds = 0;
    enum status status = run(set, &pass_prioritizing, error);
    if (!status)
        status = run(set, &pass_isolating, error);
    if (!status)
        status = run(set, &pass_prioritizing, error);
    while (!status && changing > 0) {
        set->hashed = rounds >= DISTANCE2_ROUNDS;
        if (rounds++ == DISTANCE2_ROUNDS)
            status = run(set, &pass_hashing, error);
        if (!status)
            status = spread(set, distance, error);
        if (!status)
            status = run_tiles(set, &pass_deciding, error);
        if (!status && rounds % COUNT_EVERY == 0)
            status = count(set, &find_changing, tiles_of(set), &changing, error);
    }
    return status;
}

static enum status number_roots(struct independent_set *set, int64_t *roots, struct error *error)
{
    struct space *space = set->graph.upper.space;
    int64_t n = set->graph.upper.n;
    enum status status = run(set, &pass_counting_roots, error);
    if (!status)
        status = rows_scan(space, n, set->numbers, error);
    if (!status)
        status = rows_download(space, sizeof *roots, set->numbers + n, roots, error);
    return status ? status : run(set, &pass_numbering_roots, error);
}

/* At a distance of 2 a node that is not beside a root has a neighbour that is: two rounds. A
 * neighbour that is in none, and comes to be in none, ends them too. */
static enum status join(struct independent_set *set, struct error *error)
{
    uint64_t left, before = UINT64_MAX;
    set->graph.joins = true;
    enum status status = count(set, &find_free, set->graph.upper.n, &left, error);
    while (!status && left > 0 && left < before) {
        before = left;
        status = run(set, &pass_joining_roots, error);
        if (!status)
            status = run(set, &pass_keeping_joined, error);
        if (!status)
            status = count(set, &find_free, set->graph.upper.n, &left, error);
    }
    return status;
}

enum status distance2_aggregate(struct graph *graph, float threshold, int distance,
                                struct aggregates *made, struct error *error)
{
    struct independent_set set = {.graph = *graph, .threshold = threshold, .lanes = TILE};
    *made =
        (struct aggregates){.space = graph->upper.space, .n = graph->upper.n, .distance = distance};
    enum status status = make_arrays(&set, distance, error);
    if (!status)
        status = find_roots(&set, distance, error);
    if (!status)
        status = number_roots(&set, &made->count, error);
    if (!status)
        status = join(&set, error);
    if (!status)
        status = run(&set, &pass_mapping_nodes, error);
    made->map = set.joined;
    set.joined = NULL;
    if (!status)
        status = aggregates_list(made, error);
    free_arrays(&set);
    if (status)
        aggregates_free(made);
    return status;
}

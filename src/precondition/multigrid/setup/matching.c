#include "precondition/multigrid/setup/matching.h"

#include "precondition/multigrid/setup/graph.h"
#include "precondition/multigrid/setup/matching_rows.h"
#include "space/rows.h"
#include "spmv/device_csr.h"

static const char what_map[] = "the aggregates";

static enum status match(struct graph *graph, bool joins, struct error *error)
{
    struct space *space = graph->upper.space;
    int64_t n = graph->upper.n;
    enum status status = STATUS_OK;
    for (int round = 0; round < MATCHING_ROUNDS && !status; round++) {
        status = rows_run(space, &pass_proposing, n, graph, error);
        if (!status)
            status = rows_run(space, &pass_accepting, n, graph, error);
    }
    graph->joins = joins;
    if (!status && joins)
        status = rows_run(space, &pass_proposing, n, graph, error);
    if (!status && joins)
        status = rows_run(space, &pass_joining, n, graph, error);
    return status;
}

/* Numbered by their first nodes, ascending, of those that have not joined. */
static enum status number_pairs(const struct graph *graph, struct aggregates *made,
                                struct error *error)
{
    struct space *space = graph->upper.space;
    int64_t nodes = graph->upper.n, count = 0;
    struct numbering by = {.mate = graph->mate, .best = graph->best, .block = graph->block};
    *made = (struct aggregates){.space = space, .n = nodes * by.block};
    enum status status =
        rows_array(space, made->n, sizeof *made->map, what_map, (void **)&made->map, error);
    if (!status)
        status =
            rows_array(space, nodes + 1, sizeof *by.numbers, what_map, (void **)&by.numbers, error);
    by.map = made->map;
    if (!status)
        status = rows_run(space, &pass_leading, nodes, &by, error);
    if (!status)
        status = rows_scan(space, nodes, by.numbers, error);
    if (!status)
        status = rows_download(space, sizeof count, by.numbers + nodes, &count, error);
    if (!status)
        status = rows_run(space, &pass_numbering, nodes, &by, error);
    made->count = count * by.block;
    if (!status && !space) /* a device sums by the map alone */
        status = aggregates_list(made, error);
    rows_release(space, by.numbers);
    return status;
}

static enum status pair(const struct csr *A, int64_t block, bool joins, struct aggregates *made,
                        struct error *error)
{
    struct graph graph;
    enum status status = graph_make(A, block, &graph, error);
    if (!status)
        status = match(&graph, joins, error);
    if (!status)
        status = number_pairs(&graph, made, error);
    graph_free(&graph);
    return status;
}

/* The map through `pairs` too; of the first pass, where it is kept, in another place. */
static enum status compose(struct aggregates *aggregates, const struct aggregates *pairs,
                           struct passes *kept, struct error *error)
{
    struct space *space = aggregates->space;
    struct composing by = {aggregates->map, pairs->map, aggregates->map};
    enum status status = STATUS_OK;
    if (kept && kept->count == 0) {
        kept->of[kept->count++] = *aggregates;
        aggregates->offsets = aggregates->members = aggregates->map = NULL;
        status = rows_array(space, aggregates->n, sizeof *aggregates->map, what_map,
                            (void **)&aggregates->map, error);
        by.composed = aggregates->map;
    }
    aggregates->count = pairs->count;
    return status ? status : rows_run(space, &pass_composing, aggregates->n, &by, error);
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
    if (!status)
        status = compose(aggregates, &pairs, kept, error);
    if (status) {
        device_csr_free(&next);
        aggregates_free(&pairs);
        return status;
    }
    device_csr_free(coarse);
    *coarse = next;
    if (kept)
        kept->of[kept->count++] = pairs;
    else
        aggregates_free(&pairs);
    return STATUS_OK;
}

/* The lists of the last map. */
static enum status list(struct aggregates *aggregates, struct error *error)
{
    rows_release(aggregates->space, aggregates->offsets);
    rows_release(aggregates->space, aggregates->members);
    aggregates->offsets = aggregates->members = NULL;
    return aggregates_list(aggregates, error);
}

/* Where no node is coupled, there is no coarse matrix. */
enum status matching_aggregate(const struct csr *A, int64_t block, int passes,
                               struct aggregates *aggregates, struct csr *coarse,
                               struct passes *kept, struct error *error)
{
    *coarse = (struct csr){0};
    enum status status = pair(A, block, false, aggregates, error);
    if (!status && aggregates->count > 0)
        status = coarse_matrix(A, aggregates, coarse, error);
    for (int pass = 1; pass < passes && !status && aggregates->count > 0; pass++)
        status = pair_again(block, aggregates, coarse, kept, error);
    if (!status && aggregates->count > 0 && (passes > 1 || A->space))
        status = list(aggregates, error);
    if (status) {
        aggregates_free(aggregates);
        device_csr_free(coarse);
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
    if (!status && A->space)
        status = list(aggregates, error);
    if (status) {
        aggregates_free(aggregates);
        device_csr_free(coarse);
    }
    return status;
}

int64_t matching_bytes(const struct csr *A)
{
    enum { ENTRY = 84, ROW = 96 };
    return A->nnz < INT32_MAX ? A->nnz * ENTRY + A->n * ROW : -1;
}

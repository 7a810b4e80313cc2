#include "precondition/multigrid/setup/graph.h"

#include "space/rows.h"
#include "spmv/device_csr.h"
#include "spmv/lower_rows.h"

/* Each node's block as one entry, the sum of its squares. */
static enum status make_nodes(const struct csr *A, int64_t block, struct csr *nodes,
                              struct error *error)
{
    struct node_rows by = {.A = *A, .block = block};
    enum status status = device_csr_begin(A->space, CSR_SYMMETRIC, A->n / block, &by.nodes, error);
    if (!status)
        status = rows_run(A->space, &pass_counting_nodes, by.nodes.n, &by, error);
    if (!status)
        status = device_csr_complete(&by.nodes, error);
    if (!status)
        status = rows_run(A->space, &pass_making_nodes, by.nodes.n, &by, error);
    *nodes = by.nodes;
    return status;
}

static enum status make_arrays(struct graph *graph, struct error *error)
{
    const struct csr *nodes = &graph->upper;
    struct {
        void **array;
        int64_t count;
        size_t size;
    } wanted[] = {{(void **)&graph->diagonal, nodes->n, sizeof *graph->diagonal},
                  {(void **)&graph->weights, nodes->nnz, sizeof *graph->weights},
                  {(void **)&graph->lower_weights, nodes->nnz - nodes->n, sizeof *graph->weights},
                  {(void **)&graph->mate, nodes->n, sizeof *graph->mate},
                  {(void **)&graph->best, nodes->n, sizeof *graph->best}};
    enum status status = lower_rows(nodes, &graph->lower, error);
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted && !status; k++)
        status = rows_array(nodes->space, wanted[k].count, wanted[k].size, "a graph of couplings",
                            wanted[k].array, error);
    return status;
}

enum status graph_make(const struct csr *A, int64_t block, struct graph *graph, struct error *error)
{
    *graph = (struct graph){.upper = *A, .block = block};
    enum status status = block > 1 ? make_nodes(A, block, &graph->upper, error) : STATUS_OK;
    if (!status)
        status = make_arrays(graph, error);
    if (!status)
        status = rows_run(A->space, &pass_taking_diagonal, graph->upper.n, graph, error);
    return status ? status : graph_begin(graph, error);
}

enum status graph_begin(struct graph *graph, struct error *error)
{
    return rows_run(graph->upper.space, &pass_weighing, graph->upper.n, graph, error);
}

void graph_free(struct graph *graph)
{
    struct space *space = graph->upper.space;
    device_csr_free(&graph->lower);
    rows_release(space, graph->weights);
    rows_release(space, graph->lower_weights);
    rows_release(space, graph->diagonal);
    rows_release(space, graph->mate);
    rows_release(space, graph->best);
    if (graph->block > 1)
        device_csr_free(&graph->upper);
    *graph = (struct graph){0};
}

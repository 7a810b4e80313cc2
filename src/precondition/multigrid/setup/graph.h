/* The graph of what couples the nodes of A, as matching_rows.h describes it: set-up of aggregates
 * begins with it. */
#ifndef PRECONDITION_MULTIGRID_SETUP_GRAPH_H
#define PRECONDITION_MULTIGRID_SETUP_GRAPH_H

#include "precondition/multigrid/setup/matching_rows.h"

/* Nodes of `block` rows, in the memory of A->space; of single rows the graph's upper triangle is A,
 * borrowed. The caller calls graph_free, on failure too. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status graph_make(const struct csr *A, int64_t block, struct graph *graph,
                       struct error *error);
/* The mates as graph_make leaves them. Errors: STATUS_DEVICE. */
enum status graph_begin(struct graph *graph, struct error *error);
void graph_free(struct graph *graph); /* accepts a zeroed one */

#endif

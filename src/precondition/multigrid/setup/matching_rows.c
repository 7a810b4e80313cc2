#include "precondition/multigrid/setup/matching_rows.h"

#include "space/define_pass.h"

#define PASS_OF_NODES(its, work_type)                                                              \
    ELEMENTS_AT(its, work_type)                                                                    \
    PASS(pass_##its, its, work_type, .name = "aggregates by matching", .always = true)

PASS_OF_NODES(taking_diagonal, graph)
PASS_OF_NODES(weighing, graph)
PASS_OF_NODES(accepting, graph)
PASS_OF_NODES(joining, graph)
PASS_OF_NODES(leading, numbering)
PASS_OF_NODES(numbering, numbering)
PASS_OF_NODES(composing, composing)
PASS_OF_NODES(counting_nodes, node_rows)
PASS_OF_NODES(making_nodes, node_rows)

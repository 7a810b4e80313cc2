#include "precondition/multigrid/setup/distance2_rows.h"

#include "space/define_pass.h"

#define PASS_NAMED(its)                                                                            \
    PASS(pass_##its, its, independent_set, .name = "aggregates at a distance of 2", .always = true)
#define PASS_OF_TILES_OF(its)                                                                      \
    LANES_AT(its, independent_set)                                                                 \
    PASS_NAMED(its)
#define PASS_OF_NODES(its)                                                                         \
    ELEMENTS_AT(its, independent_set)                                                              \
    PASS_NAMED(its)

PASS_OF_NODES(prioritizing)
PASS_OF_NODES(hashing)
PASS_OF_NODES(isolating)
PASS_OF_TILES_OF(spreading)
PASS_OF_NODES(spreading_on)
PASS_OF_TILES_OF(deciding)
PASS_OF_NODES(counting_roots)
PASS_OF_NODES(numbering_roots)
PASS_OF_NODES(joining_roots)
PASS_OF_NODES(keeping_joined)
PASS_OF_NODES(mapping_nodes)

FIND_AT(changing, independent_set)
{
    found->sum += work->spreads[i];
}

FIND_AT(free, independent_set)
{
    found->sum += work->graph.mate[i] == FREE;
}

FIND(find_changing, changing, independent_set, "aggregates at a distance of 2")
FIND(find_free, free, independent_set, "aggregates at a distance of 2")

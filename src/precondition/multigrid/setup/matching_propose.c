#include "precondition/multigrid/setup/matching_rows.h"

#include "space/host_loops.h"

HOST_LOOP_AT(proposing, graph)

const struct pass pass_proposing = {.name = "aggregates by matching",
                                    .make = proposing_elements,
                                    .cuda = "proposing_cuda",
                                    .always = true};

#include "precondition/multigrid/setup/matching_rows.h"

static void propose(const void *work, int64_t begin, int64_t end)
{
    const struct graph graph = *(const struct graph *)work;
    for (int64_t i = begin; i < end; i++)
        proposing_at(&graph, i);
}

const struct pass pass_proposing = {
    .name = "aggregates by matching", .make = propose, .cuda = "proposing_cuda", .always = true};

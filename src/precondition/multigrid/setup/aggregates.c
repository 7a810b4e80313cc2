#include "precondition/multigrid/setup/aggregates.h"

#include "base/memory.h"

#include <string.h>

enum status aggregates_list(struct aggregates *a, struct error *error)
{
    a->offsets = memory_zeros(a->count + 2, sizeof *a->offsets, "the aggregates", error);
    a->members =
        a->offsets ? memory_array(a->n, sizeof *a->members, "the aggregates", error) : NULL;
    if (!a->members) {
        memory_free(a->offsets);
        a->offsets = NULL;
        return STATUS_MEMORY;
    }
    int32_t *ends =
        a->offsets + 1; /* until the end: ends[I] is where I's next row comes to stand */
    for (int64_t i = 0; i < a->n; i++)
        if (a->map[i] != IN_NO_AGGREGATE)
            ends[a->map[i] + 1]++;
    for (int64_t I = 0; I < a->count; I++)
        ends[I + 1] += ends[I];
    for (int64_t i = 0; i < a->n; i++)
        if (a->map[i] != IN_NO_AGGREGATE)
            a->members[ends[a->map[i]]++] = (int32_t)i;
    return STATUS_OK;
}

void aggregates_free(struct aggregates *a)
{
    memory_free(a->map);
    memory_free(a->offsets);
    memory_free(a->members);
    memset(a, 0, sizeof *a);
}

void passes_free(struct passes *passes)
{
    for (int p = 0; p < passes->count; p++)
        aggregates_free(&passes->of[p]);
    passes->count = 0;
}

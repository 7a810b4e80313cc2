/* The next level by the aggregates of an earlier hierarchy: the same sums, without a look at what
 * would be joined now. */
#include "precondition/multigrid/setup/builder.h"

#include "base/memory.h"

enum status aggregates_bring(struct space *space, const struct aggregates *device,
                             struct aggregates *host, struct error *error)
{
    *host =
        (struct aggregates){.n = device->n, .count = device->count, .distance = device->distance};
    host->map = memory_array(host->n, sizeof *host->map, "the aggregates", error);
    enum status status = host->map ? STATUS_OK : STATUS_MEMORY;
    if (!status)
        status = space->operations->download(space, host->n * (int64_t)sizeof *host->map,
                                             device->map, host->map, error);
    return status ? status : aggregates_list(host, error);
}

static enum status bring_passes(struct space *space, const struct passes *device,
                                struct passes *host, struct error *error)
{
    enum status status = STATUS_OK;
    for (int p = 0; p < device->count && !status; p++) {
        host->count++;
        status = aggregates_bring(space, &device->of[p], &host->of[p], error);
    }
    return status;
}

/* By maps that are where A is. */
static enum status sum(struct builder *builder, const struct aggregates *aggregates,
                       const struct passes *passes, struct csr *coarse, struct error *error)
{
    enum status status = coarse_level(builder, aggregates, passes, coarse, error);
    return status ? status : hash_level(builder, aggregates, coarse, error);
}

/* On the host, by maps that may be in the memory of a device. */
static enum status sum_on_host(struct builder *builder, struct level *above, struct csr *coarse,
                               struct error *error)
{
    struct space *space = builder->hierarchy->space;
    const struct joining *joining = &above->joining;
    struct aggregates brought = {0};
    struct passes passes = {0};
    bool on_host = !above->aggregates.space;
    enum status status =
        on_host ? STATUS_OK : aggregates_bring(space, &above->aggregates, &brought, error);
    if (!status && joining->on_device)
        status = bring_passes(space, &joining->passes, &passes, error);
    if (!status)
        status = sum(builder, on_host ? &above->aggregates : &brought,
                     joining->on_device ? &passes : &joining->passes, coarse, error);
    aggregates_free(&brought);
    passes_free(&passes);
    return status;
}

enum status renew_below(struct builder *builder, struct level *above, struct csr *coarse,
                        struct error *error)
{
    int k = builder->hierarchy->count - 1;
    struct maps *maps = builder->maps;
    above->aggregates = maps->levels[k].aggregates;
    above->members = maps->levels[k].members;
    above->joining = maps->levels[k].joining;
    maps->levels[k].aggregates = (struct aggregates){0};
    maps->levels[k].joining.passes.count = 0;
    builder->cells = above->joining.cells;
    return builder->device_setup
               ? sum(builder, &above->aggregates, &above->joining.passes, coarse, error)
               : sum_on_host(builder, above, coarse, error);
}

void maps_take(struct hierarchy *hierarchy, struct maps *maps)
{
    *maps = (struct maps){.block = hierarchy->block,
                          .stalled = hierarchy->stalled,
                          .bounded = hierarchy->bounded,
                          .torn = hierarchy->torn,
                          .count = hierarchy->count - 1};
    for (int k = 0; k < maps->count; k++) {
        struct level *level = &hierarchy->levels[k];
        maps->levels[k].aggregates = level->aggregates;
        maps->levels[k].members = level->members;
        maps->levels[k].joining = level->joining;
        level->aggregates = (struct aggregates){0};
        level->joining.passes.count = 0;
    }
    hierarchy_free(hierarchy);
}

void maps_free(struct maps *maps)
{
    for (int k = 0; k < maps->count; k++) {
        aggregates_free(&maps->levels[k].aggregates);
        passes_free(&maps->levels[k].joining.passes);
    }
}

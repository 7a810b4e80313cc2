/* From one level to the next: aggregates, and the matrix that they make. */
#include "precondition/multigrid/setup/builder.h"

#include "base/hash.h"
#include "base/threads.h"
#include "precondition/multigrid/setup/aggregates.h"
#include "precondition/multigrid/setup/level_rows.h"
#include "precondition/multigrid/setup/matching.h"
#include "precondition/multigrid/setup/rescale.h"
#include "spmv/device_csr.h"

#include <math.h>

/* An axis along which the coupling is so much weaker than along the strongest is not coarsened. */
static const double WEAK = 0.25;

/* Of rescale.h, for a grid and for a matching, whose aggregates lie less evenly. */
static const double CORRECTION_GRID = 2, OF_SUM_GRID = 0.625;
static const double CORRECTION_MATCHING = 1.8, OF_SUM_MATCHING = 0.875;

/* Aggregates that keep more of the rows than this are not worth a level. */
static const double STALLS = 0.8;

struct surveyor surveyor_of(const struct builder *builder)
{
    surveys *survey = builder->A->space ? builder->device_setup->survey : survey_host;
    return (struct surveyor){survey, builder->hierarchy->space, builder->A, builder->slab};
}

/* Whether an aggregate of the grid would be torn: each leaves a mode that no level sees, and each
 * level has more of them than the one before. */
static enum status look_for_torn(const struct builder *builder, bool *is, struct error *error)
{
    struct level_pairs work = {.A = *builder->A, .pairing.block = builder->block};
    const struct slab *slab = builder->slab;
    struct pairing *pairing = &work.pairing;
    struct found found;
    for (int axis = 0; axis < 3; axis++) {
        pairing->halved[axis] = builder->halved[axis];
        pairing->n[axis] = builder->cells.n[axis];
        pairing->pairs[axis] =
            pairing->halved[axis] ? (pairing->n[axis] + 1) / 2 : pairing->n[axis];
    }
    int64_t count = pairing_count(pairing), plane = 1;
    for (int axis = 0; slab && axis < slab->axis; axis++)
        plane *= pairing->pairs[axis];
    if (slab && slab->fine.base > 0)
        work.first = plane;
    if (slab && slab->fine.base + builder->A->n < cells_count(&slab->all) * builder->block)
        count -= plane;
    enum status status =
        space_find(work.A.space, &find_torn, count - work.first, &work, &found, error);
    if (!status)
        status = ranks_join_found(slab ? slab->ranks : NULL, &found, error);
    *is = !status && found.sum > 0;
    return status;
}

enum status choose_axes(struct builder *builder, struct cells *cells, struct error *error)
{
    const double *strength = cells->strength;
    if (cells->halvings[0] + cells->halvings[1] + cells->halvings[2] > 0) { /* below level 0 */
        struct surveyor by = surveyor_of(builder);
        enum status status = cells_measure(&by, cells, error);
        if (status)
            return status;
    }
    double most = fmax(strength[0], fmax(strength[1], strength[2]));
    for (int axis = 0; axis < 3; axis++)
        builder->halved[axis] = cells->n[axis] > 1 && strength[axis] >= WEAK * most;
    if (builder->options->aggregates != AGGREGATION_AUTO)
        return STATUS_OK;
    bool torn;
    enum status status = look_for_torn(builder, &torn, error);
    builder->hierarchy->torn = torn;
    if (torn)
        builder->cells = (struct cells){0};
    return status;
}

/* The passes of a matching, where they are kept. */
static struct passes *passes_of(const struct builder *builder, struct level *above)
{
    bool keeps = builder->options->reuse == REUSE_AGGREGATES && builder->options->passes > 1;
    return keeps ? &above->joining.passes : NULL;
}

struct rescaling rescaling_of(const struct builder *builder)
{
    bool grid = builder->cells.n[0] > 0;
    double given = builder->options->correction;
    double usual = grid ? CORRECTION_GRID : CORRECTION_MATCHING;
    return (struct rescaling){.correction = given > 0 ? given : usual,
                              .of_sum = grid ? OF_SUM_GRID : OF_SUM_MATCHING,
                              .block = builder->block,
                              .cells = &builder->cells,
                              .slab = builder->slab};
}

static enum status upload(struct space *space, const int32_t *host, int64_t count, int32_t **device,
                          struct error *error)
{
    enum status status = space->operations->allocate(space, count, sizeof **device,
                                                     "the aggregates", (void **)device, error);
    return status ? status
                  : space->operations->upload(space, count * (int64_t)sizeof *host, host, *device,
                                              error);
}

/* In the space; of a CPU that is where they are. */
static enum status keep_aggregates(struct space *space, struct aggregates *made,
                                   struct aggregates *kept, struct error *error)
{
    if (made->space || space->operations->kind == SPACE_CPU) {
        *kept = *made;
        *made = (struct aggregates){0};
        return STATUS_OK;
    }
    *kept = (struct aggregates){.space = space, .n = made->n, .count = made->count};
    enum status status = upload(space, made->map, made->n, &kept->map, error);
    if (!status)
        status = upload(space, made->offsets, made->count + 1, &kept->offsets, error);
    return status ? status
                  : upload(space, made->members, made->offsets[made->count], &kept->members, error);
}

enum status hash_level(const struct builder *builder, const struct aggregates *made,
                       const struct csr *coarse, struct error *error)
{
    const struct slab *slab = builder->slab;
    struct slab_rows fine = {.end = made->n}, rows = {.end = coarse->n};
    struct found found[2], *map = &found[0], *matrix = &found[1];
    if (slab) {
        fine = slab->fine;
        rows = slab->coarse;
    }
    struct level_map of_map = {made->map + fine.begin, fine.base + fine.begin, rows.base};
    struct level_rows of_rows = {.A = *coarse, .row = rows.base + rows.begin, .base = rows.base};
    of_rows.A.offsets += rows.begin;
    struct finding findings[] = {{&find_map_hash, fine.end - fine.begin, &of_map},
                                 {&find_matrix_hash, rows.end - rows.begin, &of_rows}};
    enum status status = space_find_all(coarse->space, 2, findings, found, error);
    if (!status)
        status = ranks_join_found(slab ? slab->ranks : NULL, map, error);
    if (!status)
        status = ranks_join_found(slab ? slab->ranks : NULL, matrix, error);
    uint64_t *hash = &builder->hierarchy->hash;
    if (!status)
        *hash = hash_word(hash_word(*hash, map->sum), matrix->sum);
    return status;
}

bool stalls(struct hierarchy *hierarchy, const struct level *above, int64_t count)
{
    hierarchy->stalled = (double)count > STALLS * (double)above->n;
    return hierarchy->stalled || count == 0;
}

enum status coarse_level(const struct builder *builder, const struct aggregates *aggregates,
                         const struct passes *passes, struct csr *coarse, struct error *error)
{
    const struct csr *A = builder->A;
    struct rescaling by = rescaling_of(builder);
    if (builder->cells.n[0] > 0 && A->space)
        return builder->device_setup->coarsen(A->space, A, &by, coarse, error);
    enum status status = STATUS_OK;
    if (passes && passes->count > 0)
        status = coarse_matrix_by_passes(A, passes, coarse, error);
    else if (!coarse->n)
        status = coarse_matrix(A, aggregates, coarse, error);
    return status ? status : rescale(&by, coarse, error);
}

/* The aggregates of a grid; or those of a matching, with A_c. */
static enum status aggregate(struct builder *builder, struct level *above, struct aggregates *made,
                             struct csr *coarse, struct error *error)
{
    const struct csr *A = builder->A;
    if (builder->cells.n[0] > 0)
        return cells_aggregate(&builder->cells, builder->halved, A->space, made, error);
    return matching_aggregate(A, builder->block, (int)builder->options->passes, made, coarse,
                              passes_of(builder, above), error);
}

/* A matching that stalled, with what it leaves. */
static enum status join(struct builder *builder, struct level *above, struct aggregates *made,
                        struct csr *coarse, struct error *error)
{
    aggregates_free(made);
    device_csr_free(coarse);
    passes_free(&above->joining.passes);
    return matching_join(builder->A, builder->block, made, coarse, error);
}

/* The matrix of one more level below `above`, unless it is not worth one. */
enum status go_below(struct builder *builder, struct level *above, struct csr *coarse, bool *done,
                     struct error *error)
{
    struct hierarchy *hierarchy = builder->hierarchy;
    struct aggregates made = {0};
    enum status status = aggregate(builder, above, &made, coarse, error);
    *done = !status && stalls(hierarchy, above, made.count);
    if (*done && hierarchy->stalled && builder->cells.n[0] == 0) {
        status = join(builder, above, &made, coarse, error);
        *done = !status && stalls(hierarchy, above, made.count);
    }
    if (!status && !*done)
        status = coarse_level(builder, &made, NULL, coarse, error);
    if (!status && !*done)
        status = hash_level(builder, &made, coarse, error);
    if (!status && !*done && builder->cells.n[0] > 0)
        above->members = made.n; /* all rows are in an aggregate */
    else if (!status && !*done)
        status = aggregates_members(&made, &above->members, error);
    if (!status && !*done)
        status = keep_aggregates(hierarchy->space, &made, &above->aggregates, error);
    aggregates_free(&made);
    return status;
}

/* Whether a matching, or smoothed aggregation, is made there: where there is memory for it. */
static bool sums_on_device(const struct builder *builder)
{
    struct space *space = builder->hierarchy->space;
    struct error ignored;
    int64_t bytes = builder->hierarchy->smoothed ? smoothed_bytes(builder->A, &builder->vectors)
                                                 : matching_bytes(builder->A);
    return bytes >= 0 && !space->operations->fits(space, bytes, "", &ignored);
}

/* Whether the next level is made there; by maps also whether it was. */
static bool stays_on_device(const struct builder *builder)
{
    const struct maps *maps = builder->maps;
    if (maps && !maps->levels[builder->hierarchy->count - 1].joining.on_device)
        return false;
    return builder->cells.n[0] > 0 || sums_on_device(builder);
}

enum status descend(struct builder *builder, bool *done, struct error *error)
{
    struct hierarchy *hierarchy = builder->hierarchy;
    struct level *above = &hierarchy->levels[hierarchy->count - 1];
    struct csr coarse = {0};
    enum status status = STATUS_OK;
    if (!builder->maps && builder->cells.n[0] > 0)
        status = choose_axes(builder, &builder->cells, error);
    if (!status && builder->device_setup && builder->cells.n[0] == 0)
        status = builder_store(builder, error);
    if (!status && builder->device_setup && !stays_on_device(builder))
        status = level_come_back(builder, error);
    if (status)
        return status;
    struct csr *kept =
        builder->device_setup ? &builder->brought : &hierarchy->levels[hierarchy->count].coarse;
    above->joining.on_device = builder->device_setup;
    status = hierarchy->smoothed ? go_below_smoothed(builder, above, &coarse, done, error)
             : builder->maps     ? renew_below(builder, above, &coarse, error)
                                 : go_below(builder, above, &coarse, done, error);
    above->joining.cells = builder->cells;
    if (!status && !*done)
        level_keep(builder);
    device_csr_free(status || *done ? &coarse : kept);
    if (status || *done) {
        passes_free(&above->joining.passes);
        return status;
    }
    hierarchy->on_grid += builder->cells.n[0] > 0;
    *kept = coarse;
    builder->A = kept;
    return level_add(builder, NULL, error);
}

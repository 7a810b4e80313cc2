#include "precondition/multigrid/distributed/slabs.h"

#include "base/cuda_part.h"
#include "base/hash.h"
#include "base/memory.h"
#include "matrix/implicit_rows.h"
#include "precondition/multigrid/distributed/distribute.h"
#include "precondition/multigrid/distributed/planes.h"
#include "precondition/multigrid/setup/bound.h"
#include "precondition/multigrid/setup/builder.h"
#include "precondition/multigrid/setup/to_float.h"
#include "spmv/device_csr.h"
#include "spmv/distributed/exchanged_rows.h"
#include "spmv/distributed/moved_rows.h"
#include "spmv/symmetric/blocks/sym_blocks.h"

#include <math.h>

/* The level at hand. */
struct slabs {
    struct builder builder; /* its cells are those of the slab */
    struct slab slab;
    struct space *space;   /* in whose memory the slabs are; NULL: in the host's */
    const int32_t *number; /* of slabs_build */
    struct distribution by;
    struct csr A, maker; /* the rows of the slab, and the matrix of all rows, which makes these */
    struct partial_csr kept;
};

/* --- the planes of a slab --------------------------------------------------------------------- */

/* *made = the planes of the next level that this rank is to have, or all of them, from `A`, which
 * the planes before have become. */
static enum status bring(const struct partition *fine, const struct cells *before,
                         const struct partition *partition, const struct cells *cells, bool all,
                         const struct csr *A, struct csr *made, struct error *error)
{
    int ranks = partition->exchange->count;
    int64_t rows = planes_rows(cells);
    struct wanted_rows *wanted = memory_array(ranks, sizeof *wanted, "the planes", error);
    for (int r = 0; r < ranks && wanted; r++) {
        struct planes has = planes_halve(planes_of(before, fine, r), before, cells);
        struct planes wants = planes_of(cells, partition, r);
        if (all)
            wants = (struct planes){0, cells->n[planes_axis(cells)]};
        wanted[r] = (struct wanted_rows){has.first * rows, wants.first * rows, wants.last * rows};
    }
    enum status status = wanted ? exchange_rows(partition, wanted, A, made, error) : STATUS_MEMORY;
    memory_free(wanted);
    return status;
}

/* --- the levels ------------------------------------------------------------------------------- */

static struct slab_rows own_rows(const struct partition *partition, int64_t base)
{
    int64_t begin = partition_first(partition) - base;
    return (struct slab_rows){base, begin, begin + partition_rows(partition)};
}

/* A has come as the planes of this rank. */
static void begin_level(struct slabs *slabs, struct ranks *ranks)
{
    const struct partition *partition = &ranks->partition;
    struct slab *slab = &slabs->slab;
    struct planes planes = planes_of(&slab->all, partition, partition->exchange->rank);
    int64_t base = planes.first * planes_rows(&slab->all);
    slab->ranks = ranks;
    slab->axis = planes_axis(&slab->all);
    slab->fine = own_rows(partition, base);
    slabs->maker = partial_csr_of(&slabs->A, base, partition->n, &slabs->kept);
    slab->A = &slabs->maker;
    slabs->builder.A = &slabs->A;
    slabs->builder.cells = planes_cells(&slab->all, planes);
}

/* The rows that this rank wants of those that are not stored: from where they are kept, or made;
 * where a device makes them, in its memory. */
static enum status get_rows(const struct slabs *slabs, struct wanted_rows *wanted,
                            const struct csr *A, struct csr *made, struct error *error)
{
    const struct partition *partition = &slabs->slab.ranks->partition;
    const struct wanted_rows *own = &wanted[partition->exchange->rank];
    if (slabs->space && device_csr_makes(slabs->space, A))
        return device_csr_make_rows(slabs->space, A, own->first, own->last, made, error);
    return A->maker->kept ? exchange_made_rows(partition, wanted, A, made, error)
                          : csr_make_rows(A, own->first, own->last, made, error);
}

/* The own rows and the others of the tiles of a survey, as *made, and a matrix that makes these;
 * where A is stored there is nothing to do. */
static enum status get_own_rows(struct slabs *slabs, const struct csr *A, struct csr *made,
                                struct error *error)
{
    const struct partition *partition = &slabs->slab.ranks->partition;
    int count = partition->exchange->count;
    int64_t more = survey_tile(A->n) * SYM_BLOCK_MAX;
    *made = (struct csr){0};
    if (A->offsets)
        return STATUS_OK;
    struct wanted_rows *wanted = memory_array(count, sizeof *wanted, "the own rows", error);
    for (int r = 0; r < count && wanted; r++) {
        int64_t last = partition->begin[r + 1] + more;
        wanted[r] = (struct wanted_rows){0, partition->begin[r], last < A->n ? last : A->n};
    }
    enum status status = wanted ? get_rows(slabs, wanted, A, made, error) : STATUS_MEMORY;
    memory_free(wanted);
    return status;
}

/* Where samples of A are looked at: in the rows *made here, or as A's maker makes them. */
static const struct csr *sampled(struct slabs *slabs, const struct csr *A, const struct csr *made,
                                 int64_t base)
{
    if (A->offsets || made->space)
        return A;
    slabs->maker = partial_csr_of(made, base, A->n, &slabs->kept);
    return &slabs->maker;
}

/* The grid of A. */
static enum status find_grid(struct slabs *slabs, const struct csr *A, struct error *error)
{
    struct builder *builder = &slabs->builder;
    struct slab *slab = &slabs->slab;
    const struct partition *partition = &slab->ranks->partition;
    int64_t base = A->offsets ? 0 : partition_first(partition);
    struct csr made;
    enum status status = get_own_rows(slabs, A, &made, error);
    if (status)
        return status;
    builder->A = A->offsets ? A : &made;
    slab->A = sampled(slabs, A, &made, base);
    slab->fine = own_rows(partition, base);
    status = look_for_block(builder, error);
    struct surveyor by = surveyor_of(builder);
    if (!status)
        status = cells_find(&by, builder->block, &slab->all, error);
    device_csr_free(&made);
    return status;
}

/* The slab to where the slabs are. */
static enum status move_slab(struct slabs *slabs, struct error *error)
{
    struct csr here = slabs->A;
    if (!slabs->space || here.space)
        return STATUS_OK;
    enum status status = device_csr_bring(slabs->space, &here, &slabs->A, error);
    slabs->A.host = NULL;
    csr_free(&here);
    return status;
}

/* The planes of A; of a stored one they are copied. */
static enum status take_planes(struct slabs *slabs, const struct csr *A, struct error *error)
{
    const struct partition *partition = &slabs->slab.ranks->partition;
    int count = partition->exchange->count;
    int64_t rows = planes_rows(&slabs->slab.all);
    struct wanted_rows *wanted = memory_array(count, sizeof *wanted, "the planes", error);
    struct partial_csr kept;
    struct csr stored;
    for (int r = 0; r < count && wanted; r++) {
        struct planes planes = planes_of(&slabs->slab.all, partition, r);
        wanted[r] = (struct wanted_rows){0, planes.first * rows, planes.last * rows};
    }
    if (A->offsets)
        stored = partial_csr_of(A, 0, A->n, &kept);
    const struct wanted_rows *own = wanted + partition->exchange->rank;
    enum status status = !wanted ? STATUS_MEMORY
                         : A->offsets
                             ? csr_make_rows(&stored, own->first, own->last, &slabs->A, error)
                             : get_rows(slabs, wanted, A, &slabs->A, error);
    memory_free(wanted);
    if (!status)
        status = rows_cut(&slabs->A, error);
    return status ? status : move_slab(slabs, error);
}

/* Whether the level below that at hand, on *next, is to be made from a slab of this one. */
static enum status look_ahead(struct slabs *slabs, struct cells *next, bool *is,
                              struct error *error)
{
    struct builder *builder = &slabs->builder;
    struct hierarchy *hierarchy = builder->hierarchy;
    struct level level = {.n = slabs->maker.n};
    *is = level.n > builder->coarsest && hierarchy->count + 1 < OPERATOR_LEVELS;
    enum status status = *is ? choose_axes(builder, &slabs->slab.all, error) : STATUS_OK;
    *is = *is && !status && builder->cells.n[0] > 0;
    *next = slabs->slab.all;
    if (!*is)
        return status;
    cells_halve(next, builder->halved);
    *is = !stalls(hierarchy, &level, cells_count(next) * next->block);
    return STATUS_OK;
}

/* The level, but for its operator and vectors. */
static enum status add_level(struct slabs *slabs, struct level *level, struct error *error)
{
    struct hierarchy *hierarchy = slabs->builder.hierarchy;
    struct slab_rows own = slabs->slab.fine;
    struct csr *A = &slabs->A;
    level->number = hierarchy->count++;
    level->space = &slabs->slab.ranks->base;
    level->spmv = level->number == 0 ? slabs->builder.spmv : &level->own;
    level->n = slabs->maker.n;
    hierarchy->by_slabs++;
    hierarchy->on_grid++;
    enum status status = rows_entries(A, own.begin, own.end, &level->nnz, error);
    if (!status)
        status = ranks_sum(slabs->slab.ranks, 1, &level->nnz, error);
    slabs->maker.nnz = level->nnz;
    if (!status)
        status =
            space_vector(hierarchy->space, A->n, "the diagonal", (double **)&level->inverse, error);
    return status ? status : take_diagonal(&slabs->builder, level, error);
}

/* The rows of this rank among those of a slab. */
static struct csr own_among(const struct slabs *slabs, const struct csr *rows)
{
    struct csr own = *rows;
    own.n = slabs->slab.fine.end - slabs->slab.fine.begin;
    own.offsets += slabs->slab.fine.begin;
    return own;
}

/* From here on the matrices are in the scale of a cycle in single precision: builder->A is *scaled,
 * where that is another one. */
static enum status choose_scale(struct slabs *slabs, struct csr *scaled, struct error *error)
{
    struct hierarchy *hierarchy = slabs->builder.hierarchy;
    struct csr own = own_among(slabs, &slabs->A);
    enum status status = to_float_exponent(&own, slabs->slab.ranks, &hierarchy->exponent, error);
    hierarchy->nothing = ldexp(hierarchy->nothing, -hierarchy->exponent);
    if (status || hierarchy->exponent == 0)
        return status;
    slabs->builder.A = scaled;
    return to_float_scaled(&slabs->A, hierarchy->exponent, scaled, error);
}

/* The level for the cycle, of rows in its scale. */
static enum status narrow(struct slabs *slabs, const struct level *level, struct error *error)
{
    const struct csr *rows = slabs->builder.A;
    struct slab slab = slabs->slab;
    struct partial_csr kept;
    struct csr maker = partial_csr_of(rows, slab.fine.base, level->n, &kept);
    maker.nnz = level->nnz;
    slab.A = &maker;
    return distribute_narrow(slabs->builder.hierarchy, level->number, &slab, rows, &slabs->by,
                             error);
}

/* The level at hand, and what leads to the next one, on *next, whose matrix is *made. *scaled is
 * room for rows in another scale. */
static enum status make_level(struct slabs *slabs, const struct cells *next,
                              const struct partition *coarse, struct csr *made, struct csr *scaled,
                              struct error *error)
{
    struct builder *builder = &slabs->builder;
    struct hierarchy *hierarchy = builder->hierarchy;
    struct slab *slab = &slabs->slab;
    struct level *level = &hierarchy->levels[hierarchy->count];
    struct planes planes = {slab->fine.base / planes_rows(&slab->all), 0};
    struct csr own = own_among(slabs, &slabs->A);
    struct distribution by = slabs->by;
    bool done, is_float = hierarchy->precision == PRECISION_FLOAT;
    enum status status = add_level(slabs, level, error);
    if (!status && is_float && level->number == 0)
        status = choose_scale(slabs, scaled, error);
    slab->coarse =
        own_rows(coarse, planes_halve(planes, &slab->all, next).first * planes_rows(next));
    slab->all = *next;
    level[1].n = coarse->n;
    if (!status)
        status = go_below(builder, level, made, &done, error);
    level->members = level->n;
    by.least = coarse->n <= builder->coarsest ? INT64_MAX : by.least; /* it is solved */
    if (!status)
        status = distribute_level(hierarchy, level->number, slab, &by, error);
    if (!status)
        status = bound_of(&own, level->number == 0 ? slabs->number : NULL, level, &level->lmax,
                          &hierarchy->singular, error);
    return status || !is_float ? status : narrow(slabs, level, error);
}

/* The matrix of the next level, of which each rank has all. */
static struct csr *next_matrix(struct slabs *slabs)
{
    struct builder *builder = &slabs->builder;
    struct hierarchy *hierarchy = builder->hierarchy;
    return slabs->space ? &builder->brought : &hierarchy->levels[hierarchy->count].coarse;
}

/* The next level; *done: that is not by slabs, and each rank has all of its matrix. */
static enum status go_to_next(struct slabs *slabs, const struct cells *next, bool *done,
                              struct error *error)
{
    struct hierarchy *hierarchy = slabs->builder.hierarchy;
    struct cells before = slabs->slab.all;
    struct partition coarse, *fine = &slabs->slab.ranks->partition;
    struct csr made = {0}, brought = {0}, scaled = {0};
    enum status status = distribute_divide(slabs->slab.ranks, next, &coarse, error);
    if (!status)
        status = make_level(slabs, next, &coarse, &made, &scaled, error);
    struct level *level = &hierarchy->levels[hierarchy->count];
    to_float_free(&scaled);
    device_csr_free(&slabs->A);
    *done = !level->space;
    if (!status)
        status = bring(fine, &before, &coarse, next, *done, &made,
                       *done ? next_matrix(slabs) : &brought, error);
    device_csr_free(&made);
    partition_free(&coarse);
    slabs->A = brought;
    if (!status && !*done)
        begin_level(slabs, ranks_of(level->space));
    return status;
}

/* Where the slabs are: in the memory of the devices, if all have room for A's and the next one. */
static enum status find_place(struct slabs *slabs, const struct csr *A, struct error *error)
{
    struct space *space = slabs->builder.spmv->space;
    struct error ignored;
    int64_t full = slabs->builder.options->on_host;
    if (space->operations->kind != SPACE_CUDA)
        return STATUS_OK;
    if (space->operations->fits(space, 2 * csr_bytes(A), "", &ignored))
        full = 1;
    enum status status = ranks_sum(slabs->slab.ranks, 1, &full, error);
    if (status || full > 0)
        return status;
    slabs->space = slabs->slab.ranks->real;
    slabs->builder.device_setup = CUDA_PART_CONSTANT(device_setup_cuda);
    slabs->builder.hierarchy->keeps_matrices = true;
    return STATUS_OK;
}

/* All levels, where A is on a grid. */
static enum status build(struct slabs *slabs, const struct csr *A, struct error *error)
{
    struct builder *builder = &slabs->builder;
    struct hierarchy *hierarchy = builder->hierarchy;
    struct cells *all = &slabs->slab.all, next;
    bool done = false, is = true;
    enum status status = find_place(slabs, A, error);
    if (!status)
        status = find_grid(slabs, A, error);
    if (status || all->n[0] == 0)
        return status;
    hierarchy->block = builder->block;
    status = take_planes(slabs, A, error);
    if (!status)
        begin_level(slabs, slabs->slab.ranks);
    while (!status && is && !done) {
        status = look_ahead(slabs, &next, &is, error);
        if (!status && is)
            status = go_to_next(slabs, &next, &done, error);
    }
    if (status || hierarchy->count == 0)
        return status;
    const struct partition *partition = &slabs->slab.ranks->partition;
    struct csr *matrix = next_matrix(slabs);
    if (!done)
        status = bring(partition, all, partition, all, true, &slabs->A, matrix, error);
    builder->slab = NULL;
    builder->cells = *all;
    builder->A = matrix;
    if (!status)
        status = hierarchy_go_on(builder, NULL, error);
    level_keep(builder);
    return status ? status : distribute_levels(hierarchy, &slabs->by, error);
}

enum status slabs_build(const char *name, const struct multigrid_options *options,
                        const struct csr *A, const int32_t *number, struct linear_operator *spmv,
                        int64_t least, struct hierarchy *hierarchy, struct error *error)
{
    struct slabs slabs = {
        .builder = {.name = name,
                    .options = options,
                    .hierarchy = hierarchy,
                    .spmv = spmv,
                    .given = A,
                    .slab = &slabs.slab,
                    .coarsest = hierarchy_coarsest(options, A),
                    .small = fused_levels_limits(spmv, options, hierarchy_coarsest(options, A))},
        .slab.ranks = ranks_of(spmv->space),
        .number = number,
        .by = {name, spmv, NULL, least}};
    hierarchy->hash = HASH_START;
    hierarchy->singular = A->null_space;
    hierarchy->precision = (enum precision)options->precision;
    if (!spmv->kernel || options->aggregates == AGGREGATION_MATCHING ||
        hierarchy_is_smoothed(options, A))
        return STATUS_OK;
    enum status status =
        hierarchy->precision == PRECISION_FLOAT ? to_float_check(name, spmv, error) : STATUS_OK;
    if (!status)
        status = build(&slabs, A, error);
    device_csr_free(&slabs.A);
    device_csr_free(&slabs.builder.brought);
    struct level *next = &hierarchy->levels[hierarchy->count];
    if (status && hierarchy->count < OPERATOR_LEVELS && next->space) /* not a level's yet */
        next->space->operations->destroy(next->space);
    return status;
}

#include "precondition/multigrid/setup/hierarchy.h"

#include "base/cuda_part.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/threads.h"
#include "matrix/implicit_rows.h"
#include "matrix/row_kinds.h"
#include "precondition/multigrid/setup/builder.h"
#include "precondition/multigrid/setup/coarsest.h"
#include "precondition/multigrid/setup/level_rows.h"
#include "precondition/multigrid/setup/samples.h"
#include "precondition/multigrid/setup/to_float.h"
#include "spmv/device_csr.h"
#include "spmv/distributed/moved_rows.h"
#include "spmv/symmetric/blocks/sym_blocks.h"

#include <string.h>

/* Entries of a matrix that one thread coarsens sooner than several come together. */
enum { ALONE = 65536 };

enum status builder_return(struct builder *builder, struct error *error)
{
    if (builder->fetched.n == 0)
        return device_csr_on_host(builder->given, &builder->A, &builder->fetched, error);
    builder->A = &builder->fetched;
    return STATUS_OK;
}

/* By the own rows of each rank, which begin with a block of any size. */
static enum status find_block_by_ranks(const struct builder *builder, int *block,
                                       struct error *error)
{
    const struct slab *slab = builder->slab;
    const struct csr *A = builder->A;
    struct slab_rows own = slab->fine;
    struct found found;
    int64_t counts[SYM_BLOCK_MAX + 1] = {0}, n = slab->A->n, bytes;
    enum status status = rows_entries(A, own.begin, own.end, &counts[0], error);
    for (int k = SYM_BLOCK_MIN; k <= SYM_BLOCK_MAX && !status; k++) {
        if (n % k != 0)
            continue;
        struct level_blocks work = {*A, k, own.begin / k};
        status =
            space_find(A->space, &find_blocks, own.end / k - own.begin / k, &work, &found, error);
        counts[k] = (int64_t)found.sum;
    }
    if (!status)
        status = ranks_sum(slab->ranks, SYM_BLOCK_MAX + 1, counts, error);
    int best = sym_blocks_best_of(n, counts, &bytes);
    *block = sym_blocks_save(bytes, counts[0]) ? best : 0;
    return status;
}

enum status builder_store(struct builder *builder, struct error *error)
{
    if (builder->A->offsets)
        return STATUS_OK;
    const struct repeated_rows repeated = builder->A->repeated;
    enum status status =
        device_csr_bring(builder->hierarchy->space, builder->given, &builder->brought, error);
    builder->brought.repeated = repeated;
    builder->A = &builder->brought;
    return status;
}

/* Whether set-up can read the codes of level 0 alone, as long as that is on a grid. */
static bool codes_suffice(const struct builder *builder)
{
    return builder->spmv->repeated.codes && row_kinds_known(builder->given) &&
           builder->block == 1 && !builder->maps && !builder->hierarchy->smoothed &&
           !builder->hierarchy->keeps_matrices &&
           builder->options->aggregates != AGGREGATION_MATCHING &&
           builder->options->smoother == SMOOTHER_JACOBI;
}

/* A of level 0 to the memory of the space, if that is a device's and has room. */
static enum status go_on_device(struct builder *builder, struct error *error)
{
    struct space *space = builder->hierarchy->space;
    const struct device_setup *device_setup =
        space->operations->kind == SPACE_CUDA ? CUDA_PART_CONSTANT(device_setup_cuda) : NULL;
    struct error ignored;
    int64_t more =
        csr_bytes(builder->A) * (builder->A->space ? 1 : 2); /* the level beside its rows */
    if (!device_setup || space->operations->fits(space, more, "", &ignored))
        return builder_return(builder, error);
    builder->device_setup = device_setup;
    builder->seen = *builder->A;
    builder->seen.space = space;
    if (builder->A->space) {
        builder->A = &builder->seen;
        return STATUS_OK;
    }
    if (codes_suffice(builder)) {
        builder->seen.host = builder->given;
        builder->seen.offsets = NULL;
        builder->seen.columns = NULL;
        builder->seen.values = NULL;
        builder->seen.repeated = builder->spmv->repeated;
        builder->A = &builder->seen;
        return STATUS_OK;
    }
    enum status status = device_csr_bring(space, builder->given, &builder->brought, error);
    builder->A = &builder->brought;
    return status;
}

enum status look_for_block(struct builder *builder, struct error *error)
{
    int block = 0;
    bool shares;
    const struct csr *A = builder->slab ? builder->slab->A : builder->A;
    enum status status = samples_share_columns(A, builder->slab, &shares, error);
    if (shares && builder->slab)
        status = find_block_by_ranks(builder, &block, error);
    else if (shares && A->space)
        status = CUDA_PART_CONSTANT(device_setup_cuda)->find_block(A->space, A, &block, error);
    else if (shares)
        block = sym_blocks_find(A);
    builder->block = block ? block : 1;
    return status;
}

enum status hierarchy_look(const struct csr *A, int64_t *block, struct cells *cells,
                           struct error *error)
{
    struct hierarchy none = {.space = A->space};
    struct builder builder = {.hierarchy = &none, .A = A};
    if (A->space)
        builder.device_setup = CUDA_PART_CONSTANT(device_setup_cuda);
    enum status status = look_for_block(&builder, error);
    struct surveyor by = surveyor_of(&builder);
    *block = builder.block;
    *cells = (struct cells){0};
    return status ? status : cells_find(&by, *block, cells, error);
}

static enum status look_for_grid(struct builder *builder, struct error *error)
{
    enum status status = STATUS_OK;
    if (builder->maps)
        return go_on_device(builder, error);
    const struct near_null *near_null = hierarchy_near_null(builder->options, builder->given);
    if (!builder->hierarchy->smoothed || !near_null || near_null->block <= 1) /* else it knows */
        status = look_for_block(builder, error);
    if (!status)
        status = go_on_device(builder, error);
    if (status || builder->hierarchy->smoothed ||
        builder->options->aggregates == AGGREGATION_MATCHING)
        return status;
    struct surveyor by = surveyor_of(builder);
    status = cells_find(&by, builder->block, &builder->cells, error);
    if (status || builder->cells.n[0] > 0 || builder->options->aggregates == AGGREGATION_AUTO)
        return status;
    return error_set(error, STATUS_CONFIG,
                     "preconditioner %s: aggregates = \"grid\": the places of A's entries are not "
                     "those of a grid; take \"matching\"",
                     builder->name);
}

static enum status solve_last(struct builder *builder, struct error *error)
{
    struct csr copy;
    const struct csr *A;
    enum status status = device_csr_on_host(builder->A, &A, &copy, error);
    if (!status)
        status = coarsest_solve(builder->name, A, builder->hierarchy, error);
    csr_free(&copy);
    return status;
}

static bool goes_on(const struct builder *builder)
{
    const struct hierarchy *hierarchy = builder->hierarchy;
    if (builder->maps)
        return hierarchy->count <= builder->maps->count;
    return builder->A->n > builder->coarsest && hierarchy->count < OPERATOR_LEVELS;
}

enum status hierarchy_go_on(struct builder *builder, const int32_t *number, struct error *error)
{
    struct threads *team = threads_lent();
    bool done = false;
    enum status status = level_add(builder, number, error);
    while (!status && !done && goes_on(builder)) {
        threads_lend(builder->A->nnz < ALONE ? NULL : team);
        status = descend(builder, &done, error);
    }
    threads_lend(team);
    return status || builder->A->n > builder->coarsest ? status : solve_last(builder, error);
}

const struct near_null *hierarchy_near_null(const struct multigrid_options *options,
                                            const struct csr *A)
{
    return options->near_null == NEAR_NULL_CONSTANT ? NULL : A->near_null;
}

bool hierarchy_is_smoothed(const struct multigrid_options *options, const struct csr *A)
{
    return options->transfer == TRANSFER_SMOOTHED ||
           (options->transfer == TRANSFER_AUTO && hierarchy_near_null(options, A));
}

int64_t hierarchy_coarsest(const struct multigrid_options *options, const struct csr *A)
{
    enum { CONSTANT = 128, SMOOTHED = 256 };
    return options->coarsest > 0               ? options->coarsest
           : hierarchy_is_smoothed(options, A) ? SMOOTHED
                                               : CONSTANT;
}

/* By these maps; NULL: by none. */
static enum status build(const char *name, const struct multigrid_options *options,
                         const struct csr *A, const int32_t *number, struct linear_operator *spmv,
                         struct maps *maps, struct hierarchy *hierarchy, struct error *error)
{
    struct builder builder = {.name = name,
                              .options = options,
                              .hierarchy = hierarchy,
                              .spmv = spmv,
                              .given = A,
                              .coarsest = hierarchy_coarsest(options, A),
                              .A = A,
                              .maps = maps};
    hierarchy->renewed = maps;
    hierarchy->smoothed = hierarchy_is_smoothed(options, A);
    hierarchy->singular = A->null_space || (A->host && A->host->null_space);
    hierarchy->dropped = 0;
    hierarchy->stalled = maps && maps->stalled;
    hierarchy->bounded = maps && maps->bounded;
    hierarchy->torn = maps && maps->torn;
    hierarchy->space = spmv->space;
    hierarchy->precision = (enum precision)options->precision;
    hierarchy->hash = HASH_START;
    if (!spmv->kernel)
        return error_set(error, STATUS_CONFIG,
                         "preconditioner %s: needs a kernel for its coarser matrices, and %s is "
                         "none",
                         name, spmv->name);
    struct threads *team = threads_lent();
    threads_lend(A->nnz < ALONE ? NULL : team);
    const struct csr *host = A->host ? A->host : A; /* which set-up may come back to */
    enum status status = csr_check_stored(host, error);
    if (!status && hierarchy->precision == PRECISION_FLOAT)
        status = to_float_check(name, spmv, error);
    if (!status)
        status = look_for_grid(&builder, error);
    builder.block = maps ? maps->block : builder.block;
    if (!status && hierarchy->smoothed)
        status = vectors_begin(&builder, number, error);
    hierarchy->block = builder.block;
    if (maps)
        builder.cells = maps->levels[0].joining.cells;
    if (!hierarchy->smoothed && options->smoother == SMOOTHER_JACOBI)
        builder.small = fused_levels_limits(spmv, options, builder.coarsest);
    if (!status)
        status = hierarchy_go_on(&builder, number, error);
    threads_lend(team);
    near_null_vectors_free(&builder.vectors);
    level_keep(&builder);
    device_csr_free(&builder.brought);
    csr_free(&builder.fetched);
    return status;
}

enum status hierarchy_build(const char *name, const struct multigrid_options *options,
                            const struct csr *A, const int32_t *number,
                            struct linear_operator *spmv, struct hierarchy *hierarchy,
                            struct error *error)
{
    return build(name, options, A, number, spmv, NULL, hierarchy, error);
}

enum status hierarchy_renew(const char *name, const struct multigrid_options *options,
                            const struct csr *A, const int32_t *number,
                            struct linear_operator *spmv, struct hierarchy *hierarchy,
                            struct error *error)
{
    struct maps maps;
    if (options->reuse == REUSE_NONE) {
        hierarchy_free(hierarchy);
        return build(name, options, A, number, spmv, NULL, hierarchy, error);
    }
    maps_take(hierarchy, &maps);
    enum status status = build(name, options, A, number, spmv, &maps, hierarchy, error);
    maps_free(&maps);
    return status;
}

void hierarchy_free(struct hierarchy *hierarchy)
{
    struct space *space = hierarchy->space;
    for (int k = 0; k < hierarchy->count; k++) {
        level_free(space, &hierarchy->levels[k]);
    }
    if (hierarchy->coarsest_inverse)
        space_release(space, hierarchy->coarsest_inverse);
    memory_free(hierarchy->scaled.values);
    memset(hierarchy, 0, sizeof *hierarchy);
}

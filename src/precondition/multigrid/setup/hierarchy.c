#include "precondition/multigrid/setup/hierarchy.h"

#include "base/cuda_part.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "matrix/implicit_rows.h"
#include "precondition/multigrid/setup/builder.h"
#include "precondition/multigrid/setup/coarsest.h"
#include "precondition/multigrid/setup/to_float.h"
#include "spmv/device_csr.h"
#include "spmv/symmetric/blocks/sym_blocks.h"

#include <string.h>

/* Entries of a matrix that one thread coarsens sooner than several come together. */
enum { ALONE = 65536 };

/* Whether some row in four has more than half of its columns in common with the next one, as all
 * but the last one of a node have: of samples, so that most matrices are not looked through;
 * at random, because equal steps may meet the last row of each node alone. */
static bool shares_columns(const struct csr *A)
{
    enum { SAMPLES = 1024 };
    int64_t samples = A->n - 1 < SAMPLES ? A->n - 1 : SAMPLES, sharing = 0;
    for (int64_t s = 0; s < samples; s++) {
        int64_t i = samples < SAMPLES ? s : random_below(SAMPLES, (uint64_t)s, A->n - 1);
        int64_t k = A->offsets[i] + 1, end = A->offsets[i + 1], common = 0, length = end - k;
        for (int64_t m = end; m < A->offsets[i + 2]; m++) {
            while (k < end && A->columns[k] < A->columns[m])
                k++;
            common += k < end && A->columns[k] == A->columns[m];
        }
        sharing += 2 * common > length;
    }
    return 4 * sharing >= samples && samples > 0;
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
    if (!device_setup || space->operations->fits(space, more, "", &ignored)) {
        builder->A = builder->system;
        return STATUS_OK;
    }
    builder->device_setup = device_setup;
    if (builder->A->space)
        return STATUS_OK;
    enum status status = device_csr_bring(space, builder->system, &builder->brought, error);
    builder->A = &builder->brought;
    return status;
}

/* The unknowns of a cell; looked for on a device where A's rows are there. */
static enum status look_for_block(struct builder *builder, struct error *error)
{
    int block = 0;
    enum status status = STATUS_OK;
    if (shares_columns(builder->system) && builder->A->space)
        status = CUDA_PART_CONSTANT(device_setup_cuda)
                     ->find_block(builder->A->space, builder->A, &block, error);
    else if (shares_columns(builder->system))
        block = sym_blocks_find(builder->system);
    builder->block = block ? block : 1;
    return status;
}

static enum status look_for_grid(struct builder *builder, struct error *error)
{
    enum status status;
    if (builder->maps)
        return go_on_device(builder, error);
    status = look_for_block(builder, error);
    if (!status)
        status = go_on_device(builder, error);
    if (status || builder->options->aggregates == AGGREGATION_MATCHING)
        return status;
    struct surveyor by = surveyor_of(builder);
    status = cells_find(&by, builder->system, builder->block, &builder->cells, error);
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
    return builder->A->n > builder->options->coarsest && hierarchy->count < OPERATOR_LEVELS;
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
                              .system = A->space ? A->host : A,
                              .A = A,
                              .maps = maps};
    hierarchy->renewed = maps;
    hierarchy->stalled = maps && maps->stalled;
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
    enum status status =
        csr_check_stored(builder.system, error); /* rows here and there are looked at */
    if (!status && hierarchy->precision == PRECISION_FLOAT)
        status = to_float_check(name, spmv, error);
    if (!status)
        status = look_for_grid(&builder, error);
    hierarchy->block = builder.block = maps ? maps->block : builder.block;
    if (maps)
        builder.cells = maps->levels[0].joining.cells;
    builder.small = fused_levels_limits(spmv, options);
    if (!status)
        status = level_add(&builder, number, spmv, error);
    bool done = false;
    while (!status && !done && goes_on(&builder)) {
        threads_lend(builder.A->nnz < ALONE ? NULL : team);
        status = descend(&builder, &done, error);
    }
    threads_lend(team);
    if (!status && builder.A->n <= options->coarsest)
        status = solve_last(&builder, error);
    level_keep(&builder);
    device_csr_free(&builder.brought);
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
    maps_free(spmv->space, &maps);
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

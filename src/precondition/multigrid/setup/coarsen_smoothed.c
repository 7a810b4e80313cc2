/* From one level to the next by smoothed aggregation. */
#include "precondition/multigrid/setup/builder.h"

#include <inttypes.h>

enum status vectors_begin(struct builder *builder, const int32_t *number, struct error *error)
{
    const struct near_null *near_null = hierarchy_near_null(builder->options, builder->given);
    const struct csr *A = builder->A;
    if (near_null && near_null->n != A->n)
        return error_set(error, STATUS_CONFIG,
                         "preconditioner %s: the near-null space has %" PRId64
                         " rows, and the matrix %" PRId64,
                         builder->name, near_null->n, A->n);
    enum status status =
        near_null_take(A, near_null, builder->block, number, &builder->vectors, error);
    builder->block = builder->vectors.block;
    return status;
}

/* Those of an earlier hierarchy, where A is; or none. */
static enum status aggregates_again(struct builder *builder, struct aggregates *made,
                                    struct error *error)
{
    if (!builder->maps)
        return STATUS_OK;
    struct aggregates *earlier = &builder->maps->levels[builder->hierarchy->count - 1].aggregates;
    if (!builder->A->space && earlier->space)
        return aggregates_bring(earlier->space, earlier, made, error);
    *made = *earlier;
    *earlier = (struct aggregates){0};
    return STATUS_OK;
}

/* All levels together have at most `COMPLEXITY` times the entries of A. A level takes SHARE of what
 * is left; those below it have a few hundredths of its entries, if they are many. */
static int64_t most_entries(const struct hierarchy *hierarchy)
{
    const double COMPLEXITY = 1.6, SHARE = 0.875;
    double left = COMPLEXITY * (double)hierarchy->levels[0].nnz;
    for (int k = 0; k < hierarchy->count; k++)
        left -= (double)hierarchy->levels[k].nnz;
    return (int64_t)(SHARE * left);
}

enum status go_below_smoothed(struct builder *builder, struct level *above, struct csr *coarse,
                              bool *done, struct error *error)
{
    struct hierarchy *hierarchy = builder->hierarchy;
    const struct csr *A = builder->A;
    double nothing = hierarchy->singular && hierarchy->count > 1 ? hierarchy->nothing : 0;
    const struct smoothed_aggregation by = {A, &builder->vectors, above->lmax, nothing,
                                            most_entries(hierarchy)};
    struct aggregates made = {0};
    struct interpolation P = {0};
    struct near_null_vectors below = {0};
    bool single = hierarchy->precision == PRECISION_FLOAT;
    enum status status = STATUS_OK;
    if (!A->space && builder->vectors.space)
        status = near_null_return(&builder->vectors, A->n, error);
    if (!status)
        status = aggregates_again(builder, &made, error);
    if (!status)
        status = smoothed_coarsen(&by, &made, &P, coarse, &below, error);
    above->joining.distance = made.distance;
    hierarchy->bounded = !status && made.distance > SMOOTHED_FARTHEST;
    *done = !status && (P.blocks == 0 || stalls(hierarchy, above, coarse->n));
    if (!status && !*done)
        status = hash_level(builder, &made, coarse, error);
    if (!status && !*done)
        status = interpolation_keep(hierarchy->space, single, &P, &above->P, error);
    if (!status && !*done && builder->options->reuse == REUSE_AGGREGATES) {
        above->aggregates = made;
        above->members = made.n;
        made = (struct aggregates){0};
    }
    near_null_vectors_free(&builder->vectors);
    builder->vectors = below;
    builder->block = below.block;
    aggregates_free(&made);
    interpolation_free(&P);
    return status;
}

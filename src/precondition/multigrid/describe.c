#include "precondition/multigrid/describe.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>

/* How the rows of level k were joined; NULL: of the last one. */
static const char *joined_by(const struct hierarchy *h, int k)
{
    return k + 1 == h->count ? NULL : h->smoothed ? "roots" : k < h->on_grid ? "grid" : "matching";
}

static const char *kind_of(const struct hierarchy *h)
{
    return h->count == 1                ? ""
           : h->smoothed                ? " by smoothed aggregation"
           : h->on_grid == 0            ? " by matching"
           : h->on_grid + 1 == h->count ? " of a grid"
                                        : " of a grid, then by matching";
}

/* Why of this kind. */
static const char *reason_of(const struct hierarchy *h, const struct multigrid_options *options)
{
    if (h->count == 1)
        return "";
    if (h->smoothed)
        return options->transfer == TRANSFER_AUTO ? " (a near-null space is known)" : " (as asked)";
    return options->aggregates != AGGREGATION_AUTO ? " (as asked)"
           : h->torn                               ? " (boxes of its grid would be torn)"
           : h->on_grid > 0                        ? " (A shows it)"
                                                   : " (A shows no grid)";
}

/* ", aggregates enlarged on 1 level to bound the entries", or "". */
static void describe_sizes(const struct hierarchy *h, char *text, size_t size)
{
    int count = 0;
    *text = 0;
    for (int k = 0; k + 1 < h->count; k++)
        count += h->levels[k].joining.distance > 2;
    if (count > 0)
        snprintf(text, size, ", aggregates enlarged on %d level%s to bound the entries", count,
                 text_plural(count));
}

void hierarchy_describe(const struct hierarchy *h, const struct multigrid_options *options,
                        struct linear_operator *made)
{
    char sizes[80];
    int64_t entries = 0;
    for (int k = 0; k < h->count; k++) {
        made->levels.level[k].rows = h->levels[k].n;
        made->levels.level[k].entries = h->levels[k].nnz;
        made->levels.level[k].aggregates = joined_by(h, k);
        made->levels.level[k].distance = k + 1 < h->count ? h->levels[k].joining.distance : 0;
        entries += h->levels[k].nnz;
    }
    made->levels.count = h->count;
    made->levels.hash = h->hash;
    const struct level *last = &h->levels[h->count - 1];
    describe_sizes(h, sizes, sizeof sizes);
    snprintf(made->description, sizeof made->description,
             "%d level%s%s%s%s%s, %.2f times the entries of A; %" PRId64 " rows at the end, %s%s%s",
             h->count, text_plural(h->count), kind_of(h), reason_of(h, options), sizes,
             h->precision == PRECISION_FLOAT ? ", in single precision" : "",
             (double)entries / (double)h->levels[0].nnz, last->n,
             !h->coarsest_inverse ? "smoothed"
             : h->dropped > 0     ? "solved, singular"
                                  : "solved",
             h->stalled   ? ": coarsening stalled"
             : h->bounded ? ": the next level would have too many entries"
                          : "",
             h->renewed && h->count > 1 ? "; kept aggregates" : "");
}

#include "precondition/multigrid/setup/grid.h"
#include "precondition/multigrid/setup/grid_rows.h"
#include "space/define_pass.h"
#include "space/rows.h"

struct aggregating {
    struct cells cells;
    struct aggregates made;
};

PASS_AT(aggregating, aggregating)
{
    const struct aggregates *made = &work->made;
    made->offsets[i] = aggregate_list(&work->cells, i, made->map, made->members);
    if (i == made->count - 1)
        made->offsets[made->count] = (int32_t)made->n;
}

ELEMENTS_AT(aggregating, aggregating)
PASS(pass_aggregating, aggregating, aggregating, .name = "the aggregates", .always = true)

#ifndef __CUDACC__
static int64_t rows_of(const int64_t n[3], int64_t block)
{
    return n[0] * n[1] * n[2] * block;
}

enum status cells_aggregate(struct cells *cells, const bool halved[3], struct space *space,
                            struct aggregates *a, struct error *error)
{
    static const char what[] = "the aggregates";
    cells_halve(cells, halved);
    *a = (struct aggregates){.space = space,
                             .n = rows_of(cells->before, cells->block),
                             .count = rows_of(cells->n, cells->block)};
    enum status status = rows_array(space, a->n, sizeof *a->map, what, (void **)&a->map, error);
    if (!status)
        status =
            rows_array(space, a->count + 1, sizeof *a->offsets, what, (void **)&a->offsets, error);
    if (!status)
        status = rows_array(space, a->n, sizeof *a->members, what, (void **)&a->members, error);
    if (!status)
        status =
            rows_run(space, &pass_aggregating, a->count, &(struct aggregating){*cells, *a}, error);
    if (status)
        aggregates_free(a);
    return status;
}
#endif

#include "space/define_pass.h"
#include "space/rows.h"

struct naming {
    const int64_t *offsets;
    int32_t *rows;
};

PASS_AT(naming_rows, naming)
{
    for (int64_t k = work->offsets[i]; k < work->offsets[i + 1]; k++)
        work->rows[k] = (int32_t)i;
}

/* Two stable sorts: by the second keys, and then by the first keys. */
struct sorting_pairs {
    const int32_t *first;
    uint32_t *order;            /* [count]: by the second keys, */
    int32_t *keys;              /* [count]: the first keys in that order, */
    uint32_t *sorted, *offsets; /* and the result */
    int64_t most;
};

PASS_AT(taking_keys, sorting_pairs)
{
    bool has_key = i < work->offsets[work->most];
    work->keys[i] = has_key ? work->first[work->order[i]] : -1;
}

/* The second order permutes the first. */
PASS_AT(joining_orders, sorting_pairs)
{
    if (i < work->offsets[work->most])
        work->sorted[i] = work->order[work->sorted[i]];
}

#define PASS_OF_ROWS(its, work_type, what)                                                         \
    ELEMENTS_AT(its, work_type)                                                                    \
    PASS(pass_##its, its, work_type, .name = what, .always = true)

PASS_OF_ROWS(naming_rows, naming, "the rows of entries")
PASS_OF_ROWS(taking_keys, sorting_pairs, "a sort")
PASS_OF_ROWS(joining_orders, sorting_pairs, "a sort")

#ifndef __CUDACC__
enum status rows_number(struct space *space, int64_t n, const int64_t *offsets, int32_t *rows,
                        struct error *error)
{
    const struct naming work = {offsets, rows};
    return rows_run(space, &pass_naming_rows, n, &work, error);
}

static enum status sort_twice(struct space *space, int64_t count, const int32_t *second,
                              const struct sorting_pairs *work, struct error *error)
{
    int64_t most = work->most;
    enum status status = rows_sort(space, count, second, most, work->order, work->offsets, error);
    if (!status)
        status = rows_run(space, &pass_taking_keys, count, work, error);
    if (!status)
        status = rows_sort(space, count, work->keys, most, work->sorted, work->offsets, error);
    return status ? status : rows_run(space, &pass_joining_orders, count, work, error);
}

enum status rows_sort_pairs(struct space *space, int64_t count, const int32_t *first,
                            const int32_t *second, int64_t most, uint32_t *order, uint32_t *offsets,
                            struct error *error)
{
    static const char what[] = "a sort";
    struct sorting_pairs work = {.first = first, .sorted = order, .offsets = offsets, .most = most};
    enum status status =
        rows_array(space, count, sizeof *work.order, what, (void **)&work.order, error);
    if (!status)
        status = rows_array(space, count, sizeof *work.keys, what, (void **)&work.keys, error);
    if (!status)
        status = sort_twice(space, count, second, &work, error);
    rows_release(space, work.order);
    rows_release(space, work.keys);
    return status;
}
#endif

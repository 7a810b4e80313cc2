#include "spmv/distributed/listed_rows.h"

#include "base/memory.h"
#include "space/define_pass.h"

#include <math.h>
#include <string.h>

#define PASS_OF_ROWS(its)                                                                          \
    ELEMENTS_AT(its, its)                                                                          \
    PASS(pass_##its, its, its, .name = "rows of other ranks")

PASS_OF_ROWS(marking)
PASS_OF_ROWS(placing)
FIND(find_extent, extent, marking, "rows of other ranks")

#ifndef __CUDACC__
static const char what[] = "rows of other ranks";

/* The rows begin <= i < end of all; marks[i] of each, here and in the space. */
struct looked_at {
    struct space *space;
    int64_t begin, end, first, last; /* first <= i < last: the own ones */
    uint8_t *here, *there;
};

static enum status allocate(struct space *space, int64_t count, size_t size, void **made,
                            struct error *error)
{
    return space->operations->allocate(space, count + 1, size, what, made, error);
}

/* They have the own ones among them, and all of the list. */
static enum status find_extent_of(const struct listed_rows *list, struct looked_at *rows,
                                  struct error *error)
{
    struct found found = {.most = {-INFINITY, -INFINITY}};
    struct marking work = {.list = list->rows, .base = list->base};
    enum status status =
        list->count > 0 ? space_find(rows->space, &find_extent, list->count, &work, &found, error)
                        : STATUS_OK;
    rows->begin = (int64_t)fmin((double)rows->first, -found.most[1]);
    rows->end = (int64_t)fmax((double)rows->last, found.most[0] + 1);
    return status;
}

/* The marks of rows begin <= i < end to the space, or back. */
static enum status copy_marks(const struct looked_at *rows, bool back, int64_t begin, int64_t end,
                              struct error *error)
{
    const struct space_operations *space_do = rows->space->operations;
    uint8_t *here = rows->here + begin, *there = rows->there + begin;
    if (begin == end)
        return STATUS_OK;
    return back ? space_do->download(rows->space, end - begin, there, here, error)
                : space_do->upload(rows->space, end - begin, here, there, error);
}

/* Those of the list among the rows of other ranks, marked on the host. */
static enum status mark(const struct looked_at *rows, const struct listed_rows *list,
                        struct error *error)
{
    struct marking work = {list->rows, list->base, rows->there};
    enum status status = copy_marks(rows, false, rows->begin, rows->first, error);
    if (!status)
        status = copy_marks(rows, false, rows->last, rows->end, error);
    if (!status && list->count > 0)
        status = space_run(rows->space, &pass_marking, list->count, &work, error);
    if (!status)
        status = copy_marks(rows, true, rows->begin, rows->first, error);
    return status ? status : copy_marks(rows, true, rows->last, rows->end, error);
}

enum status listed_rows_reach(struct ranks *ranks, const struct partition *partition,
                              const struct listed_rows *list, struct rank_places *places,
                              struct ghost_rows *made, struct rank_halo **halo, struct error *error)
{
    struct space *space = ranks->real;
    struct looked_at rows = {
        .space = space, .end = partition->n, .first = partition_first(partition)};
    rows.last = rows.first + partition_rows(partition);
    void *there = NULL;
    uint8_t *here = NULL;
    *halo = NULL;
    enum status status = list ? find_extent_of(list, &rows, error) : STATUS_OK;
    int64_t count = rows.end - rows.begin;
    if (!status)
        status = allocate(space, count, sizeof *here, &there, error);
    if (!status)
        here = memory_array(count, sizeof *here, what, error);
    if (!here) {
        space_release(space, there);
        return status ? status : STATUS_MEMORY;
    }
    rows.here = here - rows.begin; /* the marks of own rows are not read */
    memset(rows.here + rows.begin, !list, (size_t)(rows.first - rows.begin));
    memset(rows.here + rows.last, !list, (size_t)(rows.end - rows.last));
    rows.there = (uint8_t *)there - rows.begin;
    if (list)
        status = mark(&rows, list, error);
    if (!status)
        status = ghost_rows_create(partition, rows.begin, rows.end, here, places, made, error);
    space_release(space, there);
    memory_free(here);
    return status ? status : rank_halo_create(ranks, made, halo, error);
}

static enum status bring(struct space *space, const void *host, int64_t count, size_t size,
                         void **device, struct error *error)
{
    enum status status = allocate(space, count, size, device, error);
    return status || count == 0
               ? status
               : space->operations->upload(space, count * (int64_t)size, host, *device, error);
}

enum status rank_places_bring(struct space *space, const struct rank_places *places,
                              struct rank_places *device, struct error *error)
{
    *device = *places;
    device->others = NULL;
    device->place = NULL;
    enum status status = bring(space, places->others, places->count, sizeof *places->others,
                               (void **)&device->others, error);
    return status ? status
                  : bring(space, places->place, places->count, sizeof *places->place,
                          (void **)&device->place, error);
}

void rank_places_release(struct space *space, struct rank_places *device)
{
    space_release(space, device->others);
    space_release(space, device->place);
}

enum status listed_rows_place(struct space *space, const struct rank_places *places,
                              const struct listed_rows *list, int32_t **placed, struct error *error)
{
    struct placing work = {.list = list->rows, .base = list->base};
    enum status status = rank_places_bring(space, places, &work.places, error);
    *placed = NULL;
    if (!status)
        status = allocate(space, list->count, sizeof **placed, (void **)placed, error);
    work.placed = *placed;
    if (!status && list->count > 0)
        status = space_run(space, &pass_placing, list->count, &work, error);
    rank_places_release(space, &work.places);
    return status;
}
#endif

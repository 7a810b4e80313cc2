#include "spmv/distributed/local_matrix.h"

#include "base/cuda_part.h"
#include "base/memory.h"
#include "base/threads.h"
#include "matrix/implicit_rows.h"
#include "space/sum/sum_order.h"
#include "spmv/device_csr.h"

#include <stdint.h>
#include <string.h>

/* Own rows begin with a tile of the local ones, so that a kernel's sums of tiles are theirs. So
 * groups are whole, and doubles of vectors aligned to 64 bytes there. */
_Static_assert(SUM_TILE % (2 * RANK_GROUP) == 0, "a tile is whole groups");

/* While the rows are made. */
struct making {
    struct space *space;
    const struct rank_source *from;
    const struct partition *partition;
    struct local_matrix *made;
    struct rank_places places;
};

struct marking {
    const struct rank_source *from;
    uint8_t *marks;
};

static void mark_below(void *context, int64_t r, int64_t last)
{
    const struct marking *marking = context;
    for (; r < last; r++) {
        int64_t end, k = rank_row_crosses(marking->from, marking->from->below.base + r, &end);
        marking->marks[r] = k < end;
    }
}

static void mark_above(void *context, int64_t r, int64_t last)
{
    const struct marking *marking = context;
    const struct rank_source *from = marking->from;
    for (; r < last; r++) {
        int64_t end, k = rank_row_leaves(from, rank_source_end(from) + r, &end);
        for (; k < end; k++)
            __atomic_store_n(
                &marking->marks[from->end.base + from->end.A.columns[k] - from->below.base], 1,
                __ATOMIC_RELAXED);
    }
}

static void mark(const struct rank_source *from, uint8_t *marks)
{
    struct marking marking = {from, marks};
    if (from->first < from->last)
        threads_each(threads_lent(), from->first - from->below.base, mark_below, &marking);
    threads_each(threads_lent(), from->last - rank_source_end(from), mark_above, &marking);
}

/* Those that an own row has an entry with. */
static enum status find_others(struct making *making, struct error *error)
{
    const struct rank_source *from = making->from;
    int64_t base = from->below.base, width = rank_source_width(from);
    uint8_t *marks = memory_array(width, sizeof *marks, "the rows of other ranks", error);
    enum status status = marks ? STATUS_OK : STATUS_MEMORY;
    if (!status) { /* those of own rows are not read */
        memset(marks, 0, (size_t)(from->first - base));
        memset(marks + (from->last - base), 0, (size_t)(base + width - from->last));
    }
    if (!status && from->below.A.space)
        status = CUDA_PART(local_matrix_mark_cuda)(making->space, from, marks, error);
    if (!status && !from->below.A.space)
        mark(from, marks);
    if (!status)
        status = rank_places_create(making->partition, base, base + width, marks, &making->places,
                                    error);
    memory_free(marks);
    return status;
}

/* --- their numbers ---------------------------------------------------------------------------- */

/* Rows in whole groups of so many, some of them empty. */
struct grouped {
    int64_t group, below, above;
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Own rows begin with a tile, so with a group, and end with one or with the last row. */
static struct grouped count_rows(const struct making *making, int64_t group)
{
    const struct rank_places *places = &making->places;
    int64_t n = making->partition->n, before = -1;
    struct grouped rows = {.group = group};
    for (int64_t k = 0; k < places->count; k++) {
        int64_t first = places->others[k] / group * group;
        if (first != before)
            *(first < places->first ? &rows.below : &rows.above) += least(first + group, n) - first;
        before = first;
    }
    return rows;
}

/* The place of each of the others, those below from `below` on, those above from `above` on. */
static void number_groups(struct making *making, int64_t group, int64_t below, int64_t above)
{
    struct rank_places *places = &making->places;
    int64_t n = making->partition->n, before = -1, begins = 0;
    for (int64_t k = 0; k < places->count; k++) {
        int64_t first = places->others[k] / group * group;
        int64_t *next = first < places->first ? &below : &above;
        if (first != before) {
            begins = *next;
            *next += least(first + group, n) - first;
        }
        before = first;
        places->place[k] = (int32_t)(begins + places->others[k] - first);
    }
}

static enum status number_rows(struct making *making, struct error *error)
{
    struct ghost_rows *made = &making->made->reach;
    struct grouped rows = count_rows(making, 1), grouped = count_rows(making, RANK_GROUP);
    made->own = making->places.last - making->places.first;
    if (grouped.below + made->own + grouped.above <= 2 * (rows.below + made->own + rows.above))
        rows = grouped;
    made->below = sum_tiles(rows.below) * SUM_TILE;
    made->above = (rows.above + RANK_GROUP - 1) / RANK_GROUP * RANK_GROUP;
    int64_t most = made->below + made->own + made->above, as_made = 0;
    if (making->from->maker) /* columns on their way */
        as_made =
            made->below + making->from->end.base + making->from->end.A.width - making->places.first;
    if (most > INT32_MAX || as_made > INT32_MAX)
        return error_set(error, STATUS_MEMORY,
                         "a rank has more than %d rows, those that it reads "
                         "from others counted",
                         INT32_MAX);
    making->places.below = made->below;
    number_groups(making, rows.group, made->below - rows.below, made->below + made->own);
    return STATUS_OK;
}

/* --- the matrix ------------------------------------------------------------------------------- */

/* The entries of rows r <= row < end, which are not own; their offsets from `at` on, unless these
 * are NULL. */
static int64_t set_offsets(const struct rank_cut *cut, int64_t r, int64_t end, int64_t *offsets,
                           int64_t at)
{
    int64_t begin = at;
    for (; r < end; r++) {
        if (offsets)
            offsets[r] = at;
        at += rank_row_length(cut, r);
    }
    return at - begin;
}

struct own_offsets {
    const int64_t *from;
    int64_t *to, before;
};

static void shift(void *context, int64_t i, int64_t end)
{
    const struct own_offsets *own = context;
    for (; i < end; i++)
        own->to[i] = own->before + own->from[i];
}

/* cut->local and its offsets, with the lengths of own rows at own_offsets[own + 1]. */
static enum status take_offsets(struct rank_cut *cut, int64_t rows, const int64_t *own_offsets,
                                struct error *error)
{
    int64_t below = cut->places.below, above = below + cut->own;
    int64_t begin = own_offsets[0], own = own_offsets[cut->own] - begin;
    int64_t before = set_offsets(cut, 0, below, NULL, 0);
    int64_t behind = set_offsets(cut, above, rows, NULL, 0);
    enum status status =
        csr_create(&cut->local, cut->from.below.A.kind, rows, before + own + behind, error);
    if (status)
        return status;
    int64_t *offsets = cut->local.offsets;
    set_offsets(cut, 0, below, offsets, 0);
    set_offsets(cut, above, rows, offsets, before + own);
    offsets[rows] = cut->local.nnz;
    threads_each(threads_lent(), cut->own, shift,
                 &(struct own_offsets){own_offsets, offsets + below, before - begin});
    return STATUS_OK;
}

static void fill_rows(void *context, int64_t r, int64_t end)
{
    for (; r < end; r++)
        rank_row_fill(context, r);
}

/* On the host. */
static enum status fill_on_host(struct rank_cut *cut, int64_t rows, struct error *error)
{
    const struct csr *maker = cut->from.maker;
    int64_t first = cut->from.first, below = cut->places.below, *made = NULL;
    const int64_t *kept = cut->from.below.A.offsets + (first - cut->from.below.base);
    enum status status = STATUS_OK;
    if (maker) {
        made = memory_array(cut->own + 1, sizeof *made, "the rows of a rank", error);
        status = made ? csr_make_offsets(maker, first, cut->from.last, made, error) : STATUS_MEMORY;
        cut->own_offsets = made;
    }
    if (!status)
        status = take_offsets(cut, rows, made ? made : kept, error);
    if (!status && maker) {
        struct csr own = cut->local;
        own.n = cut->own;
        own.offsets += below;
        csr_fill_rows(maker, first, first - below, &own);
    }
    if (!status)
        threads_each(threads_lent(), rows, fill_rows, cut);
    memory_free(made);
    return status;
}

static enum status fill(const struct making *making, struct error *error)
{
    const struct ghost_rows *made = &making->made->reach;
    struct csr *local = &making->made->local;
    int64_t rows = made->below + made->own + made->above;
    struct rank_cut cut = {.from = *making->from, .places = making->places, .own = made->own};
    if (cut.from.below.A.space)
        return CUDA_PART(local_matrix_fill_cuda)(making->space, &cut, rows, local, error);
    enum status status = fill_on_host(&cut, rows, error);
    *local = cut.local;
    return status;
}

enum status local_matrix_create(struct space *space, const struct rank_source *from,
                                const struct partition *partition, struct local_matrix *made,
                                struct error *error)
{
    *made = (struct local_matrix){.reach = {0}};
    struct making making = {.space = space, .from = from, .partition = partition, .made = made};
    enum status status = find_others(&making, error);
    if (!status)
        status = number_rows(&making, error);
    if (!status)
        status = fill(&making, error);
    if (!status)
        status = ghost_rows_list(partition, &making.places, &made->reach, error);
    made->places = making.places;
    return status;
}

void local_matrix_free(struct local_matrix *rows)
{
    device_csr_free(&rows->local);
    ghost_rows_free(&rows->reach);
    rank_places_free(&rows->places);
}

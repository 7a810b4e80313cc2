#include "spmv/rank_operator.h"

#include "base/memory.h"
#include "cgsolve/sum_order.h"
#include "matrix/place.h"

#include <stdint.h>

/* Own rows begin with a tile of the local ones, so that a kernel's sums of tiles are theirs. So
 * groups are whole, and doubles of vectors aligned to 64 bytes there. */
_Static_assert(SUM_TILE % (2 * RANK_GROUP) == 0, "a tile is whole groups");

/* While the rows are made. */
struct making {
    const struct csr *A;
    const struct partition *partition;
    struct rank_rows *made;
    struct rank_places places;
};

/* The entries of a row below the own ones whose columns are own. */
static void crossing(const struct making *making, int64_t row, int64_t *begin, int64_t *end)
{
    *begin = csr_place_from(making->A, row, making->places.first);
    *end = csr_place_from(making->A, row, making->places.last);
}

/* Those that an own row has an entry with. */
static enum status find_others(struct making *making, struct error *error)
{
    const struct csr *A = making->A;
    int64_t first = making->places.first, last = making->places.last;
    uint8_t *marks = memory_zeros(A->n, sizeof *marks, "the rows of other ranks", error);
    if (!marks)
        return STATUS_MEMORY;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < (first < last ? first : 0); i++) {
        int64_t begin, end;
        crossing(making, i, &begin, &end);
        marks[i] = begin < end;
    }
#pragma omp parallel for schedule(static)
    for (int64_t i = first; i < last; i++)
        for (int64_t k = csr_place_from(A, i, last); k < A->offsets[i + 1]; k++)
            __atomic_store_n(&marks[A->columns[k]], 1, __ATOMIC_RELAXED);
    enum status status = rank_places_find(making->partition, marks, &making->places, error);
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
    int64_t n = making->A->n, before = -1;
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
    int64_t n = making->A->n, before = -1, begins = 0;
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
    struct rank_reach *made = &making->made->reach;
    struct grouped rows = count_rows(making, 1), grouped = count_rows(making, RANK_GROUP);
    made->own = making->places.last - making->places.first;
    if (grouped.below + made->own + grouped.above <= 2 * (rows.below + made->own + rows.above))
        rows = grouped;
    made->below = sum_tiles(rows.below) * SUM_TILE;
    made->above = (rows.above + RANK_GROUP - 1) / RANK_GROUP * RANK_GROUP;
    if (made->below + made->own + made->above > INT32_MAX)
        return error_set(error, STATUS_MEMORY,
                         "a rank has more than %d rows, those that it reads "
                         "from others counted",
                         INT32_MAX);
    making->places.below = made->below;
    number_groups(making, rows.group, made->below - rows.below, made->below + made->own);
    return STATUS_OK;
}

/* --- the matrix ------------------------------------------------------------------------------- */

/* One on the diagonal of each row of another rank. */
static int64_t count_entries(const struct making *making)
{
    const struct rank_reach *made = &making->made->reach;
    const struct rank_places *places = &making->places;
    const int64_t *offsets = making->A->offsets;
    int64_t count = made->below + made->above + offsets[places->last] - offsets[places->first];
    for (int64_t k = 0; k < places->count && places->others[k] < places->first; k++) {
        int64_t begin, end;
        crossing(making, places->others[k], &begin, &end);
        count += end - begin;
    }
    return count;
}

static void put(struct csr *local, int64_t *at, int32_t column, double value)
{
    local->columns[*at] = column;
    local->values[(*at)++] = value;
}

/* Rows of other ranks and empty ones, up to row `last`: 0 on the diagonal, and of those below the
 * own ones the entries that cross. *k: the next of the others. */
static void put_others(const struct making *making, int64_t *row, int64_t last, int64_t *k,
                       int64_t *at)
{
    const struct csr *A = making->A;
    const struct rank_places *places = &making->places;
    struct csr *local = &making->made->local;
    for (; *row < last; ++*row) {
        local->offsets[*row] = *at;
        put(local, at, (int32_t)*row, 0);
        if (*k == places->count || places->place[*k] != *row)
            continue;
        int64_t i = places->others[(*k)++], begin = 0, end = 0;
        if (i < places->first)
            crossing(making, i, &begin, &end);
        for (; begin < end; begin++)
            put(local, at, rank_place(places, A->columns[begin]), A->values[begin]);
    }
}

static void put_own(const struct making *making, int64_t row, int64_t at)
{
    const struct csr *A = making->A;
    const struct rank_places *places = &making->places;
    struct csr *local = &making->made->local;
    int64_t first = places->first, begin = A->offsets[first];
#pragma omp parallel for schedule(static)
    for (int64_t i = first; i < places->last; i++) {
        local->offsets[row + i - first] = at + A->offsets[i] - begin;
        for (int64_t e = A->offsets[i]; e < A->offsets[i + 1]; e++) {
            local->columns[at + e - begin] = rank_place(places, A->columns[e]);
            local->values[at + e - begin] = A->values[e];
        }
    }
}

static enum status fill(const struct making *making, struct error *error)
{
    const struct csr *A = making->A;
    const struct rank_reach *made = &making->made->reach;
    const struct rank_places *places = &making->places;
    struct csr *local = &making->made->local;
    int64_t rows = made->below + made->own + made->above, row = 0, k = 0, at = 0;
    enum status status = csr_create(local, A->kind, rows, count_entries(making), error);
    if (status)
        return status;
    put_others(making, &row, made->below, &k, &at);
    put_own(making, row, at);
    row += made->own;
    at += A->offsets[places->last] - A->offsets[places->first];
    put_others(making, &row, rows, &k, &at);
    local->offsets[rows] = at;
    return STATUS_OK;
}

enum status rank_rows_create(const struct csr *A, const struct partition *partition,
                             struct rank_rows *made, struct error *error)
{
    *made = (struct rank_rows){.reach = {0}};
    struct making making = {.A = A, .partition = partition, .made = made};
    making.places.first = partition_first(partition);
    making.places.last = making.places.first + partition_rows(partition);
    enum status status = find_others(&making, error);
    if (!status)
        status = number_rows(&making, error);
    if (!status)
        status = fill(&making, error);
    if (!status)
        status = rank_reach_list(partition, &making.places, &made->reach, error);
    rank_places_free(&making.places);
    return status;
}

void rank_rows_free(struct rank_rows *rows)
{
    csr_free(&rows->local);
    rank_reach_free(&rows->reach);
}

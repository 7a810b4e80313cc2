#include "spmv/rank_operator.h"

#include "base/memory.h"
#include "cgsolve/sum_order.h"
#include "matrix/place.h"

#include <stdbool.h>

/* Own rows begin with a tile of the local ones, so that a kernel's sums of tiles are theirs. So
 * groups are whole, and doubles of vectors aligned to 64 bytes there. */
_Static_assert(SUM_TILE % (2 * RANK_GROUP) == 0, "a tile is whole groups");

/* While the rows are made. */
struct making {
    const struct csr *A;
    const struct partition *partition;
    struct rank_rows *made;
    int64_t first, last; /* own rows */
    int32_t *place;      /* [n]: a row's among the local ones; -1: it is not there */
    int32_t *others;     /* [others_count]: the rows of other ranks, ascending */
    int64_t others_count;
};

/* The entries of a row below the own ones whose columns are own. */
static void crossing(const struct making *making, int64_t row, int64_t *begin, int64_t *end)
{
    *begin = csr_place_from(making->A, row, making->first);
    *end = csr_place_from(making->A, row, making->last);
}

/* place[i] = 0 for each row that is there. */
static void mark(struct making *making)
{
    const struct csr *A = making->A;
    for (int64_t i = 0; i < A->n; i++)
        making->place[i] = -1;
    for (int64_t i = 0; i < making->first && making->first < making->last; i++) {
        int64_t begin, end;
        crossing(making, i, &begin, &end);
        if (begin < end)
            making->place[i] = 0;
    }
    for (int64_t i = making->first; i < making->last; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
            making->place[A->columns[k]] = 0;
}

/* Rows in whole groups of so many, some of them empty. */
struct grouped {
    int64_t group, below, above;
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool group_is_there(const struct making *making, int64_t first, int64_t last)
{
    while (first < last && making->place[first] < 0)
        first++;
    return first < last;
}

static struct grouped count_rows(const struct making *making, int64_t group)
{
    int64_t n = making->A->n;
    struct grouped rows = {.group = group};
    for (int64_t first = 0; first < n; first += group) {
        int64_t last = least(first + group, n);
        bool is_own = first >= making->first && first < making->last;
        if (is_own || !group_is_there(making, first, last))
            continue;
        *(first < making->first ? &rows.below : &rows.above) += last - first;
    }
    return rows;
}

/* The place of each row that is there, from `place` on. Own rows begin with a tile, so with a
 * group. */
static void number_groups(const struct making *making, int64_t group, int64_t place)
{
    int64_t n = making->A->n;
    for (int64_t first = 0; first < n; first += group) {
        int64_t last = least(first + group, n);
        if (!group_is_there(making, first, last))
            continue;
        for (int64_t i = first; i < last; i++, place++)
            if (making->place[i] >= 0)
                making->place[i] = (int32_t)place;
    }
}

static enum status list_others(struct making *making, int64_t most, struct error *error)
{
    struct rank_reach *made = &making->made->reach;
    making->others = memory_array(most, sizeof *making->others, "the rows of other ranks", error);
    made->given = memory_array(most, sizeof *made->given, "the rows of other ranks", error);
    if (!making->others || !made->given)
        return STATUS_MEMORY;
    for (int64_t i = 0; i < making->A->n; i++)
        if (making->place[i] >= 0 && (i < making->first || i >= making->last)) {
            made->given[making->others_count] = making->place[i];
            making->others[making->others_count++] = (int32_t)i;
        }
    return STATUS_OK;
}

static enum status number_rows(struct making *making, struct error *error)
{
    struct rank_reach *made = &making->made->reach;
    made->own = making->last - making->first;
    struct grouped rows = count_rows(making, 1), grouped = count_rows(making, RANK_GROUP);
    if (grouped.below + made->own + grouped.above <= 2 * (rows.below + made->own + rows.above))
        rows = grouped;
    made->below = sum_tiles(rows.below) * SUM_TILE;
    made->above = (rows.above + RANK_GROUP - 1) / RANK_GROUP * RANK_GROUP;
    if (made->below + made->own + made->above > INT32_MAX)
        return error_set(error, STATUS_MEMORY,
                         "a rank has more than %d rows, those that it reads "
                         "from others counted",
                         INT32_MAX);
    number_groups(making, rows.group, made->below - rows.below);
    return list_others(making, rows.below + rows.above, error);
}

/* --- the matrix ------------------------------------------------------------------------------- */

/* One on the diagonal of each row of another rank. */
static int64_t count_entries(const struct making *making)
{
    const struct rank_reach *made = &making->made->reach;
    const int64_t *offsets = making->A->offsets;
    int64_t count = made->below + made->above + offsets[making->last] - offsets[making->first];
    for (int64_t k = 0; k < making->others_count && making->others[k] < making->first; k++) {
        int64_t begin, end;
        crossing(making, making->others[k], &begin, &end);
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
    struct csr *local = &making->made->local;
    for (; *row < last; ++*row) {
        local->offsets[*row] = *at;
        put(local, at, (int32_t)*row, 0);
        if (*k == making->others_count || making->made->reach.given[*k] != *row)
            continue;
        int64_t i = making->others[(*k)++], begin = 0, end = 0;
        if (i < making->first)
            crossing(making, i, &begin, &end);
        for (; begin < end; begin++)
            put(local, at, making->place[A->columns[begin]], A->values[begin]);
    }
}

static enum status fill(const struct making *making, struct error *error)
{
    const struct csr *A = making->A;
    const struct rank_reach *made = &making->made->reach;
    struct csr *local = &making->made->local;
    int64_t rows = made->below + made->own + made->above, row = 0, k = 0, at = 0;
    enum status status = csr_create(local, A->kind, rows, count_entries(making), error);
    if (status)
        return status;
    put_others(making, &row, made->below, &k, &at);
    for (int64_t i = making->first; i < making->last; i++, row++) {
        local->offsets[row] = at;
        for (int64_t e = A->offsets[i]; e < A->offsets[i + 1]; e++)
            put(local, &at, making->place[A->columns[e]], A->values[e]);
    }
    put_others(making, &row, rows, &k, &at);
    local->offsets[rows] = at;
    return STATUS_OK;
}

enum status rank_rows_create(const struct csr *A, const struct partition *partition,
                             struct rank_rows *made, struct error *error)
{
    *made = (struct rank_rows){.reach = {0}};
    struct making making = {.A = A, .partition = partition, .made = made};
    making.first = partition_first(partition);
    making.last = making.first + partition_rows(partition);
    making.place = memory_array(A->n, sizeof *making.place, "the places of rows", error);
    enum status status = making.place ? STATUS_OK : STATUS_MEMORY;
    if (!status) {
        mark(&making);
        status = number_rows(&making, error);
    }
    if (!status)
        status = fill(&making, error);
    if (!status)
        status =
            rank_reach_list(partition, making.others, making.others_count, &made->reach, error);
    memory_free(making.others);
    memory_free(making.place);
    return status;
}

void rank_rows_free(struct rank_rows *rows)
{
    csr_free(&rows->local);
    rank_reach_free(&rows->reach);
}

#include "spmv/ranks.h"

#include "base/memory.h"

#include <string.h>

enum { ALIGNED = 8 }; /* rows: own rows begin where a vector's elements are aligned to 64 bytes */

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

/* Where the entries of a row begin whose columns are not below `column`. */
static int64_t find_column(const struct csr *A, int64_t row, int64_t column)
{
    int64_t low = A->offsets[row], high = A->offsets[row + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (A->columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The entries of a row below the own ones whose columns are own. */
static void crossing(const struct making *making, int64_t row, int64_t *begin, int64_t *end)
{
    *begin = find_column(making->A, row, making->first);
    *end = find_column(making->A, row, making->last);
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

static enum status number_rows(struct making *making, struct error *error)
{
    struct rank_rows *made = making->made;
    int64_t n = making->A->n, below = 0, above = 0;
    for (int64_t i = 0; i < n; i++)
        if (making->place[i] == 0) {
            below += i < making->first;
            above += i >= making->last;
        }
    made->empty = (ALIGNED - below % ALIGNED) % ALIGNED;
    made->below = below + made->empty;
    made->own = making->last - making->first;
    made->above = above;
    making->others = memory_array(below + above + 1, sizeof *making->others,
                                  "the rows of other ranks", error);
    if (!making->others)
        return STATUS_MEMORY;
    int32_t place = (int32_t)made->empty;
    for (int64_t i = 0; i < n; i++)
        if (making->place[i] == 0) {
            making->place[i] = place++;
            if (i < making->first || i >= making->last)
                making->others[making->others_count++] = (int32_t)i;
        }
    return STATUS_OK;
}

/* --- the matrix ------------------------------------------------------------------------------- */

static int64_t count_entries(const struct making *making)
{
    const struct rank_rows *made = making->made;
    int64_t count = made->below + made->above +
                    making->A->offsets[making->last] - making->A->offsets[making->first];
    for (int64_t k = 0; k < made->below - made->empty; k++) {
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

/* A row of another rank: 0 on its diagonal, and the entries begin <= k < end of A. */
static void put_other(const struct making *making, int64_t row, int64_t begin, int64_t end,
                      int64_t *at)
{
    struct csr *local = &making->made->local;
    local->offsets[row] = *at;
    put(local, at, (int32_t)row, 0);
    for (int64_t k = begin; k < end; k++)
        put(local, at, making->place[making->A->columns[k]], making->A->values[k]);
}

static enum status fill(const struct making *making, struct error *error)
{
    const struct csr *A = making->A;
    const struct rank_rows *made = making->made;
    struct csr *local = &making->made->local;
    int64_t rows = made->below + made->own + made->above, row = 0, at = 0;
    enum status status = csr_create(local, A->kind, rows, count_entries(making), error);
    if (status)
        return status;
    for (; row < made->empty; row++)
        put_other(making, row, 0, 0, &at);
    for (; row < made->below; row++) {
        int64_t begin, end;
        crossing(making, making->others[row - made->empty], &begin, &end);
        put_other(making, row, begin, end, &at);
    }
    for (int64_t i = making->first; i < making->last; i++, row++) {
        local->offsets[row] = at;
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
            put(local, &at, making->place[A->columns[k]], A->values[k]);
    }
    for (; row < rows; row++)
        put_other(making, row, 0, 0, &at);
    local->offsets[rows] = at;
    return STATUS_OK;
}

/* --- what travels ----------------------------------------------------------------------------- */

/* Which rows each other rank gives: neighbours among `others`, as the ranks' rows are. */
static void find_given(const struct making *making)
{
    int64_t k = 0;
    for (int r = 0; r < making->partition->exchange->count; r++) {
        making->made->given_begin[r] = k;
        while (k < making->others_count && making->others[k] < making->partition->begin[r + 1])
            k++;
        making->made->given_begin[r + 1] = k;
    }
}

/* How many rows each rank wants of each: counts[rank][of rank]. */
static enum status gather_counts(const struct making *making, int64_t *counts, int64_t *begin,
                                 struct error *error)
{
    struct exchange *exchange = making->partition->exchange;
    int ranks = exchange->count;
    int64_t *own = counts + (int64_t)exchange->rank * ranks;
    for (int r = 0; r < ranks; r++)
        own[r] = making->made->given_begin[r + 1] - making->made->given_begin[r];
    for (int r = 0; r <= ranks; r++)
        begin[r] = r * ranks * (int64_t)sizeof *counts;
    return exchange->operations->gather(exchange, own, begin, counts, error);
}

static enum status swap_rows(const struct making *making, struct exchange_piece *pieces,
                             struct error *error)
{
    struct exchange *exchange = making->partition->exchange;
    const struct rank_rows *made = making->made;
    struct exchange_piece *send = pieces, *receive = pieces + exchange->count;
    for (int r = 0; r < exchange->count; r++) {
        send[r] = (struct exchange_piece){
            making->others + made->given_begin[r],
            (made->given_begin[r + 1] - made->given_begin[r]) * (int64_t)sizeof(int32_t)};
        receive[r] = (struct exchange_piece){
            made->wanted + made->wanted_begin[r],
            (made->wanted_begin[r + 1] - made->wanted_begin[r]) * (int64_t)sizeof(int32_t)};
    }
    return exchange->operations->swap(exchange, send, receive, error);
}

static enum status find_wanted(const struct making *making, struct error *error)
{
    struct exchange *exchange = making->partition->exchange;
    struct rank_rows *made = making->made;
    int ranks = exchange->count;
    int64_t *counts = memory_array((int64_t)ranks * ranks + ranks + 1, sizeof *counts,
                                   "the rows of other ranks", error);
    struct exchange_piece *pieces =
        memory_array(2 * (int64_t)ranks, sizeof *pieces, "the rows of other ranks", error);
    enum status status =
        counts && pieces
            ? gather_counts(making, counts, counts + (int64_t)ranks * ranks, error)
            : STATUS_MEMORY;
    made->wanted_begin[0] = 0;
    for (int r = 0; r < ranks && !status; r++)
        made->wanted_begin[r + 1] =
            made->wanted_begin[r] + counts[(int64_t)r * ranks + exchange->rank];
    if (!status) {
        made->wanted = memory_array(made->wanted_begin[ranks] + 1, sizeof *made->wanted,
                                    "the rows of other ranks", error);
        status = made->wanted ? STATUS_OK : STATUS_MEMORY;
    }
    if (!status)
        status = swap_rows(making, pieces, error);
    for (int64_t k = 0; k < made->wanted_begin[ranks] && !status; k++)
        made->wanted[k] -= (int32_t)making->first;
    memory_free(pieces);
    memory_free(counts);
    return status;
}

enum status rank_rows_create(const struct csr *A, const struct partition *partition,
                             struct rank_rows *made, struct error *error)
{
    int64_t ranks = partition->exchange->count;
    *made = (struct rank_rows){.below = 0};
    struct making making = {.A = A, .partition = partition, .made = made};
    making.first = partition_first(partition);
    making.last = making.first + partition_rows(partition);
    making.place = memory_array(A->n, sizeof *making.place, "the places of rows", error);
    made->given_begin = memory_zeros(ranks + 1, sizeof(int64_t), "the rows of other ranks", error);
    made->wanted_begin = memory_zeros(ranks + 1, sizeof(int64_t), "the rows of other ranks", error);
    enum status status =
        making.place && made->given_begin && made->wanted_begin ? STATUS_OK : STATUS_MEMORY;
    if (!status) {
        mark(&making);
        status = number_rows(&making, error);
    }
    if (!status)
        status = fill(&making, error);
    if (!status) {
        find_given(&making);
        status = find_wanted(&making, error);
    }
    memory_free(making.others);
    memory_free(making.place);
    return status;
}

void rank_rows_free(struct rank_rows *rows)
{
    csr_free(&rows->local);
    memory_free(rows->wanted_begin);
    memory_free(rows->given_begin);
    memory_free(rows->wanted);
    *rows = (struct rank_rows){.below = 0};
}

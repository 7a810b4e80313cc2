/* Ranks that read a file together: where they meet, and which of them keep an entry. */
#include "io/market/entries.h"

#include "base/memory.h"
#include "matrix/implicit_rows.h"

/* --- where ranks meet ------------------------------------------------------------------------- */

enum status matrix_market_ranks_create(struct exchange *exchange, struct matrix_market_ranks *ranks,
                                       struct error *error)
{
    *ranks = (struct matrix_market_ranks){.exchange = exchange};
    ranks->parts = memory_array(exchange->count, sizeof *ranks->parts, "the ranks", error);
    if (ranks->parts)
        ranks->states = memory_array(exchange->count, sizeof *ranks->states, "the ranks", error);
    return ranks->states ? STATUS_OK : STATUS_MEMORY;
}

static struct matrix_market_part part_of(const struct csr *shape, const int64_t *begin, int r)
{
    int64_t first = begin[r], last = begin[r + 1], end = last;
    int64_t block = csr_hash_block_from(last);
    if (csr_hash_block_from(first) < block)
        end = csr_hash_block_begin(shape, block);
    return (struct matrix_market_part){first, last, end};
}

enum status matrix_market_ranks_divide(struct exchange *exchange, const struct csr *shape,
                                       const int64_t *begin, struct matrix_market_ranks *ranks,
                                       struct error *error)
{
    enum status status = matrix_market_ranks_create(exchange, ranks, error);
    for (int r = 0; r < exchange->count && !status; r++)
        ranks->parts[r] = part_of(shape, begin, r);
    return status;
}

void matrix_market_ranks_free(struct matrix_market_ranks *ranks)
{
    memory_free(ranks->parts);
    memory_free(ranks->states);
    *ranks = (struct matrix_market_ranks){0};
}

/* ranks->states of all. Errors: STATUS_RANK, also where one has failed. */
static enum status meet(const struct matrix_market_ranks *ranks, const struct reading_state *own,
                        struct error *error)
{
    struct exchange *exchange = ranks->exchange;
    enum status status = exchange_gather_each(exchange, own, sizeof *own, ranks->states, error);
    for (int r = 0; r < exchange->count && !status; r++)
        if (ranks->states[r].failed)
            status = error_set(error, STATUS_RANK, "another rank has failed");
    return status;
}

void entries_leave_shared(const struct matrix_market_ranks *ranks)
{
    struct reading_state own = {.failed = true};
    struct error ignored;
    meet(ranks, &own, &ignored);
}

enum status entries_meet_as(const struct matrix_market_ranks *ranks, enum status status,
                            struct reading_state *own, struct error *error)
{
    struct error why;
    own->failed = status != STATUS_OK;
    enum status of_all = meet(ranks, own, &why);
    if (status || !of_all)
        return status;
    *error = why;
    return of_all;
}

enum status entries_meet_shared(const struct matrix_market_ranks *ranks, enum status status,
                                bool *wanted, struct error *error)
{
    struct reading_state own = {.wants = *wanted};
    status = entries_meet_as(ranks, status, &own, error);
    for (int r = 0; r < ranks->exchange->count && !status; r++)
        *wanted = *wanted || ranks->states[r].wants;
    return status;
}

enum status entries_share_rows(const struct matrix_market_ranks *ranks, double *rows,
                               struct error *error)
{
    struct exchange *exchange = ranks->exchange;
    int64_t size = sizeof *rows;
    for (int r = 0; r < exchange->count; r++)
        exchange->begins[r] = size * ranks->parts[r].first;
    exchange->begins[exchange->count] = size * ranks->parts[exchange->count - 1].last;
    return exchange->operations->gather(exchange, rows + ranks->parts[exchange->rank].first,
                                        exchange->begins, rows, error);
}

enum status entries_end_shared(const struct matrix_market_ranks *ranks, enum status status,
                               bool *unsaid, struct error *error)
{
    struct reading_state own = {.wrong = *unsaid};
    struct error why;
    int first = 0;
    enum status met = exchange_gather_each(ranks->exchange, &own, sizeof own, ranks->states, &why);
    if (met) {
        *unsaid = false;
        if (!status)
            *error = why;
        return status ? status : met;
    }
    while (first < ranks->exchange->count && !ranks->states[first].wrong)
        first++;
    *unsaid = first == ranks->exchange->rank;
    if (first == ranks->exchange->count || *unsaid || (status && !own.wrong))
        return status;
    return error_set(error, STATUS_RANK, "another rank has found a fault in the file");
}

/* --- the ranks that keep an entry ------------------------------------------------------------- */

enum status entry_owners_create(const struct matrix_market_part *parts, int ranks,
                                struct entry_owners *entry_owners, struct error *error)
{
    *entry_owners = (struct entry_owners){.parts = parts, .ranks = ranks};
    entry_owners->lowest = memory_array(ranks, sizeof *entry_owners->lowest, "the ranks", error);
    if (!entry_owners->lowest)
        return STATUS_MEMORY;
    for (int owner = 0; owner < ranks; owner++) {
        int low = 0;
        while (low < owner && parts[low].end <= parts[owner].first)
            low++;
        entry_owners->lowest[owner] = low;
    }
    return STATUS_OK;
}

void entry_owners_free(struct entry_owners *entry_owners)
{
    memory_free(entry_owners->lowest);
    *entry_owners = (struct entry_owners){0};
}

/* Which rank has row i; most likely `guess`. */
static int owner_of(const struct entry_owners *entry_owners, int64_t i, int guess)
{
    const struct matrix_market_part *parts = entry_owners->parts;
    if (i >= parts[guess].first && i < parts[guess].last)
        return guess;
    int low = 0, high = entry_owners->ranks - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (i < parts[middle].last)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void entry_owners_find(const struct entry_owners *entry_owners, int64_t i, int64_t j,
                       struct owners_of_entry *found)
{
    found->row = i < j ? i : j;
    found->of_row = owner_of(entry_owners, found->row, found->of_row);
    found->of_column = owner_of(entry_owners, i < j ? j : i, found->of_column);
    found->lowest = entry_owners->lowest[found->of_row];
}

#include "io/market/entry_owners.h"

#include "base/memory.h"

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

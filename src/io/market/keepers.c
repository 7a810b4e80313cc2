#include "io/market/keepers.h"

#include "base/memory.h"

enum status keepers_create(const struct matrix_market_part *parts, int ranks,
                           struct keepers *keepers, struct error *error)
{
    *keepers = (struct keepers){.parts = parts, .ranks = ranks};
    keepers->lowest = memory_array(ranks, sizeof *keepers->lowest, "the ranks", error);
    if (!keepers->lowest)
        return STATUS_MEMORY;
    for (int owner = 0; owner < ranks; owner++) {
        int low = 0;
        while (low < owner && parts[low].end <= parts[owner].first)
            low++;
        keepers->lowest[owner] = low;
    }
    return STATUS_OK;
}

void keepers_free(struct keepers *keepers)
{
    memory_free(keepers->lowest);
    *keepers = (struct keepers){0};
}

/* Which rank has row i; most likely `guess`. */
static int owner_of(const struct keepers *keepers, int64_t i, int guess)
{
    const struct matrix_market_part *parts = keepers->parts;
    if (i >= parts[guess].first && i < parts[guess].last)
        return guess;
    int low = 0, high = keepers->ranks - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (i < parts[middle].last)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void keepers_find(const struct keepers *keepers, int64_t i, int64_t j, struct entry_keepers *found)
{
    found->row = i < j ? i : j;
    found->of_row = owner_of(keepers, found->row, found->of_row);
    found->of_column = owner_of(keepers, i < j ? j : i, found->of_column);
    found->lowest = keepers->lowest[found->of_row];
}

/* The entries of a file that has arrays, a piece at a time. */
#include "base/memory.h"
#include "io/market/entries.h"

/* Whether a rank keeps it. */
static bool is_wanted(const struct matrix_market_part *part, int64_t i, int64_t j)
{
    int64_t low = i < j ? i : j, high = i < j ? j : i;
    return !part || (low >= part->first && low < part->end) ||
           (high >= part->first && high < part->last);
}

/* The arrays' last piece. */
static void take_piece(const struct matrix_arrays *arrays, int64_t count,
                       const struct matrix_market_part *part, struct entry_chunk *chunk)
{
    chunk->count = chunk->below = 0;
    for (int64_t k = 0; k < count; k++) {
        int32_t i = arrays->row[k], j = arrays->column[k];
        if (!is_wanted(part, i, j))
            continue;
        chunk->entries[chunk->count++] = (struct market_entry){i, j, arrays->value[k]};
        chunk->below += i > j;
    }
}

static enum status read_all(const struct market_file *file, enum entry_mode mode,
                            struct entry_list *upper, struct entry_list *lower, struct error *error)
{
    struct market_entry entries[ARRAYS_PIECE];
    struct entry_chunk chunk = {.entries = entries};
    struct entry_place place;
    int64_t count, capacity = file->header.entries;
    enum status status = memory_fits(16.0 * (double)capacity, "the entries of the file", error);
    if (!status)
        status = entry_list_create(upper, capacity, error);
    if (!status && mode == ENTRIES_SPLIT)
        status = entry_list_create(lower, capacity, error);
    while (!status) {
        status = arrays_next(file->arrays, &count, error);
        if (status || count == 0)
            break;
        take_piece(file->arrays, count, file->part, &chunk);
        entry_list_append(mode, file->header.symmetry == SYMMETRY_SKEW, &chunk, 1, &place, upper,
                          lower);
    }
    return status;
}

enum status entries_read_arrays(const struct market_file *file, enum entry_mode mode,
                                struct entry_list *upper, struct entry_list *lower,
                                struct error *error)
{
    struct reading_state own = {0};
    enum status status = read_all(file, mode, upper, lower, error);
    if (!file->ranks)
        return status;
    if (status == STATUS_INPUT)
        status = market_leave_unsaid(file, error);
    return entries_meet_as(file->ranks, status, &own, error);
}

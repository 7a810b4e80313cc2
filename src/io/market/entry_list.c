#include "io/market/entry_list.h"

#include "base/memory.h"

void entry_list_free(struct entry_list *list)
{
    memory_free(list->rows);
    memory_free(list->columns);
    memory_free(list->values);
    *list = (struct entry_list){0};
}

enum status entry_list_create(struct entry_list *list, int64_t capacity, struct error *error)
{
    list->rows = memory_array(capacity, sizeof *list->rows, "the file's row indices", error);
    if (list->rows)
        list->columns =
            memory_array(capacity, sizeof *list->columns, "the file's column indices", error);
    if (list->columns)
        list->values = memory_array(capacity, sizeof *list->values, "the file's values", error);
    return list->values ? STATUS_OK : STATUS_MEMORY;
}

static void copy_folded(const struct entry_chunk *chunk, struct entry_list *upper, int64_t at,
                        double sign)
{
    for (int64_t k = 0; k < chunk->count; k++) {
        struct market_entry entry = chunk->entries[k];
        int below = entry.row > entry.column;
        upper->rows[at + k] = below ? entry.column : entry.row;
        upper->columns[at + k] = below ? (uint32_t)entry.row | MIRRORED : (uint32_t)entry.column;
        upper->values[at + k] = below ? sign * entry.value : entry.value;
    }
}

static void copy_split(const struct entry_chunk *chunk, struct entry_list *upper,
                       struct entry_list *lower, struct entry_place at)
{
    for (int64_t k = 0; k < chunk->count; k++) {
        struct market_entry entry = chunk->entries[k];
        int below = entry.row > entry.column;
        struct entry_list *list = below ? lower : upper;
        int64_t place = below ? at.lower++ : at.upper++;
        list->rows[place] = below ? entry.column : entry.row;
        list->columns[place] = (uint32_t)(below ? entry.row : entry.column);
        list->values[place] = entry.value;
    }
}

static void copy_raw(const struct entry_chunk *chunk, struct entry_list *list, int64_t at)
{
    for (int64_t k = 0; k < chunk->count; k++) {
        list->rows[at + k] = chunk->entries[k].row;
        list->columns[at + k] = (uint32_t)chunk->entries[k].column;
        list->values[at + k] = chunk->entries[k].value;
    }
}

void entry_list_append(enum entry_mode mode, bool skew, const struct entry_chunk *chunk, int chunks,
                       struct entry_place *place, struct entry_list *upper,
                       struct entry_list *lower)
{
    for (int c = 0; c < chunks; c++) {
        int64_t below = mode == ENTRIES_SPLIT ? chunk[c].below : 0;
        place[c] = (struct entry_place){upper->count, lower->count};
        upper->count += chunk[c].count - below;
        lower->count += below;
    }
#pragma omp parallel for schedule(static)
    for (int c = 0; c < chunks; c++) {
        if (mode == ENTRIES_FOLD)
            copy_folded(&chunk[c], upper, place[c].upper, skew ? -1 : 1);
        else if (mode == ENTRIES_SPLIT)
            copy_split(&chunk[c], upper, lower, place[c]);
        else
            copy_raw(&chunk[c], upper, place[c].upper);
    }
}

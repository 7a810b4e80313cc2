#include "io/market/entry_list.h"

#include "base/memory.h"
#include "base/threads.h"

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

struct appending {
    enum entry_mode mode;
    double sign; /* of a mirrored value */
    const struct entry_chunk *chunk;
    const struct entry_place *place;
    struct entry_list *upper, *lower;
};

static void copy_chunks(void *context, int64_t begin, int64_t end)
{
    const struct appending *to = context;
    for (int64_t c = begin; c < end; c++) {
        if (to->mode == ENTRIES_FOLD)
            copy_folded(&to->chunk[c], to->upper, to->place[c].upper, to->sign);
        else if (to->mode == ENTRIES_SPLIT)
            copy_split(&to->chunk[c], to->upper, to->lower, to->place[c]);
        else
            copy_raw(&to->chunk[c], to->upper, to->place[c].upper);
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
    threads_each(threads_lent(), chunks, copy_chunks,
                 &(struct appending){mode, skew ? -1 : 1, chunk, place, upper, lower});
}

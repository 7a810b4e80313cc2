#include "spmv/distributed/ghost_rows.h"

#include "base/memory.h"

#include <string.h>

static const char what[] = "the rows of other ranks";

/* --- local rows ------------------------------------------------------------------------------- */

/* The marked ones of the rows begin <= i < end: their number, and into `rows` where that is not
 * NULL. */
static int64_t take_marked(const uint8_t *marks, int64_t begin, int64_t end, int64_t *rows)
{
    enum { WORD = sizeof(uint64_t) };
    int64_t count = 0;
    for (int64_t i = 0; i < end - begin;) {
        uint64_t several;
        if (i + WORD <= end - begin) {
            memcpy(&several, marks + i, WORD);
            if (several == 0) { /* most are */
                i += WORD;
                continue;
            }
        }
        if (marks[i] && rows)
            rows[count] = begin + i;
        count += marks[i++] != 0;
    }
    return count;
}

enum status rank_places_create(const struct partition *partition, int64_t begin, int64_t end,
                               const uint8_t *marks, struct rank_places *places,
                               struct error *error)
{
    places->first = partition_first(partition);
    places->last = places->first + partition_rows(partition);
    const uint8_t *behind = marks + (places->last - begin);
    int64_t below = take_marked(marks, begin, places->first, NULL);
    places->count = below + take_marked(behind, places->last, end, NULL);
    places->others = memory_array(places->count + 1, sizeof *places->others, what, error);
    places->place = memory_array(places->count + 1, sizeof *places->place, what, error);
    if (!places->others || !places->place)
        return STATUS_MEMORY;
    take_marked(marks, begin, places->first, places->others);
    take_marked(behind, places->last, end, places->others + below);
    return STATUS_OK;
}

void rank_places_free(struct rank_places *places)
{
    memory_free(places->others);
    memory_free(places->place);
    *places = (struct rank_places){.below = 0};
}

/* --- what travels ----------------------------------------------------------------------------- */

/* Which rows each other rank gives: neighbours among `others`, as the ranks' rows are. */
static void find_given(const struct partition *partition, const int64_t *others, int64_t count,
                       struct ghost_rows *made)
{
    int64_t k = 0;
    for (int r = 0; r < partition->exchange->count; r++) {
        made->given_begin[r] = k;
        while (k < count && others[k] < partition->begin[r + 1])
            k++;
        made->given_begin[r + 1] = k;
    }
}

/* How many rows each rank wants of each: counts[rank][of rank]. */
static enum status gather_counts(struct exchange *exchange, const struct ghost_rows *made,
                                 int64_t *counts, struct error *error)
{
    int ranks = exchange->count;
    int64_t *own = counts + (int64_t)exchange->rank * ranks;
    for (int r = 0; r < ranks; r++)
        own[r] = made->given_begin[r + 1] - made->given_begin[r];
    return exchange_gather_each(exchange, own, ranks * (int64_t)sizeof *counts, counts, error);
}

static struct exchange_piece piece(const int64_t *begin, int r, const int32_t *rows)
{
    return (struct exchange_piece){(void *)(rows + begin[r]),
                                   (begin[r + 1] - begin[r]) * (int64_t)sizeof *rows};
}

/* Each rank tells the others which of their rows it reads, counted from their first ones. */
static enum status swap_rows(const struct partition *partition, const int64_t *others,
                             const struct ghost_rows *made, struct exchange_piece *pieces,
                             struct error *error)
{
    struct exchange *exchange = partition->exchange;
    struct exchange_piece *send = pieces, *receive = pieces + exchange->count;
    int32_t *rows = memory_array(made->given_begin[exchange->count] + 1, sizeof *rows, what, error);
    if (!rows)
        return STATUS_MEMORY;
    for (int r = 0; r < exchange->count; r++) {
        for (int64_t k = made->given_begin[r]; k < made->given_begin[r + 1]; k++)
            rows[k] = (int32_t)(others[k] - partition->begin[r]);
        send[r] = piece(made->given_begin, r, rows);
        receive[r] = piece(made->wanted_begin, r, made->wanted);
    }
    enum status status = exchange->operations->swap(exchange, send, receive, error);
    memory_free(rows);
    return status;
}

static enum status find_wanted(const struct partition *partition, const int64_t *others,
                               struct ghost_rows *made, struct error *error)
{
    struct exchange *exchange = partition->exchange;
    int ranks = exchange->count;
    int64_t *counts = memory_array((int64_t)ranks * ranks, sizeof *counts, what, error);
    struct exchange_piece *pieces = memory_array(2 * (int64_t)ranks, sizeof *pieces, what, error);
    enum status status =
        counts && pieces ? gather_counts(exchange, made, counts, error) : STATUS_MEMORY;
    made->wanted_begin[0] = 0;
    for (int r = 0; r < ranks && !status; r++)
        made->wanted_begin[r + 1] =
            made->wanted_begin[r] + counts[(int64_t)r * ranks + exchange->rank];
    if (!status) {
        made->wanted =
            memory_array(made->wanted_begin[ranks] + 1, sizeof *made->wanted, what, error);
        status = made->wanted ? STATUS_OK : STATUS_MEMORY;
    }
    if (!status)
        status = swap_rows(partition, others, made, pieces, error);
    memory_free(pieces);
    memory_free(counts);
    return status;
}

enum status ghost_rows_list(const struct partition *partition, const struct rank_places *places,
                            struct ghost_rows *made, struct error *error)
{
    int64_t ranks = partition->exchange->count;
    made->given = memory_array(places->count + 1, sizeof *made->given, what, error);
    made->given_begin = memory_zeros(ranks + 1, sizeof(int64_t), what, error);
    made->wanted_begin = memory_zeros(ranks + 1, sizeof(int64_t), what, error);
    if (!made->given || !made->given_begin || !made->wanted_begin)
        return STATUS_MEMORY;
    memcpy(made->given, places->place, (size_t)places->count * sizeof *made->given);
    find_given(partition, places->others, places->count, made);
    return find_wanted(partition, places->others, made, error);
}

enum status ghost_rows_create(const struct partition *partition, int64_t begin, int64_t end,
                              const uint8_t *marks, struct rank_places *places,
                              struct ghost_rows *made, struct error *error)
{
    enum status status = rank_places_create(partition, begin, end, marks, places, error);
    if (status)
        return status;
    made->own = partition_rows(partition);
    while (made->below < places->count && places->others[made->below] < places->first)
        made->below++;
    made->above = places->count - made->below;
    places->below = made->below;
    for (int64_t k = 0; k < places->count; k++)
        places->place[k] = (int32_t)(k < made->below ? k : made->own + k);
    return ghost_rows_list(partition, places, made, error);
}

/* How many rows a window has of a rank, and the first of them. */
static int64_t overlap(const struct partition *partition, int r, const int64_t window[2],
                       int64_t *first)
{
    int64_t begin = partition->begin[r], end = partition->begin[r + 1];
    begin = begin > window[0] ? begin : window[0];
    end = end < window[1] ? end : window[1];
    *first = begin;
    return end > begin ? end - begin : 0;
}

enum status ghost_rows_window(const struct partition *partition, int64_t first, int64_t last,
                              struct ghost_rows *made, struct error *error)
{
    struct exchange *exchange = partition->exchange;
    int ranks = exchange->count;
    int64_t own[2] = {first, last}, begin = partition_first(partition), ignored;
    int64_t(*windows)[2] = memory_array(ranks, sizeof *windows, what, error);
    made->given_begin = memory_zeros(ranks + 1, sizeof(int64_t), what, error);
    made->wanted_begin = memory_zeros(ranks + 1, sizeof(int64_t), what, error);
    made->wanted_first = memory_zeros(ranks, sizeof(int64_t), what, error);
    enum status status = STATUS_MEMORY;
    if (windows && made->given_begin && made->wanted_begin && made->wanted_first)
        status = exchange_gather_each(exchange, own, sizeof own, windows, error);
    for (int r = 0; r < ranks && !status; r++) {
        bool other = r != exchange->rank;
        int64_t given = overlap(partition, r, own, &ignored);
        int64_t wanted = overlap(partition, exchange->rank, windows[r], &made->wanted_first[r]);
        made->wanted_first[r] -= begin;
        made->given_begin[r + 1] = made->given_begin[r] + (other ? given : 0);
        made->wanted_begin[r + 1] = made->wanted_begin[r] + (other ? wanted : 0);
    }
    made->below = begin - first;
    made->own = partition_rows(partition);
    made->above = last - begin - made->own;
    memory_free(windows);
    return status;
}

void ghost_rows_free(struct ghost_rows *reach)
{
    memory_free(reach->wanted_begin);
    memory_free(reach->given_begin);
    memory_free(reach->wanted);
    memory_free(reach->given);
    memory_free(reach->wanted_first);
    *reach = (struct ghost_rows){.below = 0};
}

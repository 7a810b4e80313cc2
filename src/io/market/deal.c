#include "io/market/deal.h"

#include "base/memory.h"

enum status entry_deal_create(const struct matrix_market_ranks *ranks, int chunks,
                              struct entry_deal *deal, struct error *error)
{
    int64_t count = ranks->exchange->count;
    *deal = (struct entry_deal){.ranks = ranks};
    deal->counts = memory_array(chunks * count, sizeof *deal->counts, "the chunks", error);
    if (deal->counts)
        deal->sizes = memory_array(2 * count, sizeof *deal->sizes, "the ranks", error);
    if (deal->sizes)
        deal->pieces = memory_array(2 * count, sizeof *deal->pieces, "the ranks", error);
    if (deal->pieces)
        deal->received = memory_array(count, sizeof *deal->received, "the ranks", error);
    return deal->received ? STATUS_OK : STATUS_MEMORY;
}

void entry_deal_free(struct entry_deal *deal)
{
    memory_free(deal->counts);
    memory_free(deal->sizes);
    memory_free(deal->pieces);
    memory_free(deal->received);
    memory_free(deal->sent);
    memory_free(deal->got);
    *deal = (struct entry_deal){0};
}

enum status entry_deal_meet(const struct matrix_market_ranks *ranks, const struct deal_turn *own,
                            struct deal_turn *all, struct error *error)
{
    struct exchange *exchange = ranks->exchange;
    const struct deal_turn *each = ranks->turns;
    *all = (struct deal_turn){.room = INT64_MAX, .ended = true};
    enum status status = exchange_gather_each(exchange, own, sizeof *own, ranks->turns, error);
    for (int r = 0; r < exchange->count && !status; r++) {
        all->before += r < exchange->rank ? each[r].parsed : 0;
        all->parsed += each[r].parsed;
        all->announced = each[r].announced > all->announced ? each[r].announced : all->announced;
        all->room = each[r].room < all->room ? each[r].room : all->room;
        all->ended &= each[r].ended;
        all->wrong |= each[r].wrong;
        all->failed |= each[r].failed;
    }
    if (!status && all->failed)
        status = error_set(error, STATUS_RANK, "another rank has failed");
    return status;
}

enum status matrix_market_ranks_create(struct exchange *exchange, struct matrix_market_ranks *ranks,
                                       struct error *error)
{
    *ranks = (struct matrix_market_ranks){.exchange = exchange};
    ranks->parts = memory_array(exchange->count, sizeof *ranks->parts, "the ranks", error);
    if (ranks->parts)
        ranks->turns = memory_array(exchange->count, sizeof *ranks->turns, "the ranks", error);
    return ranks->turns ? STATUS_OK : STATUS_MEMORY;
}

void matrix_market_ranks_free(struct matrix_market_ranks *ranks)
{
    memory_free(ranks->parts);
    memory_free(ranks->turns);
    *ranks = (struct matrix_market_ranks){0};
}

static bool rank_keeps(const struct matrix_market_part *part, int64_t i, int64_t j)
{
    int64_t row = i < j ? i : j, column = i < j ? j : i;
    return (row >= part->first && row < part->end) ||
           (column >= part->first && column < part->last);
}

/* counts[r] = how many entries rank r keeps. */
static void count_kept(const struct matrix_market_ranks *ranks, const struct entry_chunk *chunk,
                       int64_t *counts)
{
    for (int r = 0; r < ranks->exchange->count; r++) {
        counts[r] = 0;
        for (int64_t k = 0; k < chunk->count; k++)
            counts[r] +=
                rank_keeps(&ranks->parts[r], chunk->entries[k].row, chunk->entries[k].column);
    }
}

/* Those of rank r go to sent[places[r]] and on. */
static void copy_kept(const struct matrix_market_ranks *ranks, const struct entry_chunk *chunk,
                      const int64_t *places, struct market_entry *sent)
{
    for (int r = 0; r < ranks->exchange->count; r++) {
        int64_t at = places[r];
        for (int64_t k = 0; k < chunk->count; k++)
            if (rank_keeps(&ranks->parts[r], chunk->entries[k].row, chunk->entries[k].column))
                sent[at++] = chunk->entries[k];
    }
}

/* From counts to places: the chunks' entries for the first rank, in their order, then those for the
 * second. sizes[r] = the bytes for rank r. Gives back how many entries there are. */
static int64_t place_kept(struct entry_deal *deal, int chunks)
{
    int ranks = deal->ranks->exchange->count;
    int64_t place = 0;
    for (int r = 0; r < ranks; r++) {
        int64_t begin = place;
        for (int c = 0; c < chunks; c++) {
            int64_t *here = &deal->counts[(int64_t)c * ranks + r], count = *here;
            *here = place;
            place += count;
        }
        deal->sizes[r] = (place - begin) * (int64_t)sizeof *deal->sent;
    }
    return place;
}

/* Room for so many entries; what was there is lost. */
static enum status make_room(struct market_entry **entries, int64_t *capacity, int64_t count,
                             struct error *error)
{
    if (*entries && count <= *capacity)
        return STATUS_OK;
    memory_free(*entries);
    *capacity = 0;
    *entries = memory_array(count, sizeof **entries, "the entries of a turn", error);
    if (!*entries)
        return STATUS_MEMORY;
    *capacity = count;
    return STATUS_OK;
}

/* sizes[count + r] = what rank r sends here. */
static enum status swap_sizes(struct entry_deal *deal, struct error *error)
{
    struct exchange *exchange = deal->ranks->exchange;
    for (int r = 0; r < 2 * exchange->count; r++)
        deal->pieces[r] = (struct exchange_piece){&deal->sizes[r], sizeof *deal->sizes};
    return exchange->operations->swap(exchange, deal->pieces, deal->pieces + exchange->count,
                                      error);
}

static enum status swap_entries(struct entry_deal *deal, struct error *error)
{
    struct exchange *exchange = deal->ranks->exchange;
    int count = exchange->count;
    char *sent = (char *)deal->sent, *got = (char *)deal->got;
    for (int r = 0; r < count; r++) {
        int64_t bytes = deal->sizes[count + r];
        deal->received[r] = (struct entry_chunk){.entries = (struct market_entry *)got,
                                                 .count = bytes / (int64_t)sizeof *deal->got};
        deal->pieces[r] = (struct exchange_piece){sent, deal->sizes[r]};
        deal->pieces[count + r] = (struct exchange_piece){got, bytes};
        sent += deal->sizes[r];
        got += bytes;
    }
    return exchange->operations->swap(exchange, deal->pieces, deal->pieces + count, error);
}

enum status entry_deal_swap(struct entry_deal *deal, const struct entry_chunk *chunk, int chunks,
                            struct error *error)
{
    int ranks = deal->ranks->exchange->count;
    int64_t received = 0;
#pragma omp parallel for schedule(static)
    for (int c = 0; c < chunks; c++)
        count_kept(deal->ranks, &chunk[c], deal->counts + (int64_t)c * ranks);
    int64_t sent = place_kept(deal, chunks);
    enum status status = swap_sizes(deal, error);
    if (status)
        return status;
    for (int r = 0; r < ranks; r++)
        received += deal->sizes[ranks + r] / (int64_t)sizeof *deal->got;
    struct error why;
    struct deal_turn own = {0}, all;
    enum status room = make_room(&deal->sent, &deal->sent_capacity, sent, &why);
    if (!room)
        room = make_room(&deal->got, &deal->got_capacity, received, &why);
    own.failed = room != STATUS_OK;
    status = entry_deal_meet(deal->ranks, &own, &all, error);
    if (room) {
        *error = why;
        return room;
    }
    if (status)
        return status;
#pragma omp parallel for schedule(static)
    for (int c = 0; c < chunks; c++)
        copy_kept(deal->ranks, &chunk[c], deal->counts + (int64_t)c * ranks, deal->sent);
    status = swap_entries(deal, error);
    if (status)
        return status;
#pragma omp parallel for schedule(dynamic, 1)
    for (int r = 0; r < ranks; r++)
        for (int64_t k = 0; k < deal->received[r].count; k++)
            deal->received[r].below +=
                deal->received[r].entries[k].row > deal->received[r].entries[k].column;
    return STATUS_OK;
}

/* The entries of a file that ranks read together. Each rank parses a part of the lines, and sends
 * each entry to the ranks that keep it. The parts are in the order of the ranks, so the received
 * entries, from the first rank to the last, are in file order. */
#include "io/market/entries.h"

#include "base/memory.h"
#include "base/threads.h"

#include <inttypes.h>

enum { PIECE = 1 << 15 }; /* entries that one thread takes at a time */

struct shared_reading {
    const struct matrix_market_ranks *ranks;
    const struct market_file *file; /* while lines are parsed */
    struct entry_list mine;         /* of the own part of the lines */
    int pieces;                     /* of it */
    int64_t *counts; /* [pieces][ranks]: entries for each rank, then where they go in `sent` */
    int64_t *sizes;  /* [2 ranks]: entries for each rank, and from each */
    struct entry_owners entry_owners;
    struct exchange_piece *messages; /* [2 ranks] */
    struct market_entry *sent, *got; /* sent: for the own rank, too */
    struct entry_chunk *received;    /* [chunks], in file order: entries alone */
    struct entry_place *place;       /* [chunks] */
    int chunks;
};

static void reading_free(struct shared_reading *reading)
{
    entry_list_free(&reading->mine);
    memory_free(reading->counts);
    memory_free(reading->sizes);
    entry_owners_free(&reading->entry_owners);
    memory_free(reading->messages);
    memory_free(reading->sent);
    memory_free(reading->got);
    memory_free(reading->received);
    memory_free(reading->place);
}

static int pieces_of(int64_t entries)
{
    return (int)((entries + PIECE - 1) / PIECE);
}

/* --- the own part of the lines ---------------------------------------------------------------- */

/* Into `mine`; own->wrong: there is a fault, or one entry too many for all of the file. */
static enum status parse_rounds(struct shared_reading *reading, struct parsing_rounds *rounds,
                                struct reading_state *own, struct error *error)
{
    struct entry_list none = {0};
    int chunks = 0;
    enum status status;
    while (!(status = parsing_rounds_next(rounds, &chunks, error)) && chunks > 0) {
        for (int c = 0; c < chunks; c++) {
            own->parsed += rounds->chunk[c].count;
            own->wrong = own->wrong || rounds->chunk[c].fault || own->parsed > own->announced;
        }
        if (own->wrong)
            return STATUS_OK;
        entry_list_append(ENTRIES_RAW, false, rounds->chunk, chunks, rounds->place, &reading->mine,
                          &none);
    }
    return status;
}

static enum status parse_part(struct shared_reading *reading, const struct text_reader *reader,
                              struct reading_state *own, struct error *error)
{
    const struct market_file *file = reading->file;
    const struct exchange *exchange = file->ranks->exchange;
    int64_t offset = reader->span.offset + (reader->next - reader->span.begin);
    struct text_span span = {0};
    struct parsing_rounds rounds = {0};
    enum status status =
        text_source_part(file->source, offset, exchange->rank, exchange->count, error);
    if (!status)
        status = text_source_next(file->source, &span, error);
    if (!status)
        status = parsing_rounds_create(file, &span, span.begin, &rounds, error);
    int64_t share = file->header.entries / exchange->count, bound = 0;
    if (!status)
        bound = parsing_rounds_bound(&rounds);
    if (!status)
        status = memory_fits(16.0 * (double)(bound < share ? bound : share),
                             "the entries of the file", error);
    if (!status)
        status = entry_list_create(&reading->mine, bound, error);
    if (!status)
        status = parse_rounds(reading, &rounds, own, error);
    parsing_rounds_free(&rounds);
    return status;
}

static enum status create_counts(struct shared_reading *reading, struct error *error)
{
    int64_t ranks = reading->ranks->exchange->count;
    reading->pieces = pieces_of(reading->mine.count);
    reading->counts =
        memory_array(reading->pieces * ranks, sizeof *reading->counts, "the pieces", error);
    if (reading->counts)
        reading->sizes = memory_array(2 * ranks, sizeof *reading->sizes, "the ranks", error);
    if (reading->sizes)
        reading->messages = memory_array(2 * ranks, sizeof *reading->messages, "the ranks", error);
    if (!reading->messages)
        return STATUS_MEMORY;
    return entry_owners_create(reading->ranks->parts, (int)ranks, &reading->entry_owners, error);
}

static int64_t parsed_before(const struct matrix_market_ranks *ranks)
{
    int64_t parsed = 0;
    for (int r = 0; r < ranks->exchange->rank; r++)
        parsed += ranks->states[r].parsed;
    return parsed;
}

/* Of an array file. */
static void label_values(void *context, int64_t begin, int64_t end)
{
    const struct shared_reading *reading = context;
    const struct market_header *header = &reading->file->header;
    const struct entry_list *mine = &reading->mine;
    struct array_place place = array_place_of(header, parsed_before(reading->ranks) + begin);
    for (int64_t k = begin; k < end; k++) {
        mine->rows[k] = (int32_t)place.row;
        mine->columns[k] = (uint32_t)place.column;
        array_place_step(header, &place);
    }
}

/* All ranks find the same. Ranks with a fault leave it unsaid; so does rank 0, if the total number
 * of entries is wrong. */
static enum status check_states(const struct market_file *file, struct error *error)
{
    const struct exchange *exchange = file->ranks->exchange;
    const struct reading_state *states = file->ranks->states;
    int64_t parsed = 0;
    bool wrong = false, unequal = false;
    for (int r = 0; r < exchange->count; r++) {
        parsed += states[r].parsed;
        wrong = wrong || states[r].wrong;
    }
    for (int r = 0; r < exchange->count; r++)
        unequal = unequal || states[r].announced != parsed;
    if (!wrong && !unequal)
        return STATUS_OK;
    if (states[exchange->rank].wrong || (!wrong && exchange->rank == 0))
        return market_leave_unsaid(file, error);
    return error_set(error, STATUS_RANK, "%s: another rank has found a fault in it", file->path);
}

/* --- from the ranks that parse entries to those that keep them -------------------------------- */

static void give(const struct entry_list *mine, int64_t k, int64_t *count,
                 struct market_entry *sent)
{
    if (sent)
        sent[*count] =
            (struct market_entry){mine->rows[k], (int32_t)mine->columns[k], mine->values[k]};
    ++*count;
}

/* counts[r] = the entries of piece p for rank r. If `sent` is given, they go to sent[counts[r]] and
 * on, and counts[r] moves past them. */
static void sort_piece(const struct shared_reading *reading, int64_t p)
{
    struct market_entry *sent = reading->sent;
    const struct matrix_market_ranks *ranks = reading->ranks;
    const struct entry_list *mine = &reading->mine;
    int64_t begin = p * PIECE, end = begin + PIECE;
    int64_t *counts = reading->counts + p * ranks->exchange->count;
    struct owners_of_entry keep = {0};
    for (int r = 0; r < ranks->exchange->count && !sent; r++)
        counts[r] = 0;
    for (int64_t k = begin; k < end && k < mine->count; k++) {
        entry_owners_find(&reading->entry_owners, mine->rows[k], mine->columns[k], &keep);
        for (int r = keep.lowest; r <= keep.of_row; r++)
            if (keep.row < ranks->parts[r].end)
                give(mine, k, &counts[r], sent);
        if (keep.of_column != keep.of_row)
            give(mine, k, &counts[keep.of_column], sent);
    }
}

static void sort_pieces(void *context, int64_t begin, int64_t end)
{
    for (int64_t p = begin; p < end; p++)
        sort_piece(context, p);
}

/* From counts to places: the pieces' entries for the first rank, in their order, then those for the
 * second. sizes[r] = how many there are for rank r. Gives back all. */
static int64_t place_pieces(struct shared_reading *reading)
{
    int ranks = reading->ranks->exchange->count;
    int64_t place = 0;
    for (int r = 0; r < ranks; r++) {
        int64_t begin = place;
        for (int p = 0; p < reading->pieces; p++) {
            int64_t *cell = &reading->counts[(int64_t)p * ranks + r], count = *cell;
            *cell = place;
            place += count;
        }
        reading->sizes[r] = place - begin;
    }
    return place;
}

/* sizes[ranks + r] = what rank r sends here. */
static enum status swap_sizes(struct shared_reading *reading, struct error *error)
{
    struct exchange *exchange = reading->ranks->exchange;
    for (int r = 0; r < 2 * exchange->count; r++)
        reading->messages[r] = (struct exchange_piece){&reading->sizes[r], sizeof *reading->sizes};
    return exchange->operations->swap(exchange, reading->messages,
                                      reading->messages + exchange->count, error);
}

/* Room for what is sent, got, and kept. */
static enum status create_rooms(struct shared_reading *reading, int64_t sent, enum entry_mode mode,
                                struct entry_list *upper, struct entry_list *lower,
                                struct error *error)
{
    const struct exchange *exchange = reading->ranks->exchange;
    const int64_t *from = reading->sizes + exchange->count;
    int64_t received = 0;
    for (int r = 0; r < exchange->count; r++) {
        received += from[r];
        reading->chunks += pieces_of(from[r]);
    }
    enum status status =
        memory_fits(16.0 * (double)(sent + 2 * received), "the entries of the file", error);
    if (!status)
        status = entry_list_create(upper, received, error);
    if (!status && mode == ENTRIES_SPLIT)
        status = entry_list_create(lower, received, error);
    if (status)
        return status;
    reading->sent = memory_array(sent, sizeof *reading->sent, "the entries of others", error);
    if (reading->sent)
        reading->got = memory_array(received - from[exchange->rank], sizeof *reading->got,
                                    "the entries from others", error);
    if (reading->got)
        reading->received =
            memory_array(reading->chunks, sizeof *reading->received, "the chunks", error);
    if (reading->received)
        reading->place = memory_array(reading->chunks, sizeof *reading->place, "the chunks", error);
    return reading->place ? STATUS_OK : STATUS_MEMORY;
}

/* received[] = the chunks from each rank. Entries from this rank to itself stay in `sent`. */
static enum status swap_entries(struct shared_reading *reading, struct error *error)
{
    struct exchange *exchange = reading->ranks->exchange;
    int ranks = exchange->count;
    int64_t size = sizeof *reading->sent;
    struct market_entry *sent = reading->sent, *got = reading->got;
    struct entry_chunk *chunk = reading->received;
    for (int r = 0; r < ranks; r++) {
        bool own = r == exchange->rank;
        int64_t count = reading->sizes[ranks + r];
        struct market_entry *from = own ? sent : got;
        for (int64_t k = 0; k < count; k += PIECE)
            *chunk++ = (struct entry_chunk){.entries = from + k,
                                            .count = count - k < PIECE ? count - k : PIECE};
        reading->messages[r] = (struct exchange_piece){sent, own ? 0 : size * reading->sizes[r]};
        reading->messages[ranks + r] = (struct exchange_piece){got, own ? 0 : size * count};
        sent += reading->sizes[r];
        got += own ? 0 : count;
    }
    return exchange->operations->swap(exchange, reading->messages, reading->messages + ranks,
                                      error);
}

static void count_below(void *context, int64_t begin, int64_t end)
{
    const struct shared_reading *reading = context;
    for (int64_t c = begin; c < end; c++) {
        struct entry_chunk *chunk = &reading->received[c];
        for (int64_t k = 0; k < chunk->count; k++)
            chunk->below += chunk->entries[k].row > chunk->entries[k].column;
    }
}

static enum status share(struct shared_reading *reading, enum entry_mode mode, bool skew,
                         struct entry_list *upper, struct entry_list *lower, struct error *error)
{
    struct reading_state own = {0};
    threads_each(threads_lent(), reading->pieces, sort_pieces, reading);
    int64_t sent = place_pieces(reading);
    enum status status = swap_sizes(reading, error);
    if (status)
        return status;
    status = create_rooms(reading, sent, mode, upper, lower, error);
    status = entries_meet_as(reading->ranks, status, &own, error);
    if (status)
        return status;
    threads_each(threads_lent(), reading->pieces, sort_pieces, reading);
    entry_list_free(&reading->mine);
    status = swap_entries(reading, error);
    if (status)
        return status;
    threads_each(threads_lent(), reading->chunks, count_below, reading);
    entry_list_append(mode, skew, reading->received, reading->chunks, reading->place, upper, lower);
    return STATUS_OK;
}

enum status entries_share(const struct matrix_market_ranks *ranks, enum status status,
                          struct entry_list *mine, enum entry_mode mode, bool skew,
                          struct entry_list *upper, struct entry_list *lower, struct error *error)
{
    struct shared_reading reading = {.ranks = ranks, .mine = *mine};
    struct reading_state own = {0};
    *mine = (struct entry_list){0};
    *upper = *lower = *mine;
    if (!status)
        status = create_counts(&reading, error);
    status = entries_meet_as(ranks, status, &own, error);
    if (!status)
        status = share(&reading, mode, skew, upper, lower, error);
    reading_free(&reading);
    return status;
}

enum status entries_read_shared(const struct market_file *file, const struct text_reader *reader,
                                enum entry_mode mode, struct entry_list *upper,
                                struct entry_list *lower, struct error *error)
{
    struct shared_reading reading = {.ranks = file->ranks, .file = file};
    struct reading_state own = {.announced = file->header.entries};
    struct error refused;
    enum status parsed = parse_part(&reading, reader, &own, error), status = parsed;
    if (parsed == STATUS_INPUT) {
        refused = *error;
        own.wrong = true;
        status = STATUS_OK;
    }
    if (!status)
        status = create_counts(&reading, error);
    status = entries_meet_as(file->ranks, status, &own, error);
    if (!status)
        status = check_states(file, error);
    if (parsed == STATUS_INPUT && *file->unsaid) {
        *error = refused;
        status = STATUS_INPUT;
    }
    if (!status && file->header.array)
        threads_each(threads_lent(), reading.mine.count, label_values, &reading);
    if (!status)
        status = share(&reading, mode, file->header.symmetry == SYMMETRY_SKEW, upper, lower, error);
    reading_free(&reading);
    return status;
}

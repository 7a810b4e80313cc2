#include "io/market/entries.h"

#include "base/memory.h"
#include "base/threads.h"

#include <inttypes.h>

/* --- rounds ----------------------------------------------------------------------------------- */

enum {
    CHUNK = 32 << 10, /* bytes that one thread parses at a time: its entries stay in cache */
    /* Chunks between two barriers. Many, because on a busy machine a barrier may cost the time
     * slice of another process. */
    ROUND_CHUNKS = 512,
    CHUNKS_PER_THREAD = 16,
    ROUNDS = 8, /* at least, because the entries of a round are in memory twice */
};

int64_t parsing_rounds_offset(const struct parsing_rounds *rounds, const char *place)
{
    return rounds->span.offset + (place - rounds->span.begin);
}

int64_t parsing_rounds_bound(const struct parsing_rounds *rounds)
{
    const struct market_header *header = &rounds->file->header;
    int64_t offset = parsing_rounds_offset(rounds, rounds->next);
    int64_t fitting =
        text_source_bound(rounds->file->source, offset) / market_entry_bytes(header) + 1;
    return header->entries < fitting ? header->entries : fitting;
}

static int round_chunks(const struct parsing_rounds *rounds)
{
    int64_t offset = parsing_rounds_offset(rounds, rounds->next);
    int64_t useful = text_source_bound(rounds->file->source, offset) / (ROUNDS * CHUNK) + 1;
    int chunks = CHUNKS_PER_THREAD * threads_count(threads_lent());
    if (chunks < ROUND_CHUNKS)
        chunks = ROUND_CHUNKS;
    return chunks > useful ? (int)useful : chunks;
}

enum status parsing_rounds_create(const struct market_file *file, const struct text_span *span,
                                  const char *next, struct parsing_rounds *rounds,
                                  struct error *error)
{
    int64_t room = CHUNK / market_entry_bytes(&file->header) + 1;
    *rounds = (struct parsing_rounds){.file = file, .span = *span, .next = next};
    int64_t most = rounds->most = round_chunks(rounds);
    rounds->chunk = memory_array(most, sizeof *rounds->chunk, "the chunks", error);
    if (rounds->chunk)
        rounds->place = memory_array(most, sizeof *rounds->place, "the chunks", error);
    if (rounds->place)
        rounds->entries =
            memory_array(most * room, sizeof *rounds->entries, "the chunks' entries", error);
    for (int64_t c = 0; c < most && rounds->entries; c++)
        rounds->chunk[c].entries = rounds->entries + c * room;
    return rounds->entries ? STATUS_OK : STATUS_MEMORY;
}

void parsing_rounds_free(struct parsing_rounds *rounds)
{
    memory_free(rounds->chunk);
    memory_free(rounds->place);
    memory_free(rounds->entries);
    *rounds = (struct parsing_rounds){0};
}

/* Cut the next lines into chunks; none at the end of the text. */
static enum status cut_round(struct parsing_rounds *rounds, int *chunks, struct error *error)
{
    const struct text_span *span = &rounds->span;
    *chunks = 0;
    if (rounds->next == span->end) {
        struct text_span next;
        enum status status = text_source_next(rounds->file->source, &next, error);
        if (status || next.begin == next.end)
            return status;
        rounds->span = next;
        rounds->next = next.begin;
    }
    const char *p = rounds->next;
    for (; *chunks < rounds->most && p < span->end; ++*chunks) {
        struct entry_chunk *chunk = &rounds->chunk[*chunks];
        chunk->begin = p;
        p = span->end - p > CHUNK ? text_line_start(span->begin, p + CHUNK, span->end) : span->end;
        chunk->end = p;
    }
    rounds->next = p;
    return STATUS_OK;
}

/* Piece 0 is the next span, which is read or inflated while other threads parse the chunks. */
static void do_pieces(void *context, int64_t begin, int64_t end)
{
    const struct parsing_rounds *rounds = context;
    for (int64_t piece = begin; piece < end; piece++)
        if (piece == 0)
            text_source_prefetch(rounds->file->source);
        else
            entry_chunk_parse(&rounds->chunk[piece - 1], &rounds->file->header);
}

enum status parsing_rounds_next(struct parsing_rounds *rounds, int *chunks, struct error *error)
{
    enum status status = cut_round(rounds, chunks, error);
    if (!status)
        threads_take(threads_lent(), 1 + *chunks, 1, do_pieces, rounds);
    return status;
}

/* --- faults ----------------------------------------------------------------------------------- */

static enum status refuse_at(const struct market_file *file, int64_t offset,
                             const struct error *what, struct error *error)
{
    return error_at(error, file->path, text_source_line_at(file->source, offset), "%s", what->text);
}

static enum status refuse_line(const struct parsing_rounds *rounds, const struct entry_chunk *chunk,
                               struct error *error)
{
    const char *begin = chunk->fault, *end = chunk->fault;
    while (begin > chunk->begin && begin[-1] != '\n' && begin[-1] != '\r')
        begin--;
    while (end < chunk->end && *end != '\n' && *end != '\r')
        end++;
    struct error what;
    market_describe_fault(begin, end, &rounds->file->header, &what);
    return refuse_at(rounds->file, parsing_rounds_offset(rounds, begin), &what, error);
}

/* The chunk's entry number k is one too many. */
static enum status refuse_extra(const struct parsing_rounds *rounds,
                                const struct entry_chunk *chunk, int64_t k, struct error *error)
{
    const struct market_header *header = &rounds->file->header;
    const char *line = entry_chunk_line(chunk, k);
    struct error what;
    error_set(&what, STATUS_INPUT,
              "more entries than the %" PRId64 " that the size line (%" PRId64 ") announces",
              header->entries, header->size_line);
    return refuse_at(rounds->file, parsing_rounds_offset(rounds, line), &what, error);
}

static enum status refuse_short(const struct parsing_rounds *rounds, int64_t found,
                                struct error *error)
{
    const struct market_header *header = &rounds->file->header;
    int64_t end = parsing_rounds_offset(rounds, rounds->span.end);
    struct error what;
    error_set(&what, STATUS_INPUT,
              "the file ends after %" PRId64 " of the %" PRId64
              " entries that the size line (%" PRId64 ") announces",
              found, header->entries, header->size_line);
    return refuse_at(rounds->file, end > 0 ? end - 1 : 0, &what, error);
}

/* --- by one rank ------------------------------------------------------------------------------ */

/* *at: where the chunk's first value stands; becomes the place after its last. */
static void label_values(const struct market_header *header, struct array_place *at,
                         struct entry_chunk *chunk)
{
    for (int64_t k = 0; k < chunk->count; k++) {
        chunk->entries[k].row = (int32_t)at->row;
        chunk->entries[k].column = (int32_t)at->column;
        chunk->below += at->row > at->column;
        array_place_step(header, at);
    }
}

/* In file order, so that the message names the first fault of the file. */
static enum status check_chunks(const struct parsing_rounds *rounds, int chunks, int64_t *found,
                                struct array_place *at, struct error *error)
{
    const struct market_header *header = &rounds->file->header;
    for (int c = 0; c < chunks; c++) {
        struct entry_chunk *chunk = &rounds->chunk[c];
        if (chunk->count > header->entries - *found)
            return refuse_extra(rounds, chunk, header->entries - *found, error);
        if (chunk->fault)
            return refuse_line(rounds, chunk, error);
        if (header->array)
            label_values(header, at, chunk);
        *found += chunk->count;
    }
    return STATUS_OK;
}

static enum status read_rounds(struct parsing_rounds *rounds, enum entry_mode mode,
                               struct entry_list *upper, struct entry_list *lower,
                               struct error *error)
{
    const struct market_header *header = &rounds->file->header;
    struct array_place at = array_place_of(header, 0);
    int64_t found = 0;
    int chunks = 0;
    enum status status;
    while (!(status = parsing_rounds_next(rounds, &chunks, error)) && chunks > 0) {
        status = check_chunks(rounds, chunks, &found, &at, error);
        if (status)
            return status;
        entry_list_append(mode, header->symmetry == SYMMETRY_SKEW, rounds->chunk, chunks,
                          rounds->place, upper, lower);
    }
    return status || found == header->entries ? status : refuse_short(rounds, found, error);
}

enum status entries_read(const struct market_file *file, const struct text_reader *reader,
                         enum entry_mode mode, struct entry_list *upper, struct entry_list *lower,
                         struct error *error)
{
    struct entry_list none;
    lower = lower ? lower : &none;
    *upper = *lower = (struct entry_list){0};
    if (file->arrays)
        return entries_read_arrays(file, mode, upper, lower, error);
    if (file->ranks)
        return entries_read_shared(file, reader, mode, upper, lower, error);
    struct parsing_rounds rounds;
    enum status status = parsing_rounds_create(file, &reader->span, reader->next, &rounds, error);
    int64_t capacity = parsing_rounds_bound(&rounds);
    if (!status)
        status = memory_fits(16.0 * (double)capacity, "the entries of the file", error);
    if (!status)
        status = entry_list_create(upper, capacity, error);
    if (!status && mode == ENTRIES_SPLIT)
        status = entry_list_create(lower, capacity, error);
    if (!status)
        status = read_rounds(&rounds, mode, upper, lower, error);
    parsing_rounds_free(&rounds);
    return status;
}

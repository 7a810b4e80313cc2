#include "io/market/entries.h"

#include "base/memory.h"
#include "base/threads.h"

enum {
    CHUNK = 32 << 10, /* bytes that one thread parses at a time: its entries stay in cache */
    /* Parsed between two barriers. Many, because on a busy machine every barrier may cost the time
     * slice of another process. */
    ROUND_CHUNKS = 512,
    CHUNKS_PER_THREAD = 16,
    ROUNDS = 8, /* at least, because the entries of a round are in memory twice */
};

int64_t exchange_rounds_offset(const struct exchange_rounds *rounds, const char *place)
{
    return rounds->span.offset + (place - rounds->span.begin);
}

int64_t exchange_rounds_bound(const struct exchange_rounds *rounds)
{
    const struct market_header *header = &rounds->file->header;
    int64_t offset = exchange_rounds_offset(rounds, rounds->next);
    int64_t fitting =
        text_source_bound(rounds->file->source, offset) / market_entry_bytes(header) + 1;
    return header->entries < fitting ? header->entries : fitting;
}

static int round_chunks(const struct exchange_rounds *rounds)
{
    int64_t offset = exchange_rounds_offset(rounds, rounds->next);
    int64_t useful = text_source_bound(rounds->file->source, offset) / (ROUNDS * CHUNK) + 1;
    int chunks = CHUNKS_PER_THREAD * threads_count(threads_lent());
    if (chunks < ROUND_CHUNKS)
        chunks = ROUND_CHUNKS;
    return chunks > useful ? (int)useful : chunks;
}

enum status exchange_rounds_create(const struct market_file *file, const struct text_span *span,
                                   const char *next, struct exchange_rounds *rounds,
                                   struct error *error)
{
    int64_t room = CHUNK / market_entry_bytes(&file->header) + 1;
    *rounds = (struct exchange_rounds){.file = file, .span = *span, .next = next};
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

void exchange_rounds_free(struct exchange_rounds *rounds)
{
    memory_free(rounds->chunk);
    memory_free(rounds->place);
    memory_free(rounds->entries);
    *rounds = (struct exchange_rounds){0};
}

/* Cut the next lines into chunks; none at the end of the text. */
static enum status cut_round(struct exchange_rounds *rounds, int *chunks, struct error *error)
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
    const struct exchange_rounds *rounds = context;
    for (int64_t piece = begin; piece < end; piece++)
        if (piece == 0)
            text_source_prefetch(rounds->file->source);
        else
            entry_chunk_parse(&rounds->chunk[piece - 1], &rounds->file->header);
}

enum status exchange_rounds_next(struct exchange_rounds *rounds, int *chunks, struct error *error)
{
    enum status status = cut_round(rounds, chunks, error);
    if (!status)
        threads_take(threads_lent(), 1 + *chunks, 1, do_pieces, rounds);
    return status;
}

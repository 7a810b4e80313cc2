#include "io/market/rounds.h"

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

int64_t entry_rounds_offset(const struct entry_rounds *rounds, const char *place)
{
    return rounds->span.offset + (place - rounds->span.begin);
}

int64_t entry_rounds_bound(const struct entry_rounds *rounds)
{
    const struct market_header *header = &rounds->file->header;
    int64_t offset = entry_rounds_offset(rounds, rounds->next);
    int64_t fitting =
        text_source_bound(rounds->file->source, offset) / market_entry_bytes(header) + 1;
    return header->entries < fitting ? header->entries : fitting;
}

static int round_chunks(const struct entry_rounds *rounds)
{
    int64_t offset = entry_rounds_offset(rounds, rounds->next);
    int64_t useful = text_source_bound(rounds->file->source, offset) / (ROUNDS * CHUNK) + 1;
    int chunks = CHUNKS_PER_THREAD * threads_count(threads_lent());
    if (chunks < ROUND_CHUNKS)
        chunks = ROUND_CHUNKS;
    return chunks > useful ? (int)useful : chunks;
}

enum status entry_rounds_create(const struct market_file *file, const struct text_span *span,
                                const char *next, struct entry_rounds *rounds, struct error *error)
{
    int64_t room = CHUNK / market_entry_bytes(&file->header) + 1;
    *rounds = (struct entry_rounds){.file = file, .span = *span, .next = next};
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

void entry_rounds_free(struct entry_rounds *rounds)
{
    memory_free(rounds->chunk);
    memory_free(rounds->place);
    memory_free(rounds->entries);
    *rounds = (struct entry_rounds){0};
}

/* Cut the next lines into chunks; none at the end of the text. */
static enum status cut_round(struct entry_rounds *rounds, int *chunks, struct error *error)
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

enum status entry_rounds_next(struct entry_rounds *rounds, int *chunks, struct error *error)
{
    enum status status = cut_round(rounds, chunks, error);
    if (status)
        return status;
    int count = *chunks;
#pragma omp parallel
    {
#pragma omp master
        text_source_prefetch(rounds->file->source);
#pragma omp for schedule(dynamic, 1)
        for (int c = 0; c < count; c++)
            entry_chunk_parse(&rounds->chunk[c], &rounds->file->header);
    }
    return STATUS_OK;
}

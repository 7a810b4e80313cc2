#include "io/market/entries.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/threads.h"
#include "io/market/chunk.h"
#include "io/market/deal.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <zlib.h>

enum {
    CHUNK = 32 << 10, /* bytes that one thread parses at a time: its entries stay in cache */
    /* Parsed between two barriers. Many, because on a busy machine every barrier may cost the time
     * slice of another process. */
    ROUND_CHUNKS = 512,
    CHUNKS_PER_THREAD = 16,
    TURN_CHUNKS = 2048, /* of ranks that read together, about */
    ROUNDS = 8,         /* at least, because the entries of a round are in memory twice */
};

/* The state of reading. A round is: parse some chunks in parallel, see in file order what came of
 * them and where their entries go, and copy these in parallel. */
struct entry_parser {
    const struct market_file *file;
    enum entry_mode mode;
    struct entry_list *upper, *lower;
    struct text_span span;
    const char *next;             /* in it: of the next round */
    int chunks;                   /* in a round, at most */
    struct entry_chunk *chunk;    /* [chunks] of the own round; where ranks read together, [chunks]
                                     more for a round of another rank */
    struct market_entry *entries; /* of all chunks of a round */
    struct entry_place *place;    /* of the first entry of each chunk */
    int64_t found;                /* entries so far, of all ranks */
    int64_t capacity;             /* of a list */
    struct market_entry at;       /* of an array file: where its next value stands */
    struct entry_deal deal;       /* where several ranks read together */
};

/* --- faults ------------------------------------------------------------------------------------
 */

/* Of a place in the span. */
static int64_t offset_of(const struct entry_parser *parser, const char *place)
{
    return parser->span.offset + (place - parser->span.begin);
}

static enum status refuse_at(const struct market_file *file, int64_t offset,
                             const struct error *what, struct error *error)
{
    return error_set(error, STATUS_INPUT, "%s:%" PRId64 ": %s", file->path,
                     text_source_line_at(file->source, offset), what->text);
}

static enum status refuse_line(const struct entry_parser *parser, const struct entry_chunk *chunk,
                               struct error *error)
{
    const char *begin = chunk->fault, *end = chunk->fault;
    while (begin > chunk->begin && begin[-1] != '\n' && begin[-1] != '\r')
        begin--;
    while (end < chunk->end && *end != '\n' && *end != '\r')
        end++;
    struct error what;
    market_describe_fault(begin, end, &parser->file->header, &what);
    return refuse_at(parser->file, offset_of(parser, begin), &what, error);
}

static enum status refuse_extra(const struct entry_parser *parser, const struct entry_chunk *chunk,
                                struct error *error)
{
    const struct market_header *header = &parser->file->header;
    const char *line = entry_chunk_line(chunk, header->entries - parser->found);
    struct error what;
    error_set(&what, STATUS_INPUT,
              "more entries than the %" PRId64 " that the size line (%" PRId64 ") announces",
              header->entries, header->size_line);
    return refuse_at(parser->file, offset_of(parser, line), &what, error);
}

static enum status refuse_short(const struct entry_parser *parser, struct error *error)
{
    const struct market_header *header = &parser->file->header;
    int64_t end = offset_of(parser, parser->span.end);
    struct error what;
    error_set(&what, STATUS_INPUT,
              "the file ends after %" PRId64 " of the %" PRId64
              " entries that the size line (%" PRId64 ") announces",
              parser->found, header->entries, header->size_line);
    return refuse_at(parser->file, end > 0 ? end - 1 : 0, &what, error);
}

/* --- where entries go --------------------------------------------------------------------------
 */

/* Where value number k of an array file stands. They come column by column, of a symmetric one from
 * the diagonal down, of a skew-symmetric one from below it. */
static struct market_entry array_entry(const struct market_header *header, int64_t k)
{
    int64_t skipped = header->symmetry == SYMMETRY_SKEW, j = 0;
    if (header->symmetry == SYMMETRY_GENERAL)
        return (struct market_entry){(int32_t)(k % header->rows), (int32_t)(k / header->rows), 0};
    for (; k >= header->rows - j - skipped; j++)
        k -= header->rows - j - skipped;
    return (struct market_entry){(int32_t)(j + skipped + k), (int32_t)j, 0};
}

/* Of a chunk whose first value stands at *at, which becomes the place behind its last. */
static void label_array_entries(const struct market_header *header, struct market_entry *at,
                                struct entry_chunk *chunk)
{
    for (int64_t e = 0; e < chunk->count; e++) {
        struct market_entry *entry = &chunk->entries[e];
        entry->row = at->row;
        entry->column = at->column;
        chunk->below += at->row > at->column;
        if (++at->row == header->rows) {
            at->column++;
            at->row = header->symmetry == SYMMETRY_GENERAL
                          ? 0
                          : at->column + (header->symmetry == SYMMETRY_SKEW);
        }
    }
}

static void append(struct entry_parser *parser, const struct entry_chunk *chunk, int chunks)
{
    entry_list_append(parser->mode, parser->file->header.symmetry == SYMMETRY_SKEW, chunk, chunks,
                      parser->place, parser->upper, parser->lower);
}

/* --- a round -----------------------------------------------------------------------------------
 */

/* Cut the next lines into chunks; none at the end of the file. */
static enum status cut_round(struct entry_parser *parser, struct entry_chunk *chunk, int *chunks,
                             struct error *error)
{
    const struct text_span *span = &parser->span;
    *chunks = 0;
    if (parser->next == span->end) {
        struct text_span next;
        enum status status = text_source_next(parser->file->source, &next, error);
        if (status || next.begin == next.end)
            return status;
        parser->span = next;
        parser->next = next.begin;
    }
    const char *p = parser->next;
    for (; *chunks < parser->chunks && p < span->end; ++*chunks) {
        chunk[*chunks].begin = p;
        p = span->end - p > CHUNK ? text_line_start(span->begin, p + CHUNK, span->end) : span->end;
        chunk[*chunks].end = p;
    }
    parser->next = p;
    return STATUS_OK;
}

static void sum_lines(struct entry_chunk *chunk)
{
    size_t bytes = (size_t)(chunk->end - chunk->begin);
    chunk->checksum = (uint32_t)crc32_z(0, (const Bytef *)chunk->begin, bytes);
}

/* hash: of the lines so far, or NULL. */
static void parse_round(struct entry_parser *parser, struct entry_chunk *chunk, int chunks,
                        bool parses, uint64_t *hash)
{
#pragma omp parallel
    {
#pragma omp master
        text_source_prefetch(parser->file->source);
#pragma omp for schedule(dynamic, 1)
        for (int c = 0; c < chunks; c++) {
            if (parses)
                entry_chunk_parse(&chunk[c], &parser->file->header);
            if (hash)
                sum_lines(&chunk[c]);
        }
    }
    for (int c = 0; c < chunks && hash; c++)
        *hash = hash_word(*hash, chunk[c].checksum);
}

/* Look at the parsed chunks in file order, so that the first fault of the file is the one told. */
static enum status check_chunks(struct entry_parser *parser, int chunks, struct error *error)
{
    const struct market_header *header = &parser->file->header;
    for (int c = 0; c < chunks; c++) {
        struct entry_chunk *chunk = &parser->chunk[c];
        if (chunk->count > header->entries - parser->found)
            return refuse_extra(parser, chunk, error);
        if (chunk->fault)
            return refuse_line(parser, chunk, error);
        if (header->array)
            label_array_entries(header, &parser->at, chunk);
        parser->found += chunk->count;
    }
    return STATUS_OK;
}

static enum status parse_alone(struct entry_parser *parser, struct error *error)
{
    int chunks = 0;
    enum status status;
    while (!(status = cut_round(parser, parser->chunk, &chunks, error)) && chunks > 0) {
        parse_round(parser, parser->chunk, chunks, true, NULL);
        status = check_chunks(parser, chunks, error);
        if (status)
            return status;
        append(parser, parser->chunk, chunks);
    }
    if (!status && parser->found < parser->file->header.entries)
        return refuse_short(parser, error);
    return status;
}

/* --- several ranks -----------------------------------------------------------------------------
 * */

static uint64_t hash_of_header(const struct market_header *header)
{
    const uint64_t words[] = {(uint64_t)header->array,   header->field,
                              header->symmetry,          (uint64_t)header->rows,
                              (uint64_t)header->columns, (uint64_t)header->entries};
    return hash_words(HASH_START, words, sizeof words / sizeof *words);
}

/* A round of each rank, of which this one parses its own; *chunks of them. */
static enum status parse_turn(struct entry_parser *parser, int *chunks, struct deal_turn *own,
                              struct error *error)
{
    const struct exchange *exchange = parser->file->ranks->exchange;
    uint64_t *hash = &parser->file->met->text_hash;
    enum status status = STATUS_OK;
    for (int r = 0; r < exchange->count && !status && !own->ended; r++) {
        bool mine = r == exchange->rank;
        struct entry_chunk *chunk = mine ? parser->chunk : parser->chunk + parser->chunks;
        int cut = 0;
        status = cut_round(parser, chunk, &cut, error);
        if (!status)
            parse_round(parser, chunk, cut, mine, hash);
        own->ended = cut == 0;
        *chunks = mine ? cut : *chunks;
    }
    for (int c = 0; c < *chunks; c++) {
        own->parsed += parser->chunk[c].count;
        own->wrong = own->wrong || parser->chunk[c].fault;
    }
    return status;
}

/* Whether something is; all ranks find the same. */
static bool is_wrong(const struct deal_turn *all, int64_t found)
{
    return all->wrong || found > all->room || (all->ended && found < all->announced);
}

/* Of an array file whose value number k is the first of the own round. */
static void label_turn(const struct entry_parser *parser, int chunks, int64_t k)
{
    const struct market_header *header = &parser->file->header;
    if (!header->array || k >= header->entries)
        return;
    struct market_entry at = array_entry(header, k);
    for (int c = 0; c < chunks; c++)
        label_array_entries(header, &at, &parser->chunk[c]);
}

/* Who met a fault says it. Where all together find too many entries or too few, the first rank
 * does. */
static enum status refuse_turn(const struct entry_parser *parser, const struct deal_turn *own,
                               const struct deal_turn *all, struct error *error)
{
    if (own->wrong || (!all->wrong && parser->file->ranks->exchange->rank == 0))
        return market_leave_unsaid(parser->file, error);
    return error_set(error, STATUS_RANK, "%s: another rank has found a fault in it",
                     parser->file->path);
}

/* status: how parser_create ended; the other ranks are told in the first turn. */
static enum status parse_together(struct entry_parser *parser, enum status status,
                                  struct error *error)
{
    const struct matrix_market_ranks *ranks = parser->file->ranks;
    struct deal_turn all = {0};
    parser->file->met->text_hash = hash_of_header(&parser->file->header);
    do {
        struct deal_turn own = {.announced = parser->file->header.entries,
                                .room = parser->capacity};
        struct error why;
        int chunks = 0;
        if (!status)
            status = parse_turn(parser, &chunks, &own, error);
        own.wrong = own.wrong || status == STATUS_INPUT;
        own.failed = status && status != STATUS_INPUT;
        enum status of_all = entry_deal_meet(ranks, &own, &all, &why);
        if (own.failed)
            return status;
        if (of_all) {
            *error = why;
            return of_all;
        }
        if (is_wrong(&all, parser->found + all.parsed))
            return refuse_turn(parser, &own, &all, error);
        label_turn(parser, chunks, parser->found + all.before);
        parser->found += all.parsed;
        status = entry_deal_swap(&parser->deal, parser->chunk, chunks, error);
        if (!status)
            append(parser, parser->deal.received, ranks->exchange->count);
    } while (!status && !all.ended);
    return status;
}

/* --- memory ------------------------------------------------------------------------------------
 */

/* No more entries than the file can hold, whatever its size line says. */
static int64_t entry_capacity(const struct market_file *file, int64_t offset)
{
    const struct market_header *header = &file->header;
    int64_t bytes = text_source_bound(file->source, offset);
    int64_t fitting = bytes / market_entry_bytes(header) + 1;
    return header->entries < fitting ? header->entries : fitting;
}

/* Rounds of ranks that read together do not depend on their threads. */
static int round_chunks(const struct market_file *file, int64_t offset)
{
    int ranks = file->ranks ? file->ranks->exchange->count : 1;
    int64_t useful = text_source_bound(file->source, offset) / (ROUNDS * CHUNK) / ranks + 1;
    int chunks = file->ranks ? TURN_CHUNKS / ranks + 1 : CHUNKS_PER_THREAD * threads_openmp();
    if (chunks < ROUND_CHUNKS && !file->ranks)
        chunks = ROUND_CHUNKS;
    return chunks > useful ? (int)useful : chunks;
}

/* Entries that the lists take, and at once what comes in a turn. */
static double bytes_needed(const struct entry_parser *parser)
{
    const struct market_file *file = parser->file;
    double all = 16.0 * (double)parser->capacity;
    if (!file->ranks)
        return all;
    double share = (double)(file->part->end - file->part->first) / (double)file->header.rows;
    double turn = 16.0 * parser->chunks * file->ranks->exchange->count *
                  (CHUNK / market_entry_bytes(&file->header) + 1);
    return share * all + (turn < share * all ? turn : share * all);
}

static enum status create_chunks(struct entry_parser *parser, struct error *error)
{
    const struct matrix_market_ranks *ranks = parser->file->ranks;
    int64_t room = CHUNK / market_entry_bytes(&parser->file->header) + 1;
    int64_t chunks = parser->chunks, appended = chunks;
    if (ranks && ranks->exchange->count > appended)
        appended = ranks->exchange->count;
    parser->chunk =
        memory_array(ranks ? 2 * chunks : chunks, sizeof *parser->chunk, "the chunks", error);
    if (parser->chunk)
        parser->place = memory_array(appended, sizeof *parser->place, "the chunks", error);
    if (parser->place)
        parser->entries =
            memory_array(chunks * room, sizeof *parser->entries, "the chunks' entries", error);
    for (int64_t c = 0; c < chunks && parser->entries; c++)
        parser->chunk[c].entries = parser->entries + c * room;
    return parser->entries ? STATUS_OK : STATUS_MEMORY;
}

static enum status parser_create(struct entry_parser *parser, const struct text_reader *reader,
                                 struct error *error)
{
    const struct market_file *file = parser->file;
    parser->span = reader->span;
    parser->next = reader->next;
    int64_t offset = offset_of(parser, reader->next);
    parser->capacity = entry_capacity(file, offset);
    parser->chunks = round_chunks(file, offset);
    parser->at = (struct market_entry){.row = file->header.symmetry == SYMMETRY_SKEW};
    enum status status = memory_fits(bytes_needed(parser), "the entries of the file", error);
    if (status == STATUS_OK)
        status = entry_list_create(parser->upper, parser->capacity, error);
    if (status == STATUS_OK && parser->mode == ENTRIES_SPLIT)
        status = entry_list_create(parser->lower, parser->capacity, error);
    if (status == STATUS_OK)
        status = create_chunks(parser, error);
    if (status == STATUS_OK && file->ranks)
        status = entry_deal_create(file->ranks, parser->chunks, &parser->deal, error);
    return status;
}

enum status entries_read(const struct market_file *file, const struct text_reader *reader,
                         enum entry_mode mode, struct entry_list *upper, struct entry_list *lower,
                         struct error *error)
{
    struct entry_parser parser = {.file = file, .mode = mode, .upper = upper, .lower = lower};
    *upper = *lower = (struct entry_list){0};
    enum status status = parser_create(&parser, reader, error);
    if (file->ranks)
        status = parse_together(&parser, status, error);
    else if (status == STATUS_OK)
        status = parse_alone(&parser, error);
    memory_free(parser.chunk);
    memory_free(parser.place);
    memory_free(parser.entries);
    entry_deal_free(&parser.deal);
    return status;
}

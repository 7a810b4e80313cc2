#include "io/market/entries.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/threads.h"
#include "io/market/chunk.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <zlib.h>

enum {
    CHUNK = 32 << 10, /* bytes that one thread parses at a time: its entries stay in cache */
    /* Parsed between two barriers. Many, because on a busy machine every barrier may cost the time
     * slice of another process. */
    ROUND_CHUNKS = 512,
    CHUNKS_PER_THREAD = 16,
    ROUNDS = 8, /* at least, because the entries of a round are in memory twice */
};

/* The state of reading. A round is: parse some chunks in parallel, see in file order what came of
 * them and where their entries go, and copy these in parallel. */
struct entry_parser {
    const struct market_file *file;
    enum entry_mode mode;
    struct entry_list *upper, *lower;
    int chunks; /* in a round, at most */
    struct entry_chunk *chunk;
    struct entry_place {
        int64_t upper, lower;
    } * place;               /* of the first entry of each chunk */
    int32_t *rows, *columns; /* of all chunks of a round */
    double *values;
    int64_t found;       /* entries so far */
    int64_t row, column; /* of an array file: of the next value */
};

void entry_list_free(struct entry_list *list)
{
    memory_free(list->rows);
    memory_free(list->columns);
    memory_free(list->values);
    *list = (struct entry_list){0};
}

static enum status entry_list_create(struct entry_list *list, int64_t capacity, struct error *error)
{
    list->rows = memory_array(capacity, sizeof *list->rows, "the file's row indices", error);
    if (list->rows)
        list->columns =
            memory_array(capacity, sizeof *list->columns, "the file's column indices", error);
    if (list->columns)
        list->values = memory_array(capacity, sizeof *list->values, "the file's values", error);
    return list->values ? STATUS_OK : STATUS_MEMORY;
}

/* --- faults ------------------------------------------------------------------------------------
 */

static enum status refuse_at(const struct market_file *file, int64_t offset,
                             const struct error *what, struct error *error)
{
    return error_set(error, STATUS_INPUT, "%s:%" PRId64 ": %s", file->path,
                     text_source_line_at(file->source, offset), what->text);
}

static enum status refuse_line(const struct entry_parser *parser, const struct text_span *span,
                               const struct entry_chunk *chunk, struct error *error)
{
    const char *begin = chunk->fault, *end = chunk->fault;
    while (begin > chunk->begin && begin[-1] != '\n' && begin[-1] != '\r')
        begin--;
    while (end < chunk->end && *end != '\n' && *end != '\r')
        end++;
    struct error what;
    market_describe_fault(begin, end, &parser->file->header, &what);
    return refuse_at(parser->file, span->offset + (begin - span->begin), &what, error);
}

static enum status refuse_extra(const struct entry_parser *parser, const struct text_span *span,
                                const struct entry_chunk *chunk, struct error *error)
{
    const struct market_header *header = &parser->file->header;
    const char *line = entry_chunk_line(chunk, header->entries - parser->found);
    struct error what;
    error_set(&what, STATUS_INPUT,
              "more entries than the %" PRId64 " that the size line (%" PRId64 ") announces",
              header->entries, header->size_line);
    return refuse_at(parser->file, span->offset + (line - span->begin), &what, error);
}

static enum status refuse_short(const struct entry_parser *parser, int64_t offset,
                                struct error *error)
{
    const struct market_header *header = &parser->file->header;
    struct error what;
    error_set(&what, STATUS_INPUT,
              "the file ends after %" PRId64 " of the %" PRId64
              " entries that the size line (%" PRId64 ") announces",
              parser->found, header->entries, header->size_line);
    return refuse_at(parser->file, offset > 0 ? offset - 1 : 0, &what, error);
}

/* --- where entries go --------------------------------------------------------------------------
 */

/* The values of an array file come column by column, of a symmetric one from the diagonal down, of
 * a skew-symmetric one from below it. */
static void label_array_entries(struct entry_parser *parser, struct entry_chunk *chunk)
{
    const struct market_header *header = &parser->file->header;
    int64_t i = parser->row, j = parser->column;
    for (int64_t k = 0; k < chunk->count; k++) {
        chunk->rows[k] = (int32_t)i;
        chunk->columns[k] = (int32_t)j;
        chunk->below += i > j;
        if (++i == header->rows) {
            j++;
            i = header->symmetry == SYMMETRY_GENERAL ? 0 : j + (header->symmetry == SYMMETRY_SKEW);
        }
    }
    parser->row = i;
    parser->column = j;
}

static bool is_kept(const struct matrix_market_part *part, int64_t i, int64_t j)
{
    int64_t row = i < j ? i : j, column = i < j ? j : i;
    return (row >= part->first && row < part->end) ||
           (column >= part->first && column < part->last);
}

/* Those that are kept come to the front. */
static void keep_entries(const struct matrix_market_part *part, struct entry_chunk *chunk)
{
    chunk->kept = chunk->count;
    if (!part)
        return;
    chunk->kept = 0;
    for (int64_t k = 0; k < chunk->count; k++)
        if (is_kept(part, chunk->rows[k], chunk->columns[k])) {
            chunk->rows[chunk->kept] = chunk->rows[k];
            chunk->columns[chunk->kept] = chunk->columns[k];
            chunk->values[chunk->kept++] = chunk->values[k];
        }
    chunk->below = 0;
    for (int64_t k = 0; k < chunk->kept; k++)
        chunk->below += chunk->rows[k] > chunk->columns[k];
}

static void sum_lines(struct entry_chunk *chunk)
{
    size_t bytes = (size_t)(chunk->end - chunk->begin);
    chunk->checksum = (uint32_t)crc32_z(0, (const Bytef *)chunk->begin, bytes);
}

static void copy_folded(const struct entry_chunk *chunk, struct entry_list *upper, int64_t at,
                        double sign)
{
    for (int64_t k = 0; k < chunk->kept; k++) {
        int32_t i = chunk->rows[k], j = chunk->columns[k];
        int below = i > j;
        upper->rows[at + k] = below ? j : i;
        upper->columns[at + k] = below ? (uint32_t)i | MIRRORED : (uint32_t)j;
        upper->values[at + k] = below ? sign * chunk->values[k] : chunk->values[k];
    }
}

static void copy_split(const struct entry_chunk *chunk, struct entry_list *upper,
                       struct entry_list *lower, struct entry_place at)
{
    for (int64_t k = 0; k < chunk->kept; k++) {
        int32_t i = chunk->rows[k], j = chunk->columns[k];
        struct entry_list *list = i > j ? lower : upper;
        int64_t place = i > j ? at.lower++ : at.upper++;
        list->rows[place] = i > j ? j : i;
        list->columns[place] = (uint32_t)(i > j ? i : j);
        list->values[place] = chunk->values[k];
    }
}

static void copy_raw(const struct entry_chunk *chunk, struct entry_list *list, int64_t at)
{
    for (int64_t k = 0; k < chunk->kept; k++) {
        list->rows[at + k] = chunk->rows[k];
        list->columns[at + k] = (uint32_t)chunk->columns[k];
        list->values[at + k] = chunk->values[k];
    }
}

static void copy_chunk(struct entry_parser *parser, int c)
{
    const struct entry_chunk *chunk = &parser->chunk[c];
    struct entry_place at = parser->place[c];
    if (parser->mode == ENTRIES_FOLD)
        copy_folded(chunk, parser->upper, at.upper,
                    parser->file->header.symmetry == SYMMETRY_SKEW ? -1 : 1);
    else if (parser->mode == ENTRIES_SPLIT)
        copy_split(chunk, parser->upper, parser->lower, at);
    else
        copy_raw(chunk, parser->upper, at.upper);
}

/* --- a round -----------------------------------------------------------------------------------
 */

/* Look at the parsed chunks in file order, so that the first fault of the file is the one told. */
static enum status place_chunks(struct entry_parser *parser, const struct text_span *span,
                                int chunks, struct error *error)
{
    const struct market_header *header = &parser->file->header;
    for (int c = 0; c < chunks; c++) {
        struct entry_chunk *chunk = &parser->chunk[c];
        if (chunk->count > header->entries - parser->found)
            return refuse_extra(parser, span, chunk, error);
        if (chunk->fault)
            return refuse_line(parser, span, chunk, error);
        if (header->array) {
            label_array_entries(parser, chunk);
            keep_entries(parser->file->part, chunk);
        }
        int64_t below = parser->mode == ENTRIES_SPLIT ? chunk->below : 0;
        parser->place[c] = (struct entry_place){parser->upper->count, parser->lower->count};
        if (parser->file->part)
            *parser->file->text_hash = hash_word(*parser->file->text_hash, chunk->checksum);
        parser->upper->count += chunk->kept - below;
        parser->lower->count += below;
        parser->found += chunk->count;
    }
    return STATUS_OK;
}

static enum status parse_round(struct entry_parser *parser, const struct text_span *span,
                               const char **next, struct error *error)
{
    const struct matrix_market_part *part = parser->file->part;
    const char *p = *next;
    int chunks = 0;
    for (; chunks < parser->chunks && p < span->end; chunks++) {
        parser->chunk[chunks].begin = p;
        p = span->end - p > CHUNK ? text_line_start(span->begin, p + CHUNK, span->end) : span->end;
        parser->chunk[chunks].end = p;
    }
    *next = p;
#pragma omp parallel
    {
#pragma omp master
        text_source_prefetch(parser->file->source);
#pragma omp for schedule(dynamic, 1)
        for (int c = 0; c < chunks; c++) {
            entry_chunk_parse(&parser->chunk[c], &parser->file->header);
            if (!parser->file->header.array)
                keep_entries(part, &parser->chunk[c]);
            if (part)
                sum_lines(&parser->chunk[c]);
        }
    }
    enum status status = place_chunks(parser, span, chunks, error);
    if (status)
        return status;
#pragma omp parallel for schedule(static)
    for (int c = 0; c < chunks; c++)
        copy_chunk(parser, c);
    return STATUS_OK;
}

static enum status parse_all(struct entry_parser *parser, const struct text_reader *reader,
                             struct error *error)
{
    struct text_span span = reader->span;
    const char *next = reader->next;
    enum status status = STATUS_OK;
    int64_t end = 0;
    while (status == STATUS_OK) {
        if (next < span.end) {
            status = parse_round(parser, &span, &next, error);
            continue;
        }
        end = span.offset + (span.end - span.begin);
        status = text_source_next(parser->file->source, &span, error);
        next = span.begin;
        if (status == STATUS_OK && span.begin == span.end)
            break;
    }
    if (status == STATUS_OK && parser->found < parser->file->header.entries)
        return refuse_short(parser, end, error);
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

static enum status parser_create(struct entry_parser *parser, const struct text_reader *reader,
                                 struct error *error)
{
    const struct market_header *header = &parser->file->header;
    int64_t offset = reader->span.offset + (reader->next - reader->span.begin);
    int64_t capacity = entry_capacity(parser->file, offset);
    int64_t room = CHUNK / market_entry_bytes(header) + 1;
    int64_t useful = text_source_bound(parser->file->source, offset) / (ROUNDS * CHUNK) + 1;
    parser->chunks = CHUNKS_PER_THREAD * threads_openmp();
    if (parser->chunks < ROUND_CHUNKS)
        parser->chunks = ROUND_CHUNKS;
    if (parser->chunks > useful)
        parser->chunks = (int)useful;
    parser->row = header->symmetry == SYMMETRY_SKEW;
    const struct matrix_market_part *part = parser->file->part;
    double share = part ? (double)(part->end - part->first) / (double)header->rows : 1;
    enum status status =
        memory_fits(16.0 * share * (double)capacity, "the entries of the file", error);
    if (status == STATUS_OK)
        status = entry_list_create(parser->upper, capacity, error);
    if (status == STATUS_OK && parser->mode == ENTRIES_SPLIT)
        status = entry_list_create(parser->lower, capacity, error);
    if (status)
        return status;
    parser->chunk = memory_array(parser->chunks, sizeof *parser->chunk, "the chunks", error);
    if (parser->chunk)
        parser->place = memory_array(parser->chunks, sizeof *parser->place, "the chunks", error);
    int64_t all = parser->chunks * room;
    if (parser->place)
        parser->rows = memory_array(all, sizeof *parser->rows, "the chunks' rows", error);
    if (parser->rows)
        parser->columns = memory_array(all, sizeof *parser->columns, "the chunks' columns", error);
    if (parser->columns)
        parser->values = memory_array(all, sizeof *parser->values, "the chunks' values", error);
    if (!parser->values)
        return STATUS_MEMORY;
    for (int c = 0; c < parser->chunks; c++) {
        parser->chunk[c].rows = parser->rows + c * room;
        parser->chunk[c].columns = parser->columns + c * room;
        parser->chunk[c].values = parser->values + c * room;
    }
    return STATUS_OK;
}

enum status entries_read(const struct market_file *file, const struct text_reader *reader,
                         enum entry_mode mode, struct entry_list *upper, struct entry_list *lower,
                         struct error *error)
{
    struct entry_parser parser = {.file = file, .mode = mode, .upper = upper, .lower = lower};
    *upper = *lower = (struct entry_list){0};
    enum status status = parser_create(&parser, reader, error);
    if (status == STATUS_OK)
        status = parse_all(&parser, reader, error);
    memory_free(parser.chunk);
    memory_free(parser.place);
    memory_free(parser.rows);
    memory_free(parser.columns);
    memory_free(parser.values);
    return status;
}

#include "io/market/entries.h"

#include "base/memory.h"

#include <inttypes.h>

/* --- faults ----------------------------------------------------------------------------------- */

static enum status refuse_at(const struct market_file *file, int64_t offset,
                             const struct error *what, struct error *error)
{
    return error_at(error, file->path, text_source_line_at(file->source, offset), "%s", what->text);
}

static enum status refuse_line(const struct exchange_rounds *rounds,
                               const struct entry_chunk *chunk, struct error *error)
{
    const char *begin = chunk->fault, *end = chunk->fault;
    while (begin > chunk->begin && begin[-1] != '\n' && begin[-1] != '\r')
        begin--;
    while (end < chunk->end && *end != '\n' && *end != '\r')
        end++;
    struct error what;
    market_describe_fault(begin, end, &rounds->file->header, &what);
    return refuse_at(rounds->file, exchange_rounds_offset(rounds, begin), &what, error);
}

/* The chunk's entry number k is one too many. */
static enum status refuse_extra(const struct exchange_rounds *rounds,
                                const struct entry_chunk *chunk, int64_t k, struct error *error)
{
    const struct market_header *header = &rounds->file->header;
    const char *line = entry_chunk_line(chunk, k);
    struct error what;
    error_set(&what, STATUS_INPUT,
              "more entries than the %" PRId64 " that the size line (%" PRId64 ") announces",
              header->entries, header->size_line);
    return refuse_at(rounds->file, exchange_rounds_offset(rounds, line), &what, error);
}

static enum status refuse_short(const struct exchange_rounds *rounds, int64_t found,
                                struct error *error)
{
    const struct market_header *header = &rounds->file->header;
    int64_t end = exchange_rounds_offset(rounds, rounds->span.end);
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

/* In file order, so that the first fault of the file is the one told. */
static enum status check_chunks(const struct exchange_rounds *rounds, int chunks, int64_t *found,
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

static enum status read_rounds(struct exchange_rounds *rounds, enum entry_mode mode,
                               struct entry_list *upper, struct entry_list *lower,
                               struct error *error)
{
    const struct market_header *header = &rounds->file->header;
    struct array_place at = array_place_of(header, 0);
    int64_t found = 0;
    int chunks = 0;
    enum status status;
    while (!(status = exchange_rounds_next(rounds, &chunks, error)) && chunks > 0) {
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
    *upper = *lower = (struct entry_list){0};
    if (file->ranks)
        return entries_read_shared(file, reader, mode, upper, lower, error);
    struct exchange_rounds rounds;
    enum status status = exchange_rounds_create(file, &reader->span, reader->next, &rounds, error);
    int64_t capacity = exchange_rounds_bound(&rounds);
    if (!status)
        status = memory_fits(16.0 * (double)capacity, "the entries of the file", error);
    if (!status)
        status = entry_list_create(upper, capacity, error);
    if (!status && mode == ENTRIES_SPLIT)
        status = entry_list_create(lower, capacity, error);
    if (!status)
        status = read_rounds(&rounds, mode, upper, lower, error);
    exchange_rounds_free(&rounds);
    return status;
}

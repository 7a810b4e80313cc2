#include "io/text_source.h"

#include "base/memory.h"
#include "io/input_file.h"
#include "io/unpack.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    MARK_MOST = 6,    /* bytes of the mark of a packed file */
    PACKED = 1 << 18, /* bytes of a packed file that are in memory */
};

struct buffer {
    char *bytes;
    int64_t filled;
    int64_t whole; /* up to the end of the last whole line */
    int64_t place; /* about, in the file */
};

struct text_source {
    struct input_file file;
    int64_t capacity;         /* of each buffer */
    struct buffer buffers[2]; /* the span in use, and the next one */
    int current;
    bool ready;       /* the next one is filled */
    bool ended;       /* nothing comes after it */
    int64_t offset;   /* in the text, of the next span */
    int64_t position; /* in the file, of what is read next, */
    int64_t end;      /* and where that ends */

    const struct unpack_form *form; /* NULL: the file is not packed */
    struct unpack unpack;
    bool unpacking;        /* between begin and end of the form */
    unsigned char *packed; /* input of the unpacker */
    int part, parts;       /* of the spans of a packed file; parts 0: all */
    int64_t part_from;     /* offset in the text, before which a span is cut off */

    enum status fault;
    bool has_line; /* the fault belongs to the last line of the text */
    struct error message;
};

/* --- opening and closing ---------------------------------------------------------------------- */

static enum status begin(struct text_source *source, const char *path, int64_t window,
                         struct error *error)
{
    unsigned char head[MARK_MOST] = "";
    enum status status = input_open(path, &source->file, error);
    if (status)
        return status;
    int64_t size = source->file.size;
    if (size == 0)
        return error_set(error, STATUS_INPUT, "%s:1: the file is empty", path);
    /* A full buffer always holds the end of a line, or too long a line. */
    source->capacity = window < TEXT_LINE_MOST + 2 ? TEXT_LINE_MOST + 2 : window;
    source->end = size;
    int64_t count = size < MARK_MOST ? size : MARK_MOST;
    status = input_read(&source->file, head, count, 0, error);
    if (status)
        return status;
    source->form = unpack_form_of(head, (size_t)count);
    if (source->form) {
        source->packed = memory_array(PACKED, 1, "unpacking a file", error);
        source->unpack.next = source->packed;
        return source->packed ? STATUS_OK : STATUS_MEMORY;
    }
    if (source->capacity > size)
        source->capacity = size;
    return STATUS_OK;
}

enum status text_source_open(const char *path, int64_t window, struct text_source **source,
                             struct error *error)
{
    *source = NULL;
    struct text_source *made = memory_zeros(1, sizeof *made, "a text file", error);
    enum status status = made ? begin(made, path, window, error) : STATUS_MEMORY;
    if (status)
        text_source_close(made);
    else
        *source = made;
    return status;
}

static void stop_unpacking(struct text_source *source)
{
    if (source->unpacking)
        source->form->end(&source->unpack);
    source->unpacking = false;
}

void text_source_close(struct text_source *source)
{
    if (!source)
        return;
    stop_unpacking(source);
    input_close(&source->file);
    memory_free(source->packed);
    memory_free(source->buffers[0].bytes);
    memory_free(source->buffers[1].bytes);
    memory_free(source);
}

/* Reading goes on at byte `begin` of the file, and ends at `end`. A packed file can only be read
 * from its beginning to its end. */
static void move_source(struct text_source *source, int64_t begin, int64_t end)
{
    source->offset = source->position = begin;
    source->end = end;
    source->ready = false;
    source->ended = begin == end;
    source->fault = STATUS_OK;
    source->has_line = false;
    source->parts = 0;
    for (int b = 0; b < 2; b++)
        source->buffers[b].filled = source->buffers[b].whole = 0;
    stop_unpacking(source);
    source->unpack.next = source->packed;
    source->unpack.left = 0;
}

int64_t text_source_bound(const struct text_source *source, int64_t offset)
{
    int64_t size = source->end, ratio = source->form ? source->form->ratio : 1;
    return ratio == 0 || size > INT64_MAX / ratio ? INT64_MAX : size * ratio - offset;
}

/* --- bytes of the text ------------------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) static void fail_at_line(struct text_source *source,
                                                               const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(source->message.text, sizeof source->message.text, format, arguments);
    va_end(arguments);
    source->fault = STATUS_INPUT;
    source->has_line = true;
}

/* The next bytes of the file, at most `room`: how many there were. */
static int64_t read_on(struct text_source *source, void *bytes, int64_t room)
{
    int64_t left = source->end - source->position, count = left < room ? left : room;
    source->fault = input_read(&source->file, bytes, count, source->position, &source->message);
    source->has_line = false;
    source->position += count;
    return count;
}

/* Reads more bytes, after those that are not unpacked yet. */
static void feed(struct text_source *source)
{
    struct unpack *unpack = &source->unpack;
    memmove(source->packed, unpack->next, unpack->left);
    unpack->next = source->packed;
    unpack->left +=
        (size_t)read_on(source, source->packed + unpack->left, PACKED - (int64_t)unpack->left);
}

static void fail_to_unpack(struct text_source *source, enum unpack_result result)
{
    if (result == UNPACK_MEMORY) {
        source->fault = STATUS_MEMORY;
        source->message = source->unpack.message;
        return;
    }
    fail_at_line(source, "the %s data %.250s", source->form->name, source->unpack.message.text);
}

/* At the end of a packed part: another part, the end of the file, or garbage follows. */
static void end_part(struct text_source *source)
{
    struct unpack *unpack = &source->unpack;
    stop_unpacking(source);
    if (unpack->left < source->form->mark_length)
        feed(source);
    if (source->fault)
        return;
    if (unpack->left == 0) {
        source->ended = true;
    } else if (unpack_form_of(unpack->next, unpack->left) != source->form) {
        fail_at_line(source, "other bytes follow the %s data", source->form->name);
    }
}

static void unpack_piece(struct text_source *source, struct buffer *to)
{
    struct unpack *unpack = &source->unpack;
    enum unpack_result result = UNPACK_MORE;
    if (unpack->left == 0)
        feed(source);
    if (source->fault)
        return;
    if (unpack->left == 0) {
        fail_at_line(source, "the %s data end too early: the file is truncated",
                     source->form->name);
        return;
    }
    if (!source->unpacking)
        result = source->form->begin(unpack);
    source->unpacking = true;
    if (result == UNPACK_MORE) {
        unpack->to = to->bytes + to->filled;
        unpack->room = (size_t)(source->capacity - to->filled);
        result = source->form->step(unpack);
        to->filled = unpack->to - to->bytes;
    }
    if (result == UNPACK_END)
        end_part(source);
    else if (result != UNPACK_MORE)
        fail_to_unpack(source, result);
}

static void read_piece(struct text_source *source, struct buffer *to)
{
    to->filled += read_on(source, to->bytes + to->filled, source->capacity - to->filled);
    source->ended = source->position == source->end;
}

/* --- spans of whole lines --------------------------------------------------------------------- */

/* A line begins at p; the byte before it is there, and so is the byte at p unless p is the end. */
static int line_begins(const char *p, const char *end)
{
    return p[-1] == '\n' || (p[-1] == '\r' && (p == end || *p != '\n'));
}

const char *text_line_start(const char *begin, const char *p, const char *end)
{
    if (p == begin)
        return p;
    while (p < end && !line_begins(p, end))
        p++;
    return p;
}

/* Where the last whole line ends; 0 when there is none. A CR at the end may belong to a CR LF. */
static int64_t whole_lines(const struct buffer *buffer)
{
    int64_t p = buffer->filled;
    if (p > 0 && buffer->bytes[p - 1] == '\r')
        p--;
    while (p > 0 && !line_begins(buffer->bytes + p, buffer->bytes + buffer->filled))
        p--;
    return p;
}

/* Too long a line is a fault; the lines before it are still given first. */
static void refuse_long_line(struct text_source *source, struct buffer *buffer)
{
    const char *line = buffer->bytes, *end = line + buffer->filled;
    while (end - line > TEXT_LINE_MOST) {
        const char *p = line + TEXT_LINE_MOST;
        while (p > line && *p != '\n' && *p != '\r')
            p--;
        if (*p != '\n' && *p != '\r') {
            fail_at_line(source, "the line is longer than %d bytes", TEXT_LINE_MOST);
            buffer->whole = line - buffer->bytes;
            return;
        }
        line = p + 1;
    }
}

/* Fill the other buffer: first what the current one has after its last whole line. */
static void fill(struct text_source *source)
{
    const struct buffer *from = &source->buffers[source->current];
    struct buffer *to = &source->buffers[1 - source->current];
    int64_t carry = from->filled - from->whole;
    to->filled = to->whole = 0;
    to->place = source->position - (int64_t)source->unpack.left;
    source->ready = true;
    if (source->ended || source->fault)
        return;
    if (!to->bytes)
        to->bytes =
            memory_array(source->capacity, 1, "a piece of the text of a file", &source->message);
    if (!to->bytes) {
        source->fault = STATUS_MEMORY;
        return;
    }
    if (carry > 0)
        memcpy(to->bytes, from->bytes + from->whole, (size_t)carry);
    to->filled = carry;
    while (to->filled < source->capacity && !source->ended && !source->fault)
        if (source->form)
            unpack_piece(source, to);
        else
            read_piece(source, to);
    if (source->fault && !source->has_line)
        return; /* the data are not valid */
    to->whole = source->ended ? to->filled : whole_lines(to);
    refuse_long_line(source, to);
}

void text_source_prefetch(struct text_source *source)
{
    if (!source->ready)
        fill(source);
}

static enum status tell_fault(struct text_source *source, struct error *error)
{
    enum status fault = source->fault;
    struct error message = source->message; /* counting the lines reads again */
    if (source->has_line)
        return error_set(error, fault, "%s:%" PRId64 ": %s", source->file.path,
                         text_source_line_at(source, source->offset), message.text);
    return fault == STATUS_MEMORY
               ? error_set(error, fault, "%s: %s", source->file.path, message.text)
               : error_set(error, fault, "%s", message.text);
}

static enum status next_span(struct text_source *source, struct text_span *span,
                             struct error *error)
{
    text_source_prefetch(source);
    source->current = 1 - source->current;
    source->ready = false;
    const struct buffer *buffer = &source->buffers[source->current];
    *span = (struct text_span){NULL, NULL, source->offset};
    if (buffer->whole > 0) {
        span->begin = buffer->bytes;
        span->end = buffer->bytes + buffer->whole;
        source->offset += buffer->whole;
        return STATUS_OK;
    }
    return source->fault ? tell_fault(source, error) : STATUS_OK;
}

/* The part that the current span belongs to. */
static int part_of_span(const struct text_source *source)
{
    const struct buffer *buffer = &source->buffers[source->current];
    int part = (int)((double)buffer->place / (double)source->end * source->parts);
    return part < source->parts ? part : source->parts - 1;
}

enum status text_source_next(struct text_source *source, struct text_span *span,
                             struct error *error)
{
    enum status status = next_span(source, span, error);
    while (!status && source->parts > 0 && span->begin < span->end) {
        int64_t before = source->part_from - span->offset, length = span->end - span->begin;
        int part = part_of_span(source);
        if (part == source->part && before < length) {
            before = before > 0 ? before : 0;
            span->begin += before;
            span->offset += before;
            break;
        }
        if (part > source->part) {
            span->begin = span->end;
            break;
        }
        status = next_span(source, span, error);
    }
    return status;
}

/* --- parts of a text -------------------------------------------------------------------------- */

/* In a plain file, the begin of the first line at or after `from`; the end of the file if none. */
static enum status find_line(const struct text_source *source, int64_t from, int64_t *line,
                             struct error *error)
{
    int64_t size = source->file.size, count;
    char piece[4096];
    *line = size;
    for (int64_t at = from - 1; at < size - 1; at += count - 1) {
        if (at - from > TEXT_LINE_MOST)
            return error_set(error, STATUS_INPUT, "%s: a line is longer than %d bytes",
                             source->file.path, TEXT_LINE_MOST);
        count = size - at < (int64_t)sizeof piece ? size - at : (int64_t)sizeof piece;
        enum status status = input_read(&source->file, piece, count, at, error);
        if (status)
            return status;
        const char *end = piece + count, *found = text_line_start(piece, piece + 1, end);
        if (found < end) {
            *line = at + (found - piece);
            return STATUS_OK;
        }
    }
    return STATUS_OK;
}

/* Where part `index` of the text after `offset` begins. */
static enum status find_part(const struct text_source *source, int64_t offset, int index, int count,
                             int64_t *begin, struct error *error)
{
    int64_t length = source->file.size - offset;
    int64_t at = offset + length / count * index + length % count * index / count;
    *begin = offset;
    return at == offset ? STATUS_OK : find_line(source, at, begin, error);
}

enum status text_source_part(struct text_source *source, int64_t offset, int index, int count,
                             struct error *error)
{
    int64_t begin = 0, end = source->file.size;
    enum status status = STATUS_OK;
    if (!source->form)
        status = find_part(source, offset, index, count, &begin, error);
    if (!status && !source->form)
        status = find_part(source, offset, index + 1, count, &end, error);
    if (status)
        return status;
    move_source(source, begin, end);
    source->part = index;
    source->parts = source->form ? count : 0;
    source->part_from = offset;
    return STATUS_OK;
}

/* --- lines ------------------------------------------------------------------------------------ */

struct text_reader text_reader_start(struct text_source *source)
{
    move_source(source, 0, source->file.size);
    return (struct text_reader){.source = source};
}

enum status text_reader_next(struct text_reader *reader, const char **begin, const char **end,
                             struct error *error)
{
    *begin = *end = NULL;
    if (reader->next == reader->span.end) {
        enum status status = text_source_next(reader->source, &reader->span, error);
        if (status)
            return status;
        reader->next = reader->span.begin;
        if (reader->next == reader->span.end)
            return STATUS_OK;
    }
    const char *p = reader->next, *stop = reader->span.end;
    while (p < stop && *p != '\n' && *p != '\r')
        p++;
    *begin = reader->next;
    *end = p;
    if (p < stop)
        p += *p == '\r' && p + 1 < stop && p[1] == '\n' ? 2 : 1;
    reader->next = p;
    reader->line++;
    return STATUS_OK;
}

int64_t text_source_line_at(struct text_source *source, int64_t offset)
{
    struct text_reader reader = text_reader_start(source);
    const char *begin, *end;
    int64_t reached = 0;
    while (reached < offset) {
        if (text_reader_next(&reader, &begin, &end, NULL) || !begin)
            break;
        reached = reader.span.offset + (reader.next - reader.span.begin);
        if (reached > offset)
            return reader.line;
    }
    return reader.line + 1;
}

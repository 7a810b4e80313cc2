#include "io/text_source.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum {
    DEFLATE_RATIO = 1032,  /* deflate never does better: 258 bytes for two bits */
    PIECE = 1 << 30,       /* zlib counts in unsigned int */
    GZIP_WINDOW = 15 + 16, /* the largest window, and a gzip header, not a zlib one */
};

struct buffer {
    char *bytes;
    int64_t capacity;
    int64_t filled;
    int64_t whole; /* up to the end of the last whole line */
};

struct text_source {
    const char *path;
    const char *map;
    int64_t size;     /* of the file */
    int64_t window;   /* bytes of a span, about */
    int64_t offset;   /* in the text, of the next span */
    int64_t released; /* bytes of the map, in whole pages, that were given back */

    int zipped;
    z_stream stream;
    int64_t fed;              /* bytes of the file that zlib was given */
    struct buffer buffers[2]; /* the span in use, and the next one */
    int current;
    int ready; /* the next one is filled */
    int ended; /* all is inflated */
    enum status fault;
    struct error message; /* of the fault: what happened, without file and line */
};

/* --- opening and closing -----------------------------------------------------------------------
 */

static void *zlib_allocate(void *source, unsigned count, unsigned size)
{
    struct error *message = &((struct text_source *)source)->message;
    return memory_zeros(count, size, "inflating a file", message);
}

static void zlib_free(void *source, void *memory)
{
    (void)source;
    memory_free(memory);
}

static enum status map_file(struct text_source *source, int file, struct error *error)
{
    struct stat about;
    if (fstat(file, &about) != 0)
        return error_set(error, STATUS_INPUT, "%s: %s", source->path, strerror(errno));
    if (S_ISDIR(about.st_mode))
        return error_set(error, STATUS_INPUT, "%s: this is a directory, not a file", source->path);
    if (!S_ISREG(about.st_mode))
        return error_set(error, STATUS_INPUT, "%s: this is no regular file", source->path);
    if (about.st_size == 0)
        return error_set(error, STATUS_INPUT, "%s:1: the file is empty", source->path);
    void *map = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (map == MAP_FAILED)
        return error_set(error, STATUS_INPUT, "%s: the file cannot be mapped: %s", source->path,
                         strerror(errno));
    source->map = map;
    source->size = about.st_size;
    return STATUS_OK;
}

static int gzip_begins(const struct text_source *source, int64_t position)
{
    return source->size - position >= 2 && (unsigned char)source->map[position] == 0x1f &&
           (unsigned char)source->map[position + 1] == 0x8b;
}

static enum status open_stream(struct text_source *source, struct error *error)
{
    if (!gzip_begins(source, 0))
        return STATUS_OK;
    source->stream.zalloc = zlib_allocate;
    source->stream.zfree = zlib_free;
    source->stream.opaque = source;
    source->zipped = inflateInit2(&source->stream, GZIP_WINDOW) == Z_OK;
    return source->zipped ? STATUS_OK
                          : error_set(error, STATUS_MEMORY, "%s: out of memory: inflating the file",
                                      source->path);
}

enum status text_source_open(const char *path, int64_t window, struct text_source **source,
                             struct error *error)
{
    *source = NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return error_set(error, STATUS_INPUT, "%s: %s", path, strerror(errno));
    enum status status = STATUS_MEMORY;
    struct text_source *made = memory_zeros(1, sizeof *made, "a text file", error);
    if (made) {
        made->path = path;
        made->window = window;
        status = map_file(made, file, error);
    }
    close(file);
    if (status == STATUS_OK)
        status = open_stream(made, error);
    if (status == STATUS_OK)
        *source = made;
    else
        text_source_close(made);
    return status;
}

void text_source_close(struct text_source *source)
{
    if (!source)
        return;
    if (source->zipped)
        inflateEnd(&source->stream);
    if (source->map)
        munmap((void *)(uintptr_t)source->map, (size_t)source->size);
    memory_free(source->buffers[0].bytes);
    memory_free(source->buffers[1].bytes);
    memory_free(source);
}

static void rewind_source(struct text_source *source)
{
    source->offset = source->released = 0;
    if (!source->zipped)
        return;
    inflateReset(&source->stream);
    source->stream.avail_in = 0;
    source->fed = 0;
    source->ready = source->ended = 0;
    source->fault = STATUS_OK;
    for (int b = 0; b < 2; b++)
        source->buffers[b].filled = source->buffers[b].whole = 0;
}

int64_t text_source_bound(const struct text_source *source, int64_t offset)
{
    if (!source->zipped)
        return source->size - offset;
    return source->size > INT64_MAX / DEFLATE_RATIO ? INT64_MAX
                                                    : source->size * DEFLATE_RATIO - offset;
}

/* --- spans of a plain file ---------------------------------------------------------------------
 */

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

/* What was read, in whole pages, need not stay in the memory of the process. */
static void release_read(struct text_source *source)
{
    int64_t page = sysconf(_SC_PAGESIZE), end = source->offset - source->offset % page;
    if (end > source->released)
        madvise((void *)(uintptr_t)(source->map + source->released),
                (size_t)(end - source->released), MADV_DONTNEED);
    source->released = end;
}

static void next_mapped(struct text_source *source, struct text_span *span)
{
    int64_t left = source->size - source->offset;
    const char *begin = source->map + source->offset, *end = source->map + source->size;
    release_read(source);
    if (left > source->window)
        end = text_line_start(begin, begin + source->window, end);
    *span = (struct text_span){begin, end, source->offset};
    source->offset += end - begin;
}

/* --- spans of a gzipped file -------------------------------------------------------------------
 */

static void fail(struct text_source *source, const char *what)
{
    source->fault = error_set(&source->message, STATUS_INPUT, "%s", what);
}

/* At the end of a member: another one, the end of the file, or something else. */
static void end_member(struct text_source *source)
{
    int64_t used = source->fed - source->stream.avail_in;
    if (used == source->size)
        source->ended = 1;
    else if (gzip_begins(source, used))
        inflateReset(&source->stream);
    else
        fail(source, "behind the gzip data come bytes that are none");
}

static void inflate_piece(struct text_source *source, struct buffer *to)
{
    z_stream *stream = &source->stream;
    if (stream->avail_in == 0) {
        int64_t left = source->size - source->fed;
        stream->next_in = (Bytef *)(uintptr_t)(source->map + source->fed);
        stream->avail_in = (uInt)(left < PIECE ? left : PIECE);
        source->fed += stream->avail_in;
    }
    if (stream->avail_in == 0) {
        fail(source, "the gzip data end too early: the file is truncated");
        return;
    }
    int64_t room = to->capacity - to->filled;
    stream->next_out = (Bytef *)to->bytes + to->filled;
    stream->avail_out = (uInt)(room < PIECE ? room : PIECE);
    int result = inflate(stream, Z_NO_FLUSH);
    to->filled = (char *)stream->next_out - to->bytes;
    if (result == Z_STREAM_END)
        end_member(source);
    else if (result == Z_MEM_ERROR)
        source->fault = STATUS_MEMORY; /* zlib_allocate wrote the message */
    else if (result != Z_OK && result != Z_BUF_ERROR)
        source->fault = error_set(&source->message, STATUS_INPUT, "the gzip data are damaged: %s",
                                  stream->msg ? stream->msg : "a preset dictionary");
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

/* Fill the other buffer: first what the current one has behind its last whole line. */
static void fill(struct text_source *source)
{
    const struct buffer *from = &source->buffers[source->current];
    struct buffer *to = &source->buffers[1 - source->current];
    int64_t carry = from->filled - from->whole, wanted = carry + source->window;
    to->filled = to->whole = 0;
    source->ready = 1;
    while (to->whole == 0 && !source->fault && !(source->ended && to->filled == carry)) {
        if (memory_grow((void **)&to->bytes, &to->capacity, wanted, 1, "inflating a file",
                        &source->message)) {
            source->fault = STATUS_MEMORY;
            return;
        }
        if (to->filled == 0 && carry > 0) {
            memcpy(to->bytes, from->bytes + from->whole, (size_t)carry);
            to->filled = carry;
        }
        while (to->filled < to->capacity && !source->ended && !source->fault)
            inflate_piece(source, to);
        to->whole = source->ended ? to->filled : whole_lines(to);
        wanted = 2 * to->capacity; /* the next round is for a line longer than the buffer */
    }
}

void text_source_prefetch(struct text_source *source)
{
    if (source->zipped && !source->ready)
        fill(source);
}

static enum status next_inflated(struct text_source *source, struct text_span *span,
                                 struct error *error)
{
    text_source_prefetch(source);
    source->current = 1 - source->current;
    source->ready = 0;
    const struct buffer *buffer = &source->buffers[source->current];
    *span = (struct text_span){NULL, NULL, source->offset};
    if (buffer->whole > 0) {
        span->begin = buffer->bytes;
        span->end = buffer->bytes + buffer->whole;
        source->offset += buffer->whole;
        return STATUS_OK;
    }
    if (source->fault == STATUS_OK)
        return STATUS_OK;
    enum status fault = source->fault;
    if (fault == STATUS_MEMORY)
        return error_set(error, fault, "%s: %s", source->path, source->message.text);
    struct error message = source->message; /* counting the lines inflates again */
    int64_t line = text_source_line_at(source, source->offset);
    return error_set(error, fault, "%s:%" PRId64 ": %s", source->path, line, message.text);
}

enum status text_source_next(struct text_source *source, struct text_span *span,
                             struct error *error)
{
    if (source->zipped)
        return next_inflated(source, span, error);
    next_mapped(source, span);
    return STATUS_OK;
}

/* --- lines -------------------------------------------------------------------------------------
 */

struct text_reader text_reader_start(struct text_source *source)
{
    rewind_source(source);
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

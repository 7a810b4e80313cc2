#include "io/byte_stream.h"

#include "base/memory.h"

#include <zlib.h>

enum { BUFFER = 1 << 16 };

enum status byte_stream_begin(const struct input_file *file, const struct byte_part *part,
                              struct byte_stream *stream, struct error *error)
{
    *stream = (struct byte_stream){.file = file, .part = *part};
    if (!part->deflated)
        return STATUS_OK;
    stream->buffer = memory_array(BUFFER, 1, "unpacking a file", error);
    if (stream->buffer && unpack_deflate.begin(&stream->unpack) == UNPACK_MORE)
        return STATUS_OK;
    return stream->buffer ? error_set(error, STATUS_MEMORY, "%s", stream->unpack.message.text)
                          : STATUS_MEMORY;
}

void byte_stream_end(struct byte_stream *stream)
{
    if (stream->unpack.stream)
        unpack_deflate.end(&stream->unpack);
    memory_free(stream->buffer);
    *stream = (struct byte_stream){0};
}

static enum status fill_buffer(struct byte_stream *stream, struct error *error)
{
    struct byte_part *part = &stream->part;
    int64_t count = part->packed < BUFFER ? part->packed : BUFFER;
    if (count == 0)
        return error_set(error, STATUS_INPUT, "%s: the packed bytes end too early",
                         stream->file->path);
    enum status status = input_read(stream->file, stream->buffer, count, part->begin, error);
    part->begin += count;
    part->packed -= count;
    stream->unpack.next = stream->buffer;
    stream->unpack.left = (size_t)count;
    return status;
}

/* Bytes that go to *unpack.to. */
static enum status unpack_bytes(struct byte_stream *stream, struct error *error)
{
    struct unpack *unpack = &stream->unpack;
    enum status status = STATUS_OK;
    while (unpack->room > 0 && !status) {
        if (unpack->left == 0)
            status = fill_buffer(stream, error);
        if (status)
            return status;
        enum unpack_result result = unpack_deflate.step(unpack);
        if (result == UNPACK_MEMORY)
            status = error_set(error, STATUS_MEMORY, "%s", unpack->message.text);
        else if (result == UNPACK_REFUSED)
            status = error_set(error, STATUS_INPUT, "%s: the packed bytes %s", stream->file->path,
                               unpack->message.text);
        else if (result == UNPACK_END && unpack->room > 0)
            status = error_set(error, STATUS_INPUT, "%s: the packed bytes end too early",
                               stream->file->path);
    }
    return status;
}

static enum status take_bytes(struct byte_stream *stream, void *bytes, int64_t count,
                              struct error *error)
{
    struct byte_part *part = &stream->part;
    if (part->deflated) {
        stream->unpack.to = bytes;
        stream->unpack.room = (size_t)count;
        return unpack_bytes(stream, error);
    }
    part->begin += count;
    part->packed -= count;
    return input_read(stream->file, bytes, count, part->begin - count, error);
}

enum status byte_stream_read(struct byte_stream *stream, void *bytes, int64_t count,
                             struct error *error)
{
    if (count > stream->part.size)
        return error_set(error, STATUS_INPUT, "%s: is shorter than its header says",
                         stream->file->path);
    enum status status = count > 0 ? take_bytes(stream, bytes, count, error) : STATUS_OK;
    stream->part.size -= count;
    if (status || count == 0 || !stream->part.checked)
        return status;
    stream->crc = (uint32_t)crc32_z(stream->crc, bytes, (size_t)count);
    if (stream->part.size > 0 || stream->crc == stream->part.crc)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, "%s: is damaged: a checksum is another",
                     stream->file->path);
}

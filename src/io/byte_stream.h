/* Bytes of a part of a file, from its first to its last, plain or deflated (RFC 1951). */
#ifndef IO_BYTE_STREAM_H
#define IO_BYTE_STREAM_H

#include "base/status.h"
#include "io/input_file.h"
#include "io/unpack.h"

#include <stdbool.h>
#include <stdint.h>

struct byte_part {
    int64_t begin, packed; /* where it begins in the file, and the bytes that it has there */
    int64_t size;          /* the bytes that come of it */
    bool deflated;         /* else packed == size */
    bool checked;          /* CRC-32 of all that comes is crc */
    uint32_t crc;
};

struct byte_stream {
    const struct input_file *file; /* borrowed, NULL: not begun */
    struct byte_part part;         /* what has not come yet */
    struct unpack unpack;
    unsigned char *buffer; /* of a deflated part */
    uint32_t crc;
};

/* The part lies within the file. The caller calls byte_stream_end, also after an error. Errors:
 * STATUS_MEMORY. */
enum status byte_stream_begin(const struct input_file *file, const struct byte_part *part,
                              struct byte_stream *stream, struct error *error);
void byte_stream_end(struct byte_stream *stream); /* accepts a zeroed one */

/* bytes[count] = the next ones. Errors: STATUS_INPUT, also where fewer are left, and with the last
 * byte where the checksum is another; STATUS_MEMORY. */
enum status byte_stream_read(struct byte_stream *stream, void *bytes, int64_t count,
                             struct error *error);

#endif

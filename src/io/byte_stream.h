/* Sequential bytes of a part of a file, plain or deflated (RFC 1951). */
#ifndef IO_BYTE_STREAM_H
#define IO_BYTE_STREAM_H

#include "base/status.h"
#include "io/input_file.h"
#include "io/unpack.h"

#include <stdbool.h>
#include <stdint.h>

struct byte_part {
    int64_t begin, packed; /* its place in the file, and its bytes there */
    int64_t size;          /* its bytes after inflating */
    bool deflated;         /* else packed == size */
    bool checked;          /* compare the CRC-32 of all bytes with crc */
    uint32_t crc;
};

struct byte_stream {
    const struct input_file *file; /* borrowed, NULL: not begun */
    struct byte_part part;         /* the unread rest */
    struct unpack unpack;
    unsigned char *buffer; /* of a deflated part */
    uint32_t crc;
};

/* The part lies within the file. The caller calls byte_stream_end, also after an error. Errors:
 * STATUS_MEMORY. */
enum status byte_stream_begin(const struct input_file *file, const struct byte_part *part,
                              struct byte_stream *stream, struct error *error);
void byte_stream_end(struct byte_stream *stream); /* accepts a zeroed one */

/* bytes[count] = the next bytes. Errors: STATUS_INPUT, also if fewer are left, and at the last byte
 * if the checksum differs; STATUS_MEMORY. */
enum status byte_stream_read(struct byte_stream *stream, void *bytes, int64_t count,
                             struct error *error);

#endif

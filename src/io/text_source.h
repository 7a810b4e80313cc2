/* Reads a text file, plain or packed (unpack.h), as a sequence of spans of complete lines. The
 * first bytes tell whether it is packed, not the name. Two windows of the text are in memory: the
 * current one and the next. A packed file may consist of several packed parts.
 *
 * The readers of text, CSV and Matrix Market files take their lines from here. text_file.h writes
 * text. */
#ifndef IO_TEXT_SOURCE_H
#define IO_TEXT_SOURCE_H

#include "base/status.h"

#include <stdint.h>

/* The most bytes of a line without its end. Real files have lines of at most some thousands; but a
 * packed file of 1 MB can have a line of 1 GB, which a span would have to hold. */
enum { TEXT_LINE_MOST = 1 << 20 };

struct text_source;

struct text_span {
    const char *begin, *end;
    int64_t offset; /* of begin in the (unpacked) text */
};

/* A line ends with LF, CR or CR LF, or with the file. */
struct text_reader {
    struct text_source *source;
    struct text_span span;
    const char *next; /* the rest of the span */
    int64_t line;     /* of the line read last, counted from 1 */
};

/* Open a file for spans of about `window` bytes, below 2^30. path is borrowed. The caller calls
 * text_source_close. Errors: STATUS_INPUT (not there, not readable, no regular file, empty),
 * STATUS_MEMORY. */
enum status text_source_open(const char *path, int64_t window, struct text_source **source,
                             struct error *error);

/* Accepts NULL. */
void text_source_close(struct text_source *source);

/* The next span; empty at the end of the file. It is valid until the next call. Errors:
 * STATUS_INPUT naming the line that is too long or at which a packed file is cut off or damaged,
 * or when the file has changed since it was opened; STATUS_MEMORY. */
enum status text_source_next(struct text_source *source, struct text_span *span,
                             struct error *error);

/* From now on give only part `index` of `count` of the text after `offset`, where a line begins.
 * The parts have complete lines, are about equally long, and together are the text. In a packed
 * file they are equal in packed bytes, and the text before the part is unpacked too. Moves the
 * source: the next span is the part's first. Errors: STATUS_INPUT. */
enum status text_source_part(struct text_source *source, int64_t offset, int index, int count,
                             struct error *error);

/* Read, or unpack, the next span now, while other threads work on the current one. Never fails:
 * text_source_next returns its errors. */
void text_source_prefetch(struct text_source *source);

/* An upper bound of the bytes of the text, or of its part, after `offset`. */
int64_t text_source_bound(const struct text_source *source, int64_t offset);

/* The line that the byte at `offset` belongs to, counted from 1. Moves the source. */
int64_t text_source_line_at(struct text_source *source, int64_t offset);

/* The first place from p on at which a line begins, or end. */
const char *text_line_start(const char *begin, const char *p, const char *end);

/* Read line by line from the first line. Rewinds the source; nothing else may move it. */
struct text_reader text_reader_start(struct text_source *source);

/* [begin, end) = the next line without its end; begin = NULL after the last one. Errors: as
 * text_source_next. */
enum status text_reader_next(struct text_reader *reader, const char **begin, const char **end,
                             struct error *error);

#endif

/* A regular file to read by places in it. Nothing is mapped: a file that is cut while it is read is
 * then an error and not a signal, which a library must leave to its program. */
#ifndef IO_INPUT_FILE_H
#define IO_INPUT_FILE_H

#include "base/status.h"

#include <stdint.h>
#include <time.h>

struct input_file {
    const char *path; /* borrowed; NULL: not open */
    int descriptor;
    int64_t size;
    struct timespec written; /* when it was last, as far as the system knows */
};

/* On failure *file is zeroed. The caller calls input_close. Never waits. Errors: STATUS_INPUT (not
 * there, not readable, a directory, a pipe, a device). */
enum status input_open(const char *path, struct input_file *file, struct error *error);

void input_close(struct input_file *file); /* accepts a zeroed one */

/* A hash of inode, size and time of the last change, to the nanosecond: equal for the same file,
 * and for another one, or another state of it, most likely not. Of the device nothing is taken:
 * hosts may number a shared file system differently. Errors: STATUS_INPUT. */
enum status input_identity(const char *path, uint64_t *identity, struct error *error);

/* bytes[count] = what stands in the file from `at` on, at + count <= size. Errors: STATUS_INPUT,
 * also when the file has been written to since it was opened. */
enum status input_read(const struct input_file *file, void *bytes, int64_t count, int64_t at,
                       struct error *error);

/* The whole of a file, with a zero byte after it that *length does not count. The caller calls
 * memory_free. Errors: STATUS_INPUT, STATUS_MEMORY. */
enum status input_text(const char *path, char **text, int64_t *length, struct error *error);

#endif

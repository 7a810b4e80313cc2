/* A regular file for reads at any place. It is not mapped: if the file shrinks meanwhile, a read is
 * an error. With a mapping it would be a signal, and signals belong to the program. */
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

/* A hash of inode, size and time of the last change in nanoseconds: equal for the same file, and
 * almost surely different for another file or state. It omits the device, because hosts may number
 * a shared file system differently. Errors: STATUS_INPUT. */
enum status input_identity(const char *path, uint64_t *identity, struct error *error);

/* bytes[count] = the file's bytes from `at` on, at + count <= size. Errors: STATUS_INPUT, also if
 * the file was written to after it was opened. */
enum status input_read(const struct input_file *file, void *bytes, int64_t count, int64_t at,
                       struct error *error);

/* The whole of a file, with a zero byte after it that *length does not count. The caller calls
 * memory_free. Errors: STATUS_INPUT, STATUS_MEMORY. */
enum status input_text(const char *path, char **text, int64_t *length, struct error *error);

#endif

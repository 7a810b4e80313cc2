/* Output files while they have the name NAME.partial. */
#ifndef IO_PARTIAL_FILE_H
#define IO_PARTIAL_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* "PATH.partial"; the caller calls memory_free. NULL when memory is short. */
char *partial_name(const char *path, struct error *error);

/* Make the file, empty. It is always a new file: an older file of that name is removed, and a
 * symbolic link is not followed. Errors: STATUS_OUTPUT. */
enum status partial_begin(const char *partial, int *descriptor, struct error *error);

/* bytes[length] from `at` on. Errors: STATUS_OUTPUT. */
enum status partial_write(int descriptor, const char *partial, const char *bytes, int64_t length,
                          int64_t at, struct error *error);

/* Whether the name still belongs to this file. */
bool partial_is_named(int descriptor, const char *name);

/* Wait until the content is on the disk, so that a power failure never leaves less under the final
 * name; rename the file to it; and close the descriptor, also after an error. If `path` itself is a
 * name of an unfinished file, do not wait for the disk. Errors: STATUS_OUTPUT, also when another
 * file has taken its place. */
enum status partial_finish(int descriptor, const char *partial, const char *path,
                           struct error *error);

/* Write the directory's entries to the disk too, if the directory can be synchronised. */
void directory_flush(const char *path);

#endif

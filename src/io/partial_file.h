/* What all output files do while they are called NAME.partial. */
#ifndef IO_PARTIAL_FILE_H
#define IO_PARTIAL_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* "PATH.partial"; the caller calls memory_free. NULL when memory is short. */
char *partial_name(const char *path, struct error *error);

/* Make the file, empty. It is always a new one: what had the name is removed, and where it was a
 * symbolic link nothing is written to what that pointed to. Errors: STATUS_OUTPUT. */
enum status partial_begin(const char *partial, int *descriptor, struct error *error);

/* bytes[length] from `at` on. Errors: STATUS_OUTPUT. */
enum status partial_write(int descriptor, const char *partial, const char *bytes, int64_t length,
                          int64_t at, struct error *error);

/* Whether the file is the one of that name still. */
bool partial_is_named(int descriptor, const char *name);

/* Give the file its name, when what stands in it is on the disk (after a power failure the name
 * never stands for less), and close the descriptor, also after an error. Where `path` is itself the
 * name of a file that is being written the disk is not waited for. Errors: STATUS_OUTPUT, also when
 * another file has taken its place. */
enum status partial_finish(int descriptor, const char *partial, const char *path,
                           struct error *error);

/* Write to the disk too what the directory of the file says: which names there are. A directory
 * that takes no such wish is left to the system. */
void directory_flush(const char *path);

#endif

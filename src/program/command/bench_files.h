/* The matrices of a bench: one file, or those below a directory. */
#ifndef PROGRAM_COMMAND_BENCH_FILES_H
#define PROGRAM_COMMAND_BENCH_FILES_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct bench_files {
    char **paths; /* in the order of strcmp */
    int64_t count, capacity;
};

/* Whether the path leads to a directory. */
bool bench_is_directory(const char *path);

/* Every file below the directory whose name ends with .mtx, packed (io/unpack.h) or not. Links to
 * files are followed, links to directories are not. The caller calls bench_files_free. Errors:
 * STATUS_INPUT (a directory cannot be read), STATUS_MEMORY. */
enum status bench_files_find(const char *directory, struct bench_files *files, struct error *error);
void bench_files_free(struct bench_files *files); /* accepts a zeroed one */

#endif

/* Ranks of several hosts that each read a part of a file: have they the same? */
#ifndef IO_SAME_FILE_H
#define IO_SAME_FILE_H

#include "base/exchange.h"

#include <stdbool.h>

/* Whether the files that ranks have under `path` are equal. Where all have one of the same identity
 * (io/input_file.h), nothing is read. Else each file is read once, by the ranks that have it
 * together, and checksums are compared (CRC-32 of blocks). name: of the file, in the error.
 * All ranks call it. *meets: they all know how it ended; else this one has failed alone. Errors:
 * STATUS_INPUT, the files differ, or this rank cannot read its own; STATUS_RANK, STATUS_MEMORY. */
enum status same_file_check(struct exchange *exchange, const char *path, const char *name,
                            bool *meets, struct error *error);

#endif

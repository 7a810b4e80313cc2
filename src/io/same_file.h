/* Compares the files of ranks on several hosts that each read a part of a file. */
#ifndef IO_SAME_FILE_H
#define IO_SAME_FILE_H

#include "base/exchange.h"

#include <stdbool.h>

/* Checks that the files of all ranks under `path` are equal. If all have the same identity
 * (io/input_file.h), nothing is read. Otherwise the ranks that share a file read it once, together,
 * and checksums are compared (CRC-32 of blocks). name: of the file, in the error. All ranks call
 * it. *meets: all ranks know the outcome; else only this one failed. Errors: STATUS_INPUT (the
 * files differ, or this rank cannot read its own), STATUS_RANK, STATUS_MEMORY. */
enum status same_file_check(struct exchange *exchange, const char *path, const char *name,
                            bool *meets, struct error *error);

#endif

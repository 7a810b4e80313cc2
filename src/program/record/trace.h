/* The trace of a study: trace.csv and, where the values are kept, trace.npy.
 *
 * trace.csv with hashes:      kernel,run,iteration,vector,block,hash
 * trace.csv with values:      kernel,run,iteration,vector,row
 *
 * in the order in which they are made. A block is HASH_BLOCK elements from block * HASH_BLOCK on,
 * and its hash that of hash_doubles (base/hash.h), 16 hexadecimal digits. A row is one of trace.npy
 * (io/npy_file.h), an array of doubles with a column for each element. Elements are in the
 * problem's own numbering. */
#ifndef PROGRAM_RECORD_TRACE_H
#define PROGRAM_RECORD_TRACE_H

#include "base/status.h"
#include "io/npy_file.h"
#include "io/text_file.h"
#include "program/config/settings.h"
#include "solver/method.h"

#include <stdbool.h>
#include <stdio.h>

struct trace_files {
    enum trace_keep keep;
    int64_t n;
    struct text_file csv;
    struct npy_file values; /* zeroed where hashes are kept */
};

/* For vectors of n elements. Errors of all: STATUS_OUTPUT, STATUS_MEMORY. */
enum status trace_begin(const char *directory, enum trace_keep keep, int64_t n,
                        struct trace_files *files, struct error *error);
/* An EVENT_VECTOR. */
enum status trace_vector(struct trace_files *files, const struct event *vector,
                         struct error *error);
enum status trace_flush(struct trace_files *files, struct error *error);
/* Give the files their names. */
enum status trace_finish(struct trace_files *files, struct error *error);
void trace_abandon(struct trace_files *files); /* accepts a zeroed one */

/* Compare what both runs have of the same iterations and vectors, in the order in which it was
 * made, and print what was found. A run is named DIRECTORY,LABEL,NUMBER, or DIRECTORY alone where
 * that holds one run. *same: no bit of it differs. Errors: STATUS_INPUT (no such run; a file that
 * is no trace; traces of vectors of different lengths, one of hashes and one of values, or without
 * anything in common), STATUS_MEMORY. */
enum status trace_diff(FILE *stream, const char *run_a, const char *run_b, bool *same,
                       struct error *error);

#endif

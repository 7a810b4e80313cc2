/* The trace of a study: trace.csv and, where the values are kept, trace.npy.
 *
 * trace.csv with hashes:      kernel,run,iteration,vector,block,hash
 * trace.csv with values:      kernel,run,iteration,vector,row
 *
 * in the order in which they are made. A block is HASH_BLOCK elements from block * HASH_BLOCK on,
 * and its hash that of hash_doubles (base/hash.h), 16 hexadecimal digits. A row is one of trace.npy
 * (io/npy_file.h), an array of doubles with a column for each element. Elements are in the
 * problem's own numbering. */
#ifndef PROGRAM_RECORD_TRACE_WRITE_H
#define PROGRAM_RECORD_TRACE_WRITE_H

#include "io/npy_file.h"
#include "io/text_file.h"
#include "program/config/settings.h"
#include "solver/method.h"

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

#endif

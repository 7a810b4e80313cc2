/* The trace of one run, read from the files of program/record/trace_write.h. */
#ifndef PROGRAM_RECORD_TRACE_READ_H
#define PROGRAM_RECORD_TRACE_READ_H

#include "io/npy_file.h"
#include "program/config/settings.h"
#include "solver/method.h"

/* A vector of an iteration: with hashes `count` of them from hashes[begin] on, one a block; with
 * values the row `begin` of the array. */
struct trace_record {
    int64_t iteration;
    char vector[VECTOR_NAME];
    int64_t begin, count;
};

struct trace_run {
    const char *name; /* as it was given; borrowed */
    enum trace_keep keep;
    struct trace_record *records; /* ascending by iteration */
    int64_t records_count, records_capacity;
    uint64_t *hashes;
    int64_t hashes_count, hashes_capacity;
    struct npy_file values; /* zeroed where hashes were kept */
};

/* name: DIRECTORY,LABEL,NUMBER or DIRECTORY. On failure *run is zeroed. The caller calls
 * trace_run_free. Errors: STATUS_INPUT, STATUS_MEMORY. */
enum status trace_run_read(const char *name, struct trace_run *run, struct error *error);

void trace_run_free(struct trace_run *run); /* accepts a zeroed one */

#endif

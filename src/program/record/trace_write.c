/* A trace, written while the study goes on. */
#include "program/record/trace.h"

#include "base/hash.h"

#include <inttypes.h>

enum status trace_begin(const char *directory, enum trace_keep keep, int64_t n,
                        struct trace_files *files, struct error *error)
{
    *files = (struct trace_files){.keep = keep, .n = n};
    enum status status = text_file_begin(directory, "trace.csv", &files->csv, error);
    if (!status && keep == TRACE_VALUES)
        status = npy_begin(directory, "trace.npy", n, NPY_ROWS, &files->values, error);
    if (!status)
        status = text_file_line(&files->csv, error, "kernel,run,iteration,vector,%s",
                                keep == TRACE_VALUES ? "row" : "block,hash");
    if (status)
        trace_abandon(files);
    return status;
}

enum status trace_vector(struct trace_files *files, const struct event *vector, struct error *error)
{
    const char *name = solver_vector_names[vector->place];
    if (files->keep == TRACE_VALUES) {
        enum status status = npy_append(&files->values, vector->values, error);
        return status ? status
                      : text_file_line(&files->csv, error, "%s,%" PRId64 ",%" PRId64 ",%s,%" PRId64,
                                       vector->label, vector->run, vector->iteration, name,
                                       files->values.rows - 1);
    }
    enum status status = STATUS_OK;
    for (int64_t begin = 0; begin < files->n && !status; begin += HASH_BLOCK) {
        int64_t count = files->n - begin < HASH_BLOCK ? files->n - begin : HASH_BLOCK;
        status = text_file_line(
            &files->csv, error, "%s,%" PRId64 ",%" PRId64 ",%s,%" PRId64 ",%016" PRIx64,
            vector->label, vector->run, vector->iteration, name, begin / HASH_BLOCK,
            hash_doubles(HASH_START, vector->values + begin, count));
    }
    return status;
}

enum status trace_flush(struct trace_files *files, struct error *error)
{
    return text_file_flush(&files->csv, error);
}

enum status trace_finish(struct trace_files *files, struct error *error)
{
    enum status status = files->values.path ? npy_finish(&files->values, error) : STATUS_OK;
    if (!status)
        return text_file_finish(&files->csv, error);
    trace_abandon(files);
    return status;
}

void trace_abandon(struct trace_files *files)
{
    text_file_abandon(&files->csv);
    npy_abandon(&files->values);
}

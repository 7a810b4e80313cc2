#include "program/record/trace_read.h"

#include "base/memory.h"
#include "base/number.h"
#include "io/csv.h"
#include "io/text_file.h"
#include "io/text_source.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { WINDOW = 1 << 20, HASH_DIGITS = 16 };

/* trace.csv while it is read. */
struct reading {
    struct trace_run *run;
    const char *path;
    struct text_reader reader;
    char *label;    /* that is wanted; NULL: that of the only run */
    int64_t number; /* likewise */
    struct error *error;
};

static enum status fault(const struct reading *reading, const char *text)
{
    return error_set(reading->error, STATUS_INPUT, "%s:%" PRId64 ": %s", reading->path,
                     reading->reader.line, text);
}

static bool read_hash(const struct csv_field *field, uint64_t *hash)
{
    *hash = 0;
    for (const char *p = field->begin; p < field->end; p++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = memchr(digits, *p, sizeof digits - 1);
        if (!digit)
            return false;
        *hash = *hash << 4 | (uint64_t)(digit - digits);
    }
    return field->end - field->begin == HASH_DIGITS;
}

static bool read_whole(const struct csv_field *field, int64_t *value)
{
    return integer_read(field->begin, field->end, value) == INTEGER_OK && *value >= 0;
}

/* Which names a method has is its own affair: they are compared. */
static bool read_vector(const struct csv_field *field, char vector[VECTOR_NAME])
{
    csv_text(field, vector, VECTOR_NAME);
    return *vector && csv_is_text(field, vector);
}

/* Whether the row belongs to the run; the first row says which that is where none was named. */
static enum status is_wanted(struct reading *reading, const struct csv_field *label, int64_t number,
                             bool *wanted)
{
    *wanted = reading->label && csv_is_text(label, reading->label) && number == reading->number;
    if (reading->label && (*wanted || strchr(reading->run->name, ',')))
        return STATUS_OK;
    if (reading->label)
        return error_set(reading->error, STATUS_INPUT,
                         "%s: holds several runs: say which, as in '%s,%s,%" PRId64 "'",
                         reading->path, reading->run->name, reading->label, reading->number);
    int64_t length = label->end - label->begin;
    reading->label = memory_zeros(length + 1, 1, "a label", reading->error);
    if (!reading->label)
        return STATUS_MEMORY;
    memcpy(reading->label, label->begin, (size_t)length);
    reading->number = number;
    *wanted = true;
    return STATUS_OK;
}

/* Whether a record may come after those that there are: iterations ascend, and each has a vector
 * once. */
static bool is_next(const struct trace_run *run, int64_t iteration, const char *vector)
{
    int64_t k = run->records_count;
    for (; k > 0 && run->records[k - 1].iteration == iteration; k--)
        if (!strcmp(run->records[k - 1].vector, vector))
            return false;
    return k == 0 || run->records[k - 1].iteration < iteration;
}

/* The record that the row begins or, with hashes, goes on with. */
static enum status find_record(struct reading *reading, int64_t iteration,
                               const char vector[VECTOR_NAME], struct trace_record **record)
{
    struct trace_run *run = reading->run;
    *record = run->records_count > 0 ? &run->records[run->records_count - 1] : NULL;
    if (*record && (*record)->iteration == iteration && !strcmp((*record)->vector, vector))
        return STATUS_OK;
    if (!is_next(run, iteration, vector))
        return fault(reading, "is not in the order of a trace");
    enum status status =
        memory_grow((void **)&run->records, &run->records_capacity, run->records_count + 1,
                    sizeof *run->records, "the trace", reading->error);
    if (status)
        return status;
    *record = &run->records[run->records_count++];
    **record = (struct trace_record){.iteration = iteration, .begin = run->hashes_count};
    strcpy((*record)->vector, vector);
    return STATUS_OK;
}

/* kernel,run,iteration,vector,row  or  kernel,run,iteration,vector,block,hash */
static enum status read_row(struct reading *reading, const char *begin, const char *end)
{
    struct csv_field fields[CSV_FIELDS_MAX];
    struct trace_run *run = reading->run;
    int wanted_fields = run->keep == TRACE_VALUES ? 5 : 6;
    int64_t number, iteration, place;
    uint64_t hash = 0;
    char vector[VECTOR_NAME];
    if (csv_split(begin, end, fields) != wanted_fields || !read_whole(&fields[1], &number) ||
        !read_whole(&fields[2], &iteration) || !read_vector(&fields[3], vector) ||
        !read_whole(&fields[4], &place) ||
        (run->keep == TRACE_HASH && !read_hash(&fields[5], &hash)))
        return fault(reading, "is no row of a trace");
    bool wanted = false;
    struct trace_record *record = NULL;
    enum status status = is_wanted(reading, &fields[0], number, &wanted);
    if (status || !wanted)
        return status;
    status = find_record(reading, iteration, vector, &record);
    if (status)
        return status;
    if (run->keep == TRACE_VALUES) {
        record->begin = place;
        return STATUS_OK;
    }
    if (place != record->count)
        return fault(reading, "a block is missing before this one");
    status = memory_grow((void **)&run->hashes, &run->hashes_capacity, run->hashes_count + 1,
                         sizeof *run->hashes, "the trace", reading->error);
    if (status)
        return status;
    run->hashes[run->hashes_count++] = hash;
    record->count++;
    return STATUS_OK;
}

static enum status read_rows(struct reading *reading)
{
    const char *begin, *end;
    enum status status = text_reader_next(&reading->reader, &begin, &end, reading->error);
    if (status)
        return status;
    struct csv_field line = {begin, end};
    if (begin && csv_is_text(&line, "kernel,run,iteration,vector,row"))
        reading->run->keep = TRACE_VALUES;
    else if (begin && csv_is_text(&line, "kernel,run,iteration,vector,block,hash"))
        reading->run->keep = TRACE_HASH;
    else
        return fault(reading, "is not the header of a trace");
    while (!(status = text_reader_next(&reading->reader, &begin, &end, reading->error)) && begin) {
        status = read_row(reading, begin, end);
        if (status)
            return status;
    }
    if (!status && reading->run->records_count == 0)
        status = error_set(reading->error, STATUS_INPUT, "%s: holds no such run as %s",
                           reading->path, reading->run->name);
    return status;
}

/* "DIRECTORY,LABEL,NUMBER" in parts, the directory cut off in place. Labels have no commas. */
static enum status split_name(char *directory, struct reading *reading)
{
    char *number = strrchr(directory, ',');
    if (!number)
        return STATUS_OK;
    *number++ = '\0';
    char *label = strrchr(directory, ',');
    if (!label || integer_read(number, number + strlen(number), &reading->number) != INTEGER_OK)
        return error_set(reading->error, STATUS_INPUT,
                         "%s: a run is named DIRECTORY,LABEL,NUMBER or DIRECTORY",
                         reading->run->name);
    *label++ = '\0';
    reading->label = memory_text(label, "a label", reading->error);
    return reading->label ? STATUS_OK : STATUS_MEMORY;
}

static enum status read_files(const char *directory, struct reading *reading)
{
    struct text_source *source;
    struct error *error = reading->error;
    char *csv = path_join(directory, "trace.csv", error);
    char *npy = path_join(directory, "trace.npy", error);
    enum status status = csv && npy ? STATUS_OK : STATUS_MEMORY;
    if (!status && access(csv, F_OK) != 0)
        status =
            error_set(error, STATUS_INPUT, "%s: is missing: --set trace.every=1 writes it", csv);
    if (!status)
        status = text_source_open(csv, WINDOW, &source, error);
    if (!status) {
        reading->path = csv;
        reading->reader = text_reader_start(source);
        status = read_rows(reading);
        text_source_close(source);
    }
    if (!status && reading->run->keep == TRACE_VALUES)
        status = npy_open(npy, &reading->run->values, error);
    memory_free(csv);
    memory_free(npy);
    return status;
}

enum status trace_run_read(const char *name, struct trace_run *run, struct error *error)
{
    *run = (struct trace_run){.name = name};
    struct reading reading = {.run = run, .error = error};
    char *directory = memory_text(name, "a path", error);
    enum status status = directory ? split_name(directory, &reading) : STATUS_MEMORY;
    if (!status)
        status = read_files(directory, &reading);
    memory_free(directory);
    memory_free(reading.label);
    if (status)
        trace_run_free(run);
    return status;
}

void trace_run_free(struct trace_run *run)
{
    memory_free(run->records);
    memory_free(run->hashes);
    npy_abandon(&run->values);
    *run = (struct trace_run){0};
}

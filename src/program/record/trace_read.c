#include "program/record/trace_read.h"

#include "base/integer.h"
#include "base/memory.h"
#include "io/csv_rows.h"
#include "io/text_file.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { HASH_DIGITS = 16 };

/* The columns: of each vector its row, or a hash of each block. */
enum { KERNEL, RUN, ITERATION, VECTOR, ROW, BLOCK, HASH };
static const char *const columns[] = {"kernel", "run",    "iteration", "vector",
                                      "?row",   "?block", "?hash",     NULL};

/* trace.csv while it is read. */
struct reading {
    struct trace_run *run;
    struct csv_rows rows;
    char *label;    /* that is wanted; NULL: that of the only run */
    int64_t number; /* likewise */
    struct error *error;
};

static uint64_t take_hash(struct csv_rows *rows)
{
    static const char digits[] = "0123456789abcdef";
    const struct csv_field *field = csv_rows_field(rows, HASH);
    uint64_t hash = 0;
    const char *digit = digits;
    for (const char *p = field->begin; p < field->end && digit; p++) {
        digit = memchr(digits, *p, sizeof digits - 1);
        hash = hash << 4 | (uint64_t)(digit ? digit - digits : 0);
    }
    if (!digit || field->end - field->begin != HASH_DIGITS)
        csv_rows_fault(rows, "the hash is not %d digits 0-9a-f", HASH_DIGITS);
    return hash;
}

/* Which names a method has is its own affair: they are compared. */
static void take_vector(struct csv_rows *rows, char vector[VECTOR_NAME])
{
    const struct csv_field *field = csv_rows_field(rows, VECTOR);
    csv_text(field, vector, VECTOR_NAME);
    if (!*vector || !csv_is_text(field, vector))
        csv_rows_fault(rows, "the vector is not a name of at most %d letters", VECTOR_NAME - 1);
}

/* Whether the row belongs to the run; the first row says which that is where none was named. */
static bool is_wanted(struct reading *reading, int64_t number)
{
    struct csv_rows *rows = &reading->rows;
    const struct csv_field *label = csv_rows_field(rows, KERNEL);
    bool named = reading->label != NULL;
    if (named && csv_is_text(label, reading->label) && number == reading->number)
        return true;
    if (named && !strchr(reading->run->name, ','))
        rows->status = error_set(reading->error, STATUS_INPUT,
                                 "%s: holds several runs: say which, as in '%s,%s,%" PRId64 "'",
                                 rows->path, reading->run->name, reading->label, reading->number);
    if (named)
        return false;
    int64_t length = label->end - label->begin;
    reading->label = memory_zeros(length + 1, 1, "a label", reading->error);
    reading->number = number;
    if (reading->label)
        memcpy(reading->label, label->begin, (size_t)length);
    else
        rows->status = STATUS_MEMORY;
    return reading->label != NULL;
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

/* The record that the row begins or, with hashes, goes on with; NULL after a fault. */
static struct trace_record *find_record(struct reading *reading, int64_t iteration,
                                        const char vector[VECTOR_NAME])
{
    struct trace_run *run = reading->run;
    struct csv_rows *rows = &reading->rows;
    struct trace_record *last =
        run->records_count > 0 ? &run->records[run->records_count - 1] : NULL;
    if (last && last->iteration == iteration && !strcmp(last->vector, vector))
        return last;
    if (!is_next(run, iteration, vector))
        csv_rows_fault(rows, "is not in the order of a trace");
    else
        rows->status =
            memory_grow((void **)&run->records, &run->records_capacity, run->records_count + 1,
                        sizeof *run->records, "the trace", reading->error);
    if (rows->status)
        return NULL;
    struct trace_record *record = &run->records[run->records_count++];
    *record = (struct trace_record){.iteration = iteration, .begin = run->hashes_count};
    strcpy(record->vector, vector);
    return record;
}

static void take_row(struct reading *reading)
{
    struct trace_run *run = reading->run;
    struct csv_rows *rows = &reading->rows;
    bool hashed = run->keep == TRACE_HASH;
    char vector[VECTOR_NAME];
    int64_t number = csv_rows_whole(rows, RUN), iteration = csv_rows_whole(rows, ITERATION);
    int64_t place = csv_rows_whole(rows, hashed ? BLOCK : ROW);
    uint64_t hash = hashed ? take_hash(rows) : 0;
    take_vector(rows, vector);
    if (rows->status || !is_wanted(reading, number))
        return;
    struct trace_record *record = find_record(reading, iteration, vector);
    if (!record)
        return;
    if (!hashed) {
        record->begin = place;
        return;
    }
    if (place != record->count)
        csv_rows_fault(rows, "a block is missing before this one");
    else
        rows->status =
            memory_grow((void **)&run->hashes, &run->hashes_capacity, run->hashes_count + 1,
                        sizeof *run->hashes, "the trace", reading->error);
    if (rows->status)
        return;
    run->hashes[run->hashes_count++] = hash;
    record->count++;
}

static enum status read_rows(struct reading *reading, const char *csv)
{
    struct csv_rows *rows = &reading->rows;
    enum status status = csv_rows_open(csv, columns, NULL, NULL, rows, reading->error);
    if (status)
        return status;
    reading->run->keep = csv_rows_field(rows, ROW) ? TRACE_VALUES : TRACE_HASH;
    if (reading->run->keep == TRACE_HASH &&
        (!csv_rows_field(rows, BLOCK) || !csv_rows_field(rows, HASH)))
        return csv_rows_fault(rows, "is not the header of a trace");
    while (csv_rows_next(rows))
        take_row(reading);
    return !rows->status && reading->run->records_count == 0
               ? error_set(reading->error, STATUS_INPUT, "%s: holds no such run as %s", csv,
                           reading->run->name)
               : rows->status;
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
    struct error *error = reading->error;
    char *csv = path_join(directory, "trace.csv", error);
    char *npy = path_join(directory, "trace.npy", error);
    enum status status = csv && npy ? STATUS_OK : STATUS_MEMORY;
    if (!status && access(csv, F_OK) != 0)
        status =
            error_set(error, STATUS_INPUT, "%s: is missing: --set trace.every=1 writes it", csv);
    if (!status)
        status = read_rows(reading, csv);
    csv_rows_close(&reading->rows);
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

/* Compares two traces: the first iteration and vector with different bits. */
#include "program/record/trace.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "io/csv.h"
#include "io/npy_file.h"
#include "io/text_file.h"
#include "program/config/settings.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

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

/* --- reading ---------------------------------------------------------------------------------- */

enum { HASH_DIGITS = 16 };

/* The columns: of each vector its row, or a hash of each block. */
enum { KERNEL, RUN, ITERATION, VECTOR, ROW, BLOCK, HASH };
static const char *const columns[] = {"kernel", "run",    "iteration", "vector",
                                      "?row",   "?block", "?hash",     NULL};

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
    reading->label =
        memory_text_part(label->begin, label->end - label->begin, "a label", reading->error);
    reading->number = number;
    if (!reading->label)
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

static void trace_run_free(struct trace_run *run)
{
    memory_free(run->records);
    memory_free(run->hashes);
    npy_abandon(&run->values);
    *run = (struct trace_run){0};
}

/* On failure *run is zeroed. */
static enum status trace_run_read(const char *name, struct trace_run *run, struct error *error)
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

/* The two runs, and what was found. */
struct diff {
    struct trace_run runs[2];
    double *values[2]; /* [columns], where values were kept */
    int64_t compared;  /* vectors that both have */
    FILE *stream;
    char names[2][1024]; /* of the runs, as they are shown */
};

/* The record of the same vector; NULL: there is none. records[*at] is the first one that may be of
 * this iteration, and is moved on to it. */
static const struct trace_record *find_same(const struct trace_run *run, int64_t *at,
                                            const struct trace_record *wanted)
{
    while (*at < run->records_count && run->records[*at].iteration < wanted->iteration)
        ++*at;
    for (int64_t k = *at; k < run->records_count; k++) {
        const struct trace_record *record = &run->records[k];
        if (record->iteration != wanted->iteration)
            break;
        if (!strcmp(record->vector, wanted->vector))
            return record;
    }
    return NULL;
}

static enum status check_alike(const struct diff *diff, struct error *error)
{
    const struct trace_run *a = &diff->runs[0], *b = &diff->runs[1];
    if (a->keep != b->keep)
        return error_set(error, STATUS_INPUT, "%s has %s and %s has %s: these cannot be compared",
                         a->name, a->keep == TRACE_HASH ? "hashes" : "values", b->name,
                         b->keep == TRACE_HASH ? "hashes" : "values");
    int64_t lengths[2] = {a->values.columns, b->values.columns};
    if (a->keep == TRACE_HASH) {
        lengths[0] = a->records[0].count;
        lengths[1] = b->records[0].count;
    }
    if (lengths[0] == lengths[1])
        return STATUS_OK;
    return error_set(
        error, STATUS_INPUT,
        "%s and %s are of different problems: vectors of %" PRId64 " and %" PRId64 " %s", a->name,
        b->name, lengths[0], lengths[1], a->keep == TRACE_HASH ? "blocks" : "elements");
}

static void print_place(const struct diff *diff, const struct trace_record *record)
{
    fprintf(diff->stream, "iteration %" PRId64 ", %s: ", record->iteration, record->vector);
}

/* A vector by its hashes; *same = false with what differs. */
static enum status compare_hashes(const struct diff *diff, const struct trace_record *a,
                                  const struct trace_record *b, bool *same, struct error *error)
{
    if (a->count != b->count)
        return error_set(error, STATUS_INPUT,
                         "iteration %" PRId64 ": one of the traces is incomplete", a->iteration);
    const uint64_t *ha = diff->runs[0].hashes + a->begin, *hb = diff->runs[1].hashes + b->begin;
    int64_t first = -1, count = 0;
    for (int64_t k = 0; k < a->count; k++)
        if (ha[k] != hb[k]) {
            first = first < 0 ? k : first;
            count++;
        }
    *same = count == 0;
    if (*same)
        return STATUS_OK;
    print_place(diff, a);
    fprintf(diff->stream,
            "the bits differ first in block %" PRId64 ", which begins at element %" PRId64
            "; in %" PRId64 " of %" PRId64 " blocks\n"
            "    %016" PRIx64 "  %s\n    %016" PRIx64 "  %s\n",
            first, first * HASH_BLOCK, count, a->count, ha[first], diff->names[0], hb[first],
            diff->names[1]);
    return STATUS_OK;
}

static enum status compare_values(const struct diff *diff, const struct trace_record *a,
                                  const struct trace_record *b, bool *same, struct error *error)
{
    int64_t n = diff->runs[0].values.columns, first = -1, count = 0;
    const double *va = diff->values[0], *vb = diff->values[1];
    enum status status = npy_read(&diff->runs[0].values, a->begin, diff->values[0], error);
    if (!status)
        status = npy_read(&diff->runs[1].values, b->begin, diff->values[1], error);
    if (status)
        return status;
    for (int64_t i = 0; i < n; i++)
        if (memcmp(&va[i], &vb[i], sizeof *va) != 0) {
            first = first < 0 ? i : first;
            count++;
        }
    *same = count == 0;
    if (*same)
        return STATUS_OK;
    print_place(diff, a);
    fprintf(diff->stream,
            "the bits differ first in element %" PRId64 "; in %" PRId64 " of %" PRId64 "\n"
            "    %a = %.17g  %s\n    %a = %.17g  %s\n",
            first, count, n, va[first], va[first], diff->names[0], vb[first], vb[first],
            diff->names[1]);
    return STATUS_OK;
}

/* Walk along both, in the order of the first, until something differs. */
static enum status compare_runs(struct diff *diff, bool *same, struct error *error)
{
    const struct trace_run *a = &diff->runs[0], *b = &diff->runs[1];
    enum status status = STATUS_OK;
    *same = true;
    for (int64_t i = 0, at = 0; i < a->records_count && *same && !status; i++) {
        const struct trace_record *ra = &a->records[i], *rb = find_same(b, &at, ra);
        if (!rb)
            continue;
        diff->compared++;
        status = a->keep == TRACE_HASH ? compare_hashes(diff, ra, rb, same, error)
                                       : compare_values(diff, ra, rb, same, error);
    }
    if (!status && diff->compared == 0)
        status = error_set(error, STATUS_INPUT,
                           "%s and %s have no vector of an iteration in common", a->name, b->name);
    return status;
}

static enum status compare(struct diff *diff, bool *same, struct error *error)
{
    enum status status = check_alike(diff, error);
    for (int k = 0; k < 2; k++)
        shown_text(diff->runs[k].name, diff->names[k], sizeof diff->names[k]);
    for (int k = 0; k < 2 && !status && diff->runs[0].keep == TRACE_VALUES; k++) {
        diff->values[k] = memory_array(diff->runs[0].values.columns, sizeof(double),
                                       "a vector of the trace", error);
        status = diff->values[k] ? STATUS_OK : STATUS_MEMORY;
    }
    if (!status)
        status = compare_runs(diff, same, error);
    if (!status && *same)
        fprintf(diff->stream,
                "%" PRId64 " vectors compared, no bit differs; the last are of the "
                "iterations %" PRId64 " and %" PRId64 "\n",
                diff->compared, diff->runs[0].records[diff->runs[0].records_count - 1].iteration,
                diff->runs[1].records[diff->runs[1].records_count - 1].iteration);
    return status;
}

enum status trace_diff(FILE *stream, const char *run_a, const char *run_b, bool *same,
                       struct error *error)
{
    struct diff diff = {.stream = stream};
    enum status status = trace_run_read(run_a, &diff.runs[0], error);
    if (!status)
        status = trace_run_read(run_b, &diff.runs[1], error);
    if (!status)
        status = compare(&diff, same, error);
    for (int k = 0; k < 2; k++) {
        trace_run_free(&diff.runs[k]);
        memory_free(diff.values[k]);
    }
    return status;
}

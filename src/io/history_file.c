#include "io/history_file.h"

#include "base/memory.h"
#include "io/csv_line.h"
#include "io/matrix_market_line.h"
#include "io/text_file.h"
#include "io/text_source.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum { WINDOW = 1 << 20 };

/* The columns that are read. */
enum column { KERNEL, RUN, ITERATION, RESIDUAL, COLUMNS };
static const char *const columns[COLUMNS] = {"kernel", "run", "iteration", "residual_hex"};

/* A file that is being read. */
struct reading {
    struct text_reader reader;
    struct history_file *file;
    int fields;         /* of the header, and so of every row */
    int place[COLUMNS]; /* of each column among them */
    int64_t header;     /* the line it is on */
    struct error *error;
};

/* STATUS_INPUT with "FILE:LINE: ..." */
static enum status fault(const struct reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static enum status fault(const struct reading *reading, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return error_set(reading->error, STATUS_INPUT, "%s:%" PRId64 ": %s", reading->file->path,
                     reading->reader.line, text);
}

/* --- the lines before the rows ------------------------------------------------------------------ */

static enum status read_header(struct reading *reading, const char *begin, const char *end)
{
    struct csv_field fields[CSV_FIELDS_MAX];
    reading->fields = csv_split(begin, end, fields);
    reading->header = reading->reader.line;
    if (reading->fields > CSV_FIELDS_MAX)
        return fault(reading, "%d columns are too many, the limit is %d", reading->fields,
                     CSV_FIELDS_MAX);
    for (int c = 0; c < COLUMNS; c++) {
        reading->place[c] = -1;
        for (int f = 0; f < reading->fields; f++) {
            if (!csv_is_text(&fields[f], columns[c]))
                continue;
            if (reading->place[c] >= 0)
                return fault(reading, "the header names the column '%s' twice", columns[c]);
            reading->place[c] = f;
        }
        if (reading->place[c] < 0)
            return fault(reading,
                         "the header of a residual history is wanted, and this line has "
                         "no column '%s'",
                         columns[c]);
    }
    return STATUS_OK;
}

/* The leading lines into *facts, and the header. */
static enum status read_lead(struct reading *reading, struct history_facts *facts)
{
    for (;;) {
        const char *begin, *end;
        enum status status = text_reader_next(&reading->reader, &begin, &end, reading->error);
        if (status)
            return status;
        if (!begin)
            return fault(reading, "the file ends before a header line");
        if (begin == end || *begin != '#') {
            bool whole = *facts->text[FACT_MATRIX] && *facts->text[FACT_RHS];
            status = read_header(reading, begin, end);
            if (!status && reading->file->has_lead && !whole)
                return fault(reading, "the lines before it lack '# %s:'",
                             fact_name(*facts->text[FACT_MATRIX] ? FACT_RHS : FACT_MATRIX));
            return status;
        }
        reading->file->has_lead = true;
        status = facts_take_line(facts, begin, end, reading->file->path, reading->reader.line,
                                 reading->error);
        if (status)
            return status;
    }
}

/* --- the rows ----------------------------------------------------------------------------------- */

static enum status whole_field(const struct reading *reading, const struct csv_field *field,
                               enum column column, int64_t *value)
{
    char quoted[QUOTED];
    if (whole_read(field->begin, field->end, value) == WHOLE_OK && *value >= 0)
        return STATUS_OK;
    return fault(reading, "the %s %s is not a whole number from 0 on", columns[column],
                 market_quote(field->begin, field->end, quoted));
}

/* The run that the row belongs to: the last one, or a new one. */
static enum status find_run(struct reading *reading, const struct csv_field *label, int64_t run,
                            struct recorded_run **found)
{
    struct history_file *file = reading->file;
    *found = file->runs_count > 0 ? &file->runs[file->runs_count - 1] : NULL;
    if (*found && (*found)->run == run && csv_is_text(label, (*found)->label))
        return STATUS_OK;
    enum status status =
        memory_grow((void **)&file->runs, &file->runs_capacity, file->runs_count + 1,
                    sizeof *file->runs, "the runs", reading->error);
    if (status)
        return status;
    size_t length = (size_t)(label->end - label->begin);
    char *copy = memory_zeros((int64_t)length + 1, 1, "a label", reading->error);
    if (!copy)
        return STATUS_MEMORY;
    memcpy(copy, label->begin, length);
    *found = &file->runs[file->runs_count++];
    **found = (struct recorded_run){.label = copy, .run = run, .begin = file->residuals_count};
    return STATUS_OK;
}

static enum status read_row(struct reading *reading, const char *begin, const char *end)
{
    struct csv_field fields[CSV_FIELDS_MAX];
    struct history_file *file = reading->file;
    char quoted[QUOTED];
    int count = csv_split(begin, end, fields);
    if (count != reading->fields)
        return fault(reading, "the row has %d field%s instead of %d", count, count == 1 ? "" : "s",
                     reading->fields);
    const struct csv_field *label = &fields[reading->place[KERNEL]];
    const struct csv_field *hex = &fields[reading->place[RESIDUAL]];
    int64_t run, iteration;
    double residual;
    enum status status = whole_field(reading, &fields[reading->place[RUN]], RUN, &run);
    if (!status)
        status = whole_field(reading, &fields[reading->place[ITERATION]], ITERATION, &iteration);
    if (status)
        return status;
    if (!csv_norm(hex, &residual))
        return fault(reading,
                     "the residual_hex %s is not a number like 0x1.8p+3, from 0 on, or inf or nan",
                     market_quote(hex->begin, hex->end, quoted));
    struct recorded_run *its = NULL;
    status = find_run(reading, label, run, &its);
    if (!status && iteration != its->count)
        status = fault(reading, "iteration %" PRId64 " stands where %" PRId64 " is wanted",
                       iteration, its->count);
    if (!status)
        status = memory_grow((void **)&file->residuals, &file->residuals_capacity,
                             file->residuals_count + 1, sizeof *file->residuals,
                             "the residual histories", reading->error);
    if (status)
        return status;
    file->residuals[file->residuals_count++] = residual;
    its->count++;
    its->lines = reading->reader.line - reading->header + 1;
    return STATUS_OK;
}

static enum status read_rows(struct reading *reading)
{
    for (;;) {
        const char *begin, *end;
        enum status status = text_reader_next(&reading->reader, &begin, &end, reading->error);
        if (!status && !begin)
            return reading->file->runs_count > 0 ? STATUS_OK
                                                 : fault(reading, "the file holds no history");
        if (!status)
            status = read_row(reading, begin, end);
        if (status)
            return status;
    }
}

/* --- the file, and what stands beside it -------------------------------------------------------- */

/* What the summary.json at the path, if it is there, tells of the runs. */
static enum status take_summary(struct history_file *file, const char *path, struct error *error)
{
    if (access(path, F_OK) != 0)
        return STATUS_OK;
    json_error_t fault;
    json_t *summary = json_load_file(path, 0, &fault);
    if (!summary)
        return error_set(error, STATUS_INPUT, "%s:%d: %s", path, fault.line, fault.text);
    for (int64_t k = 0; k < file->runs_count; k++) {
        struct recorded_run *run = &file->runs[k];
        run->facts = facts_of_summary(summary, run->label, run->run, &run->seconds);
    }
    json_decref(summary);
    return STATUS_OK;
}

/* The same for the one in the directory of the file. */
static enum status read_summary(struct history_file *file, struct error *error)
{
    char *directory = memory_text(file->path, "a path", error);
    if (!directory)
        return STATUS_MEMORY;
    char *slash = strrchr(directory, '/');
    if (slash)
        *slash = '\0';
    char *path = path_join(slash ? directory : ".", "summary.json", error);
    enum status status = path ? take_summary(file, path, error) : STATUS_MEMORY;
    memory_free(path);
    memory_free(directory);
    return status;
}

static enum status read_whole(struct history_file *file, struct error *error)
{
    struct text_source *source;
    enum status status = text_source_open(file->path, WINDOW, &source, error);
    if (status)
        return status;
    struct reading reading = {.reader = text_reader_start(source), .file = file, .error = error};
    struct history_facts facts = {{{0}}};
    status = read_lead(&reading, &facts);
    if (!status)
        status = read_rows(&reading);
    text_source_close(source);
    if (status)
        return status;
    if (!file->has_lead)
        return read_summary(file, error);
    file->runs[0].facts = facts;
    if (file->runs_count == 1)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: holds %" PRId64 " runs, and lines with # belong to one run alone",
                     file->path, file->runs_count);
}

enum status history_file_read(const char *path, struct history_file *file, struct error *error)
{
    *file = (struct history_file){.path = memory_text(path, "a path", error)};
    enum status status = file->path ? read_whole(file, error) : STATUS_MEMORY;
    if (status)
        history_file_free(file);
    return status;
}

enum status reference_file_read(const char *path, struct history_file *file, struct error *error)
{
    enum status status = history_file_read(path, file, error);
    if (status || file->runs_count == 1)
        return status;
    status = error_set(error, STATUS_INPUT,
                       "%s: holds %" PRId64 " runs, and a reference is one run: --write-reference "
                       "makes such a file",
                       path, file->runs_count);
    history_file_free(file);
    return status;
}

void history_file_free(struct history_file *file)
{
    for (int64_t k = 0; k < file->runs_count; k++)
        memory_free(file->runs[k].label);
    memory_free(file->path);
    memory_free(file->residuals);
    memory_free(file->runs);
    *file = (struct history_file){0};
}

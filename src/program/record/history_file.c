#include "program/record/history_file.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/csv.h"
#include "io/text_file.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum column { KERNEL, RUN, ITERATION, RESIDUAL, DECIMAL, COLUMN };
static const char *const columns[] = {"?kernel",   "run",     "iteration", "?residual_hex",
                                      "?residual", "?column", NULL};

struct reading {
    struct csv_rows rows;
    int64_t header; /* the line it is on */
    struct history_file *file;
    struct history_facts facts; /* of the lines before it, */
    struct column_facts own;    /* and those of one column each */
    history_take *take;
    void *context;
    struct error *error;
};

/* --- the lines before the rows ---------------------------------------------------------------- */

static enum status take_lead(void *context, const char *begin, const char *end, int64_t line,
                             struct error *error)
{
    struct reading *reading = context;
    reading->file->has_lead = true;
    return facts_take_line(&reading->facts, &reading->own, begin, end, reading->file->path, line,
                           error);
}

static enum status open_rows(struct reading *reading)
{
    enum status status = csv_rows_open(reading->file->path, columns, take_lead, reading,
                                       &reading->rows, reading->error);
    const char *matrix = reading->facts.text[FACT_MATRIX], *rhs = reading->facts.text[FACT_RHS];
    reading->header = reading->rows.reader.line;
    reading->file->has_columns = !status && csv_rows_field(&reading->rows, COLUMN);
    if (!status && !csv_rows_field(&reading->rows, RESIDUAL) &&
        !csv_rows_field(&reading->rows, DECIMAL))
        return csv_rows_fault(&reading->rows,
                              "a header line is wanted, and this line has neither a column "
                              "'residual_hex' nor 'residual'");
    if (status || !reading->file->has_lead || (*matrix && *rhs))
        return status;
    return csv_rows_fault(&reading->rows, "the lines before it lack '# %s:'",
                          fact_name(*matrix ? FACT_RHS : FACT_MATRIX));
}

/* --- the rows --------------------------------------------------------------------------------- */

/* "cg" of a/cg.csv */
static struct csv_field stem_of(const struct history_file *file)
{
    const char *slash = strrchr(file->path, '/'), *stem = slash ? slash + 1 : file->path;
    const char *dot = strchr(stem + (*stem != '\0'), '.');
    return (struct csv_field){.begin = stem, .end = dot ? dot : stem + strlen(stem)};
}

/* The run that the row belongs to: the last one, or a new one. */
static enum status find_run(struct reading *reading, int64_t run, int64_t column,
                            struct recorded_run **found)
{
    struct history_file *file = reading->file;
    const struct csv_field *label = csv_rows_field(&reading->rows, KERNEL), stem = stem_of(file);
    label = label ? label : &stem;
    *found = file->runs_count > 0 ? &file->runs[file->runs_count - 1] : NULL;
    if (*found && (*found)->run == run && (*found)->column == column &&
        csv_is_text(label, (*found)->label))
        return STATUS_OK;
    int64_t begin = *found ? (*found)->begin + (*found)->count : 0;
    enum status status =
        memory_grow((void **)&file->runs, &file->runs_capacity, file->runs_count + 1,
                    sizeof *file->runs, "the runs", reading->error);
    if (status)
        return status;
    char *copy =
        memory_text_part(label->begin, label->end - label->begin, "a label", reading->error);
    if (!copy)
        return STATUS_MEMORY;
    *found = &file->runs[file->runs_count++];
    **found = (struct recorded_run){.label = copy, .run = run, .column = column, .begin = begin};
    return STATUS_OK;
}

static enum status read_row(struct reading *reading)
{
    struct history_file *file = reading->file;
    struct csv_rows *rows = &reading->rows;
    struct recorded_run *its = NULL;
    int64_t run = csv_rows_whole(rows, RUN);
    int64_t column = file->has_columns ? csv_rows_whole(rows, COLUMN) : 0;
    int64_t iteration = csv_rows_whole(rows, ITERATION);
    double residual = csv_rows_field(rows, RESIDUAL) ? csv_rows_norm(rows, RESIDUAL)
                                                     : csv_rows_number(rows, DECIMAL);
    enum status status = rows->status ? rows->status : find_run(reading, run, column, &its);
    if (status)
        return status;
    if (iteration != its->count)
        return csv_rows_fault(rows, "iteration %" PRId64 " stands where %" PRId64 " is wanted",
                              iteration, its->count);
    its->count++;
    its->lines = rows->reader.line - reading->header + 1;
    return reading->take ? reading->take(reading->context, file->runs_count - 1, iteration,
                                         residual, reading->error)
                         : STATUS_OK;
}

static enum status read_rows(struct reading *reading)
{
    enum status status = STATUS_OK;
    while (!status && csv_rows_next(&reading->rows))
        status = read_row(reading);
    if (!status)
        status = reading->rows.status;
    return !status && reading->file->runs_count == 0
               ? csv_rows_fault(&reading->rows, "the file holds no history")
               : status;
}

/* --- the file, and what stands beside it ------------------------------------------------------ */

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
        run->facts = facts_of_summary(summary, run->label, run->run, run->column, &run->seconds);
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

/* The facts of the runs, from the lines before the header or from the file beside it. */
static enum status take_facts(struct reading *reading)
{
    struct history_file *file = reading->file;
    const struct recorded_run *first = &file->runs[0];
    if (!file->has_lead)
        return read_summary(file, reading->error);
    for (int64_t k = 0; k < file->runs_count; k++) {
        struct recorded_run *run = &file->runs[k];
        if (run->run != first->run || strcmp(run->label, first->label) != 0)
            return error_set(reading->error, STATUS_INPUT,
                             "%s: holds %" PRId64
                             " runs, but its lines with # can describe only one",
                             file->path, file->runs_count);
        run->facts = facts_of_column(&reading->facts, &reading->own, run->column);
    }
    return STATUS_OK;
}

const char *recorded_run_name(const struct history_file *file, int64_t run, char *text, size_t size)
{
    const struct recorded_run *its = &file->runs[run];
    int length = snprintf(text, size, ", run %" PRId64, its->run);
    if (file->has_columns && length > 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, ", column %" PRId64, its->column);
    return text;
}

/* From here on the texts are for a terminal and for XML. */
static void clean(struct history_file *file)
{
    text_clean(file->path, "");
    for (int64_t k = 0; k < file->runs_count; k++) {
        text_clean(file->runs[k].label, "");
        for (int f = 0; f < FACTS; f++)
            text_clean(file->runs[k].facts.text[f], "");
    }
}

enum status history_file_read(const char *path, history_take *take, void *context,
                              struct history_file *file, struct error *error)
{
    *file = (struct history_file){.path = memory_text(path, "a path", error)};
    struct reading reading = {.file = file, .take = take, .context = context, .error = error};
    enum status status = file->path ? open_rows(&reading) : STATUS_MEMORY;
    if (!status)
        status = read_rows(&reading);
    csv_rows_close(&reading.rows);
    if (!status)
        status = take_facts(&reading);
    memory_free(reading.own.columns);
    if (status)
        history_file_free(file);
    else
        clean(file);
    return status;
}

/* --- a reference ------------------------------------------------------------------------------ */

static enum status keep(void *context, int64_t run, int64_t iteration, double residual,
                        struct error *error)
{
    struct history_file *file = context;
    const struct recorded_run *first = &file->runs[0], *its = &file->runs[run];
    if (its->run != first->run || strcmp(its->label, first->label) != 0)
        return error_set(error, STATUS_INPUT,
                         "%s: holds more than one run, but a reference must be one: "
                         "--write-reference writes one",
                         file->path);
    int64_t place = its->begin + iteration;
    enum status status = memory_grow((void **)&file->residuals, &file->residuals_capacity,
                                     place + 1, sizeof *file->residuals, "the reference", error);
    if (!status)
        file->residuals[place] = residual;
    return status;
}

enum status reference_file_read(const char *path, struct history_file *file, struct error *error)
{
    return history_file_read(path, keep, file, file, error);
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

#include "program/record/results.h"

#include "base/clock.h"
#include "base/memory.h"
#include "io/csv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { BEFORE_SERIES = 3 }; /* kernel, run, iteration */

enum status history_csv_begin(const char *directory, const struct method *method, bool with_M,
                              int64_t columns, struct history_csv *history, struct error *error)
{
    int residual = method_series(method, "residual");
    *history = (struct history_csv){.columns = columns,
                                    .written = clock_seconds(),
                                    .series = method->series,
                                    .series_count = method_series_count(method, with_M),
                                    .residual = residual,
                                    .residual_hex = BEFORE_SERIES + residual + 1};
    char names[512] = "";
    for (int s = 0, length = 0; s < history->series_count; s++)
        length += snprintf(names + length, sizeof names - (size_t)length, ",%s%s",
                           history->series[s].name, s == history->residual ? ",residual_hex" : "");
    enum status status = text_file_begin(directory, "history.csv", &history->file, error);
    if (status)
        return status;
    status = text_file_line(&history->file, error, "kernel,run,iteration%s%s", names,
                            columns > 1 ? ",column" : "");
    if (!status) {
        history->kept = memory_zeros(columns, sizeof *history->kept, "the rows of a run", error);
        status = history->kept ? STATUS_OK : STATUS_MEMORY;
    }
    if (status)
        history_csv_abandon(history);
    return status;
}

/* The next row is the first of a run in a column. */
static enum status begin_run(struct history_csv *history, const struct event *row,
                             struct error *error)
{
    int64_t columns = history->columns;
    enum status status =
        memory_grow((void **)&history->runs, &history->runs_capacity, row->run * columns,
                    sizeof *history->runs, "where the runs begin", error);
    if (status)
        return status;
    history->runs[(row->run - 1) * columns + row->column] = text_file_position(&history->file);
    history->runs_count = row->run;
    return STATUS_OK;
}

/* Whether the row has a value of the series. */
static bool is_known(const struct series *series, int64_t iteration, double value)
{
    return series->rows == SERIES_WHERE_KNOWN ? !isnan(value)
                                              : series->rows != SERIES_FROM_ROW_1 || iteration > 0;
}

static enum status write_row(struct history_csv *history, const struct event *row,
                             struct error *error)
{
    char fields[(SERIES_MOST + 1) * 32] = "", text[32], column[32] = "";
    enum status status = row->iteration == 0 ? begin_run(history, row, error) : STATUS_OK;
    if (status)
        return status;
    for (int s = 0, length = 0; s < history->series_count; s++) {
        double value = row->values[s];
        bool known = is_known(&history->series[s], row->iteration, value);
        length +=
            snprintf(fields + length, 32, ",%s", known ? csv_number(text, "%.17g", value) : "");
        if (s == history->residual)
            length += snprintf(fields + length, 32, ",%s", csv_number(text, "%a", value));
    }
    if (history->columns > 1)
        snprintf(column, sizeof column, ",%" PRId64, row->column);
    return text_file_line(&history->file, error, "%s,%" PRId64 ",%" PRId64 "%s%s", row->label,
                          row->run, row->iteration, fields, column);
}

static enum status keep_row(struct history_csv *history, const struct event *row,
                            struct error *error)
{
    struct history_rows *rows = &history->kept[row->column];
    size_t size = (size_t)history->series_count * sizeof *rows->values;
    enum status status = memory_grow((void **)&rows->values, &rows->capacity, rows->count + 1, size,
                                     "the rows of a run", error);
    if (rows->count == 0)
        rows->first = row->iteration;
    if (!status)
        memcpy(rows->values + rows->count++ * history->series_count, row->values, size);
    return status;
}

/* The rows that are kept go to the file. */
static enum status write_kept(struct history_csv *history, struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t j = 0; j < history->columns && !status; j++) {
        struct history_rows *rows = &history->kept[j];
        struct event row = history->last;
        row.column = j;
        for (int64_t k = 0; k < rows->count && !status; k++) {
            row.iteration = rows->first + k;
            row.values = rows->values + k * history->series_count;
            status = write_row(history, &row, error);
        }
        rows->count = 0;
    }
    history->written = clock_seconds();
    return status;
}

/* To write a row takes longer than an iteration of a small system: so the rows of a short solve are
 * written when it has ended. */
enum status history_csv_row(struct history_csv *history, const struct event *row,
                            struct error *error)
{
    enum { ROWS = 1 << 14 };
    static const double seconds = 0.5;
    enum status status = keep_row(history, row, error);
    history->last = *row;
    bool is_due = history->columns == 1 &&
                  (history->kept[0].count >= ROWS || clock_seconds() - history->written > seconds);
    return status || !is_due ? status : write_kept(history, error);
}

enum status history_csv_flush(struct history_csv *history, struct error *error)
{
    enum status status = write_kept(history, error);
    return status ? status : text_file_flush(&history->file, error);
}

static void release(struct history_csv *history)
{
    for (int64_t j = 0; history->kept && j < history->columns; j++)
        memory_free(history->kept[j].values);
    memory_free(history->kept);
    memory_free(history->runs);
    *history = (struct history_csv){0};
}

enum status history_csv_finish(struct history_csv *history, struct error *error)
{
    enum status status = write_kept(history, error);
    if (!status)
        status = text_file_finish(&history->file, error);
    if (!status)
        release(history);
    return status;
}

void history_csv_abandon(struct history_csv *history)
{
    struct error ignored; /* another one was told */
    if (history->kept)
        (void)write_kept(history, &ignored);
    text_file_abandon(&history->file);
    release(history);
}

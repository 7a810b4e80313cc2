#include "program/record/results.h"

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
    if (!status && columns > 1) {
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
    if (!status)
        memcpy(rows->values + rows->count++ * history->series_count, row->values, size);
    return status;
}

enum status history_csv_row(struct history_csv *history, const struct event *row,
                            struct error *error)
{
    return history->kept ? keep_row(history, row, error) : write_row(history, row, error);
}

enum status history_csv_run(struct history_csv *history, const struct event *run,
                            struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t j = 0; history->kept && j < history->columns; j++) {
        struct history_rows *rows = &history->kept[j];
        struct event row = *run;
        row.column = j;
        for (row.iteration = 0; row.iteration < rows->count && !status; row.iteration++) {
            row.values = rows->values + row.iteration * history->series_count;
            status = write_row(history, &row, error);
        }
        rows->count = 0;
    }
    return status ? status : history_csv_flush(history, error);
}

enum status history_csv_flush(struct history_csv *history, struct error *error)
{
    return text_file_flush(&history->file, error);
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
    enum status status = text_file_finish(&history->file, error);
    release(history);
    return status;
}

void history_csv_abandon(struct history_csv *history)
{
    text_file_abandon(&history->file);
    release(history);
}

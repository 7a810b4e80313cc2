#include "program/record/results.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>

enum { BEFORE_SERIES = 3 }; /* kernel, run, iteration */

enum status history_csv_begin(const char *directory, const struct method *method, bool with_M,
                              struct history_csv *history, struct error *error)
{
    int residual = method_series(method, "residual");
    *history = (struct history_csv){.series = method->series,
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
    status = text_file_line(&history->file, error, "kernel,run,iteration%s", names);
    if (status)
        history_csv_abandon(history);
    return status;
}

/* A number without its sign where it is not one: C libraries print -nan, nan(0x...), and more. */
static const char *number(char text[32], const char *format, double value)
{
    if (isnan(value))
        return "nan";
    snprintf(text, 32, format, value);
    return text;
}

/* The next row is the first of a run. */
static enum status begin_run(struct history_csv *history, int64_t run, struct error *error)
{
    enum status status = memory_grow((void **)&history->runs, &history->runs_capacity, run,
                                     sizeof *history->runs, "where the runs begin", error);
    if (status)
        return status;
    history->runs[run - 1] = text_file_position(&history->file);
    history->runs_count = run;
    return STATUS_OK;
}

/* Whether the row has a value of the series. */
static bool is_there(const struct series *series, int64_t iteration, double value)
{
    return series->rows == SERIES_WHERE_KNOWN ? !isnan(value)
                                              : series->rows != SERIES_FROM_ROW_1 || iteration > 0;
}

enum status history_csv_row(struct history_csv *history, const struct event *row,
                            struct error *error)
{
    char fields[(SERIES_MOST + 1) * 32] = "", text[32];
    enum status status = row->iteration == 0 ? begin_run(history, row->run, error) : STATUS_OK;
    if (status)
        return status;
    for (int s = 0, length = 0; s < history->series_count; s++) {
        double value = row->values[s];
        bool there = is_there(&history->series[s], row->iteration, value);
        length += snprintf(fields + length, 32, ",%s", there ? number(text, "%.17g", value) : "");
        if (s == history->residual)
            length += snprintf(fields + length, 32, ",%s", number(text, "%a", value));
    }
    return text_file_line(&history->file, error, "%s,%" PRId64 ",%" PRId64 "%s", row->label,
                          row->run, row->iteration, fields);
}

enum status history_csv_flush(struct history_csv *history, struct error *error)
{
    return text_file_flush(&history->file, error);
}

enum status history_csv_finish(struct history_csv *history, struct error *error)
{
    enum status status = text_file_finish(&history->file, error);
    memory_free(history->runs);
    *history = (struct history_csv){0};
    return status;
}

void history_csv_abandon(struct history_csv *history)
{
    text_file_abandon(&history->file);
    memory_free(history->runs);
    *history = (struct history_csv){0};
}

#include "program/record/results.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>

enum status history_csv_begin(const char *directory, const struct method *method,
                              struct history_csv *history, struct error *error)
{
    *history = (struct history_csv){.columns = method->history};
    char names[256] = "";
    for (int c = 0, length = 0; c < HISTORY_COLUMNS; c++)
        if (history->columns >> c & 1)
            length += snprintf(names + length, sizeof names - (size_t)length, ",%s",
                               history_column_names[c]);
    enum status status = text_file_begin(directory, "history.csv", &history->file, error);
    if (status)
        return status;
    status = text_file_line(&history->file, error,
                            "kernel,run,iteration,residual,residual_hex,alpha,beta%s", names);
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

enum status history_csv_row(struct history_csv *history, const char *label, int64_t run,
                            const struct history_row *row, struct error *error)
{
    char residual[32], hex[32], alpha[32], beta[32], more[HISTORY_COLUMNS * 32] = "";
    bool first = row->iteration == 0;
    enum status status = first ? begin_run(history, run, error) : STATUS_OK;
    if (status)
        return status;
    for (int c = 0, length = 0; c < HISTORY_COLUMNS; c++)
        if (history->columns >> c & 1)
            length += isnan(row->more[c]) ? snprintf(more + length, 32, ",")
                                          : snprintf(more + length, 32, ",%.17g", row->more[c]);
    return text_file_line(&history->file, error, "%s,%" PRId64 ",%" PRId64 ",%s,%s,%s,%s%s", label,
                          run, row->iteration, number(residual, "%.17g", row->residual),
                          number(hex, "%a", row->residual),
                          first ? "" : number(alpha, "%.17g", row->alpha),
                          first ? "" : number(beta, "%.17g", row->beta), more);
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

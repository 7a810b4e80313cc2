#include "api/handles.h"

#include "base/memory.h"
#include "solver/method.h"

#include <string.h>

static const char *const what = "the history of a solve";

enum status history_begin(struct api_history *history, const struct method *method, bool with_M,
                          int64_t columns, struct error *error)
{
    if (history->columns != columns) {
        history_free(history);
        history->of = memory_zeros(columns, sizeof *history->of, what, error);
        if (!history->of)
            return STATUS_MEMORY;
        history->columns = columns;
    }
    for (int64_t j = 0; j < columns; j++)
        history->of[j].count = 0;
    history->series = method_series_count(method, with_M);
    return STATUS_OK;
}

enum status history_take(struct api_history *history, int64_t column, const struct event *row,
                         struct error *error)
{
    struct api_rows *rows = &history->of[column];
    int64_t begin = rows->count * history->series;
    enum status status = memory_grow((void **)&rows->values, &rows->capacity,
                                     begin + history->series, sizeof *rows->values, what, error);
    if (status)
        return status;
    memcpy(rows->values + begin, row->values, (size_t)history->series * sizeof *row->values);
    rows->count++;
    return STATUS_OK;
}

static enum status turn(struct api_rows *rows, int series, struct error *error)
{
    int64_t count = rows->count * series;
    double *turned = memory_array(count, sizeof *turned, what, error);
    if (!turned)
        return STATUS_MEMORY;
    for (int64_t k = 0; k < rows->count; k++)
        for (int64_t s = 0; s < series; s++)
            turned[s * rows->count + k] = rows->values[k * series + s];
    memory_free(rows->values);
    rows->values = turned;
    rows->capacity = count;
    return STATUS_OK;
}

enum status history_end(struct api_history *history, struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t j = 0; j < history->columns && !status; j++)
        status = turn(&history->of[j], history->series, error);
    return status;
}

void history_free(struct api_history *history)
{
    for (int64_t j = 0; j < history->columns; j++)
        memory_free(history->of[j].values);
    memory_free(history->of);
    *history = (struct api_history){0};
}

#include "api/history.h"

#include "base/memory.h"
#include "cgsolve/method.h"

#include <string.h>

void history_begin(struct api_history *history, const struct method *method, bool with_M)
{
    history->rows = 0;
    history->series = method_series_count(method, with_M);
}

enum status history_take(struct api_history *history, const struct event *row, struct error *error)
{
    int64_t begin = history->rows * history->series;
    enum status status =
        memory_grow((void **)&history->values, &history->capacity, begin + history->series,
                    sizeof *history->values, "the history of a solve", error);
    if (status)
        return status;
    memcpy(history->values + begin, row->values, (size_t)history->series * sizeof *row->values);
    history->rows++;
    return STATUS_OK;
}

enum status history_end(struct api_history *history, struct error *error)
{
    int64_t count = history->rows * history->series;
    double *columns = memory_array(count, sizeof *columns, "the history of a solve", error);
    if (!columns)
        return STATUS_MEMORY;
    for (int64_t k = 0; k < history->rows; k++)
        for (int64_t s = 0; s < history->series; s++)
            columns[s * history->rows + k] = history->values[k * history->series + s];
    memory_free(history->values);
    history->values = columns;
    history->capacity = count;
    return STATUS_OK;
}

void history_free(struct api_history *history)
{
    memory_free(history->values);
    *history = (struct api_history){0};
}

#include "api/strides.h"

#include <inttypes.h>

enum { ROWS_AT_ONCE = 256 }; /* of all columns, which are then in a cache when the next is read */

enum status strides_check(const struct api_layout *layout, const char *what, int64_t *span,
                          struct error *error)
{
    int64_t row = layout->n > 1 ? layout->strides.row : 1;
    int64_t column = layout->columns > 1 ? layout->strides.column : 1;
    int64_t down, across, all, bytes;
    if (layout->columns < 1)
        return error_set(error, STATUS_CONFIG, "columns = %" PRId64 " must be at least 1",
                         layout->columns);
    if (row < 1 || column < 1)
        return error_set(error, STATUS_CONFIG,
                         "the strides of %s are %" PRId64 " and %" PRId64 ": each is at least 1",
                         what, row, column);
    if (__builtin_mul_overflow(layout->n - 1, row, &down) ||
        __builtin_mul_overflow(layout->columns - 1, column, &across) ||
        __builtin_add_overflow(down, across, &all) ||
        __builtin_mul_overflow(all, (int64_t)sizeof(double), &bytes))
        return error_set(error, STATUS_MEMORY,
                         "the size of %s overflows: %" PRId64 " rows and %" PRId64
                         " columns with the strides %" PRId64 " and %" PRId64,
                         what, layout->n, layout->columns, row, column);
    if (layout->columns > 1 && column <= down && row <= across)
        return error_set(error, STATUS_CONFIG,
                         "with the strides %" PRId64 " and %" PRId64 " of %s its %" PRId64
                         " rows and %" PRId64 " columns overlap",
                         row, column, what, layout->n, layout->columns);
    *span = all + 1;
    return STATUS_OK;
}

bool strides_are_columns(const struct api_layout *layout)
{
    return (layout->n == 1 || layout->strides.row == 1) &&
           (layout->columns == 1 || layout->strides.column == layout->n);
}

bool strides_are_rows(const struct api_layout *layout)
{
    return (layout->n == 1 || layout->strides.row == layout->columns) &&
           (layout->columns == 1 || layout->strides.column == 1);
}

static int64_t end_of(int64_t begin, int64_t n)
{
    return n - begin < ROWS_AT_ONCE ? n : begin + ROWS_AT_ONCE;
}

void strides_gather(const struct api_layout *layout, const double *array, double *columns)
{
    struct cgs_strides strides = layout->strides;
    for (int64_t begin = 0; begin < layout->n; begin += ROWS_AT_ONCE)
        for (int64_t j = 0; j < layout->columns; j++)
            for (int64_t i = begin; i < end_of(begin, layout->n); i++)
                columns[j * layout->n + i] = array[i * strides.row + j * strides.column];
}

void strides_scatter(const struct api_layout *layout, const double *columns, double *array)
{
    struct cgs_strides strides = layout->strides;
    for (int64_t begin = 0; begin < layout->n; begin += ROWS_AT_ONCE)
        for (int64_t j = 0; j < layout->columns; j++)
            for (int64_t i = begin; i < end_of(begin, layout->n); i++)
                array[i * strides.row + j * strides.column] = columns[j * layout->n + i];
}

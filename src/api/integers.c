#include "api/integers.h"

#include <stdio.h>

enum { INTEGER_SIZE = 24 };

/* Counted from 1, also where that is beyond int64_t. */
static const char *from_one(const struct cgs_matrix_data *data, const struct cgs_array *array,
                            int64_t k, char text[INTEGER_SIZE])
{
    int64_t value = given_at(array, k), shift = 1 - data->base;
    if (value < 0)
        snprintf(text, INTEGER_SIZE, "%" PRId64, value + shift);
    else
        snprintf(text, INTEGER_SIZE, "%" PRIu64, (uint64_t)value + (uint64_t)shift);
    return text;
}

enum status integers_refuse_place(const struct cgs_matrix_data *data, int64_t i, int64_t k,
                                  struct error *error)
{
    char row[INTEGER_SIZE], column[INTEGER_SIZE];
    if (data->rows.data)
        from_one(data, &data->rows, k, row);
    else
        snprintf(row, sizeof row, "%" PRId64, i + 1);
    return error_set(error, STATUS_INPUT,
                     "entry %" PRId64 " of the matrix is (%s, %s), outside of its %" PRId64
                     " rows and columns",
                     k + 1, row, from_one(data, &data->columns, k, column), data->n);
}

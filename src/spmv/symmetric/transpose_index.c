#include "spmv/symmetric/transpose_index.h"

#include "base/memory.h"
#include "base/threads.h"

#include <string.h>

/* The first place from begin on whose column is not below `column`. */
static int64_t first_from(const int32_t *columns, int64_t begin, int64_t end, int64_t column)
{
    while (begin < end) {
        int64_t middle = begin + (end - begin) / 2;
        if (columns[middle] < column)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

void transpose_index_take(const int64_t *offsets, const int32_t *columns, int64_t rows,
                          int64_t begin, int64_t end, int64_t *next, int32_t *noted_columns,
                          int64_t *noted_places)
{
    for (int64_t row = 0; row < rows; row++) {
        int64_t row_end = offsets[row + 1];
        if (row_end == offsets[row] || columns[row_end - 1] < begin)
            continue;
        int64_t p = first_from(columns, offsets[row], row_end, begin);
        for (; p < row_end && columns[p] < end; p++) {
            if (columns[p] == row)
                continue;
            int64_t place = next[columns[p]]++;
            if (noted_columns) {
                noted_columns[place] = (int32_t)row;
                noted_places[place] = p;
            }
        }
    }
}

struct pass {
    const int64_t *offsets;
    const int32_t *columns;
    int64_t *next;
    const struct transpose_index *noted;
};

/* By a thread, whose columns these are. */
static void take_columns(void *context, int64_t begin, int64_t end)
{
    const struct pass *pass = context;
    transpose_index_take(pass->offsets, pass->columns, end, begin, end, pass->next,
                         pass->noted->columns, pass->noted->places);
}

enum status transpose_index_create(int64_t rows, const int64_t *offsets, const int32_t *columns,
                                   struct transpose_index *mirror, struct error *error)
{
    static const char *const what = "the mirrored entries";
    *mirror = (struct transpose_index){.rows = rows};
    enum status status =
        memory_fits(12.0 * (double)offsets[rows] + 16.0 * (double)rows, what, error);
    int64_t *next = NULL;
    if (!status) {
        mirror->offsets = memory_zeros(rows + 1, sizeof *mirror->offsets, what, error);
        next = memory_array(rows, sizeof *next, what, error);
        status = mirror->offsets && next ? STATUS_OK : STATUS_MEMORY;
    }
    struct pass pass = {offsets, columns, mirror->offsets + 1, mirror};
    if (!status) {
        threads_each(threads_lent(), rows, take_columns, &pass);
        for (int64_t row = 0; row < rows; row++)
            mirror->offsets[row + 1] += mirror->offsets[row];
        memcpy(next, mirror->offsets, (size_t)rows * sizeof *next);
        int64_t count = mirror->offsets[rows];
        mirror->columns = memory_array(count, sizeof *mirror->columns, what, error);
        mirror->places = memory_array(count, sizeof *mirror->places, what, error);
        status = mirror->columns && mirror->places ? STATUS_OK : STATUS_MEMORY;
    }
    pass.next = next;
    if (!status)
        threads_each(threads_lent(), rows, take_columns, &pass);
    memory_free(next);
    if (status)
        transpose_index_free(mirror);
    return status;
}

void transpose_index_free(struct transpose_index *mirror)
{
    memory_free(mirror->offsets);
    memory_free(mirror->columns);
    memory_free(mirror->places);
    *mirror = (struct transpose_index){0};
}

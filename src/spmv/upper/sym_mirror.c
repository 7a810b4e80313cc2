#include "spmv/upper/sym_mirror.h"

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

void sym_mirror_take(const int64_t *offsets, const int32_t *columns, int64_t rows, int64_t begin,
                     int64_t end, int64_t *next, int32_t *noted_columns, int64_t *noted_places)
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

/* All columns, by threads with a share of them each. */
static void take_all(int64_t rows, const int64_t *offsets, const int32_t *columns, int64_t *next,
                     int32_t *noted_columns, int64_t *noted_places)
{
    int64_t shares = threads_count(threads_lent());
#pragma omp parallel for schedule(static, 1)
    for (int64_t share = 0; share < shares; share++) {
        int64_t end = rows * (share + 1) / shares;
        sym_mirror_take(offsets, columns, end, rows * share / shares, end, next, noted_columns,
                        noted_places);
    }
}

enum status sym_mirror_create(int64_t rows, const int64_t *offsets, const int32_t *columns,
                              struct sym_mirror *mirror, struct error *error)
{
    static const char *const what = "the mirrored entries";
    *mirror = (struct sym_mirror){.rows = rows};
    enum status status =
        memory_fits(12.0 * (double)offsets[rows] + 16.0 * (double)rows, what, error);
    int64_t *next = NULL;
    if (!status) {
        mirror->offsets = memory_zeros(rows + 1, sizeof *mirror->offsets, what, error);
        next = memory_array(rows, sizeof *next, what, error);
        status = mirror->offsets && next ? STATUS_OK : STATUS_MEMORY;
    }
    if (!status) {
        take_all(rows, offsets, columns, mirror->offsets + 1, NULL, NULL);
        for (int64_t row = 0; row < rows; row++)
            mirror->offsets[row + 1] += mirror->offsets[row];
        memcpy(next, mirror->offsets, (size_t)rows * sizeof *next);
        int64_t count = mirror->offsets[rows];
        mirror->columns = memory_array(count, sizeof *mirror->columns, what, error);
        mirror->places = memory_array(count, sizeof *mirror->places, what, error);
        status = mirror->columns && mirror->places ? STATUS_OK : STATUS_MEMORY;
    }
    if (!status)
        take_all(rows, offsets, columns, next, mirror->columns, mirror->places);
    memory_free(next);
    if (status)
        sym_mirror_free(mirror);
    return status;
}

void sym_mirror_free(struct sym_mirror *mirror)
{
    memory_free(mirror->offsets);
    memory_free(mirror->columns);
    memory_free(mirror->places);
    *mirror = (struct sym_mirror){0};
}

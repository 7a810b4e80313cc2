#include "io/market/rows.h"

#include "io/market/entry_list.h"

#include <string.h>

static inline uint32_t column_of(uint32_t stored)
{
    return stored & ~MIRRORED;
}

int row_is_sorted(const uint32_t *columns, int64_t count)
{
    int64_t k = 1;
    while (k < count && column_of(columns[k - 1]) < column_of(columns[k]))
        k++;
    return k >= count;
}

static void insertion_sort(uint32_t *columns, double *values, int64_t count)
{
    for (int64_t k = 1; k < count; k++) {
        uint32_t column = columns[k];
        double value = values[k];
        int64_t place = k;
        for (; place > 0 && column_of(columns[place - 1]) > column_of(column); place--) {
            columns[place] = columns[place - 1];
            values[place] = values[place - 1];
        }
        columns[place] = column;
        values[place] = value;
    }
}

/* Merge [0, middle) and [middle, count) into `to`; of equals the left one goes first. */
static void merge(const uint32_t *columns, const double *values, int64_t middle, int64_t count,
                  uint32_t *to_columns, double *to_values)
{
    int64_t left = 0, right = middle;
    for (int64_t k = 0; k < count; k++) {
        int take_left = left < middle &&
                        (right == count || column_of(columns[left]) <= column_of(columns[right]));
        int64_t from = take_left ? left++ : right++;
        to_columns[k] = columns[from];
        to_values[k] = values[from];
    }
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void row_sort(uint32_t *columns, double *values, int64_t count, uint32_t *scratch_columns,
              double *scratch_values)
{
    for (int64_t begin = 0; begin < count; begin += ROW_SHORT)
        insertion_sort(columns + begin, values + begin, smaller(ROW_SHORT, count - begin));
    for (int64_t width = ROW_SHORT; width < count; width *= 2) {
        for (int64_t begin = 0; begin < count; begin += 2 * width) {
            int64_t length = smaller(2 * width, count - begin);
            merge(columns + begin, values + begin, smaller(width, length), length,
                  scratch_columns + begin, scratch_values + begin);
        }
        memcpy(columns, scratch_columns, (size_t)count * sizeof *columns);
        memcpy(values, scratch_values, (size_t)count * sizeof *values);
    }
}

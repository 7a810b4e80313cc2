/* Sorting one row. */
#ifndef IO_MARKET_ROWS_H
#define IO_MARKET_ROWS_H

#include <stdint.h>

/* True when the columns increase strictly; their MIRRORED bits do not count. */
int row_is_sorted(const uint32_t *columns, int64_t count);

/* Sort by column, MIRRORED bits not counted, and keep the order of entries that share one. Rows of
 * more than ROW_SHORT entries need scratch arrays of `count` elements. */
enum { ROW_SHORT = 24 };
void row_sort(uint32_t *columns, double *values, int64_t count, uint32_t *scratch_columns,
              double *scratch_values);

#endif

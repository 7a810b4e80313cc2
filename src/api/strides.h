/* Arrays of several columns of n elements, as a caller has them. */
#ifndef API_STRIDES_H
#define API_STRIDES_H

#include "api/handles.h"

/* How many columns there are, and where an array has them. */
struct api_layout {
    int64_t n, columns;
    struct cgs_strides strides;
};

/* *span: how many elements lie from the first to the last one. Errors: STATUS_CONFIG (no columns,
 * a stride below 1, rows and columns that overlap), STATUS_MEMORY (it overflows). */
enum status strides_check(const struct api_layout *layout, const char *what, int64_t *span,
                          struct error *error);

/* Whether they are column after column, without gaps; or row after row. */
bool strides_are_columns(const struct api_layout *layout);
bool strides_are_rows(const struct api_layout *layout);

/* Into columns[layout->columns][n], and back. */
void strides_gather(const struct api_layout *layout, const double *array, double *columns);
void strides_scatter(const struct api_layout *layout, const double *columns, double *array);

#endif

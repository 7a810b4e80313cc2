/* The rows of a large CSV file one after the other, in the memory of one line: the files of residuals of an
 * earlier run, whose header line names their columns. */
#ifndef REPORT_CSV_ROWS_H
#define REPORT_CSV_ROWS_H

#include "cgsolve/status.h"
#include "io/csv_line.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { CSV_COLUMNS_MAX = 8 };

struct csv_rows {
    const char *path; /* borrowed */
    const char *const *columns;
    FILE *stream;
    char *text; /* the line read last */
    size_t capacity;
    int64_t line;                            /* its number, from 1 */
    int fields;                              /* of the header, and so of every row */
    int place[CSV_COLUMNS_MAX];              /* of each column among them */
    struct csv_field values[CSV_FIELDS_MAX]; /* of the row read last */
};

/* Open the file and read its header, which must name the columns, ended by a NULL, once each; there may be
 * others. The caller calls csv_rows_close. Errors: STATUS_INPUT with file and line. */
enum status csv_rows_open(const char *path, const char *const *columns, struct csv_rows *rows,
                          struct error *error);
void csv_rows_close(struct csv_rows *rows); /* accepts a zeroed one */

/* Read the next row; *there = false behind the last one. Errors: STATUS_INPUT with file and line. */
enum status csv_rows_next(struct csv_rows *rows, bool *there, struct error *error);

/* STATUS_INPUT with "FILE:LINE: ..." for the row read last. */
enum status csv_rows_fault(const struct csv_rows *rows, struct error *error, const char *format,
                           ...) __attribute__((format(printf, 3, 4)));

/* What stands in a column, by its place in `columns`. Errors of the latter two: STATUS_INPUT with file and
 * line, when it is no whole number from 0 on; when it is no decimal number from 0 on, inf or nan. */
const struct csv_field *csv_rows_field(const struct csv_rows *rows, int column);
enum status csv_rows_whole(const struct csv_rows *rows, int column, int64_t *value,
                           struct error *error);
enum status csv_rows_number(const struct csv_rows *rows, int column, double *value,
                            struct error *error);

/* A label as summary.json has it, and so fit to be looked up there; cut to the size. */
const char *csv_rows_label(const struct csv_rows *rows, int column, char *label, size_t size);

#endif

/* The rows of a large CSV file one after the other, in the memory of a piece of it: history.csv and
 * what is made of it, whose header line names their columns. The file may be packed
 * (io/text_source.h). */
#ifndef IO_CSV_ROWS_H
#define IO_CSV_ROWS_H

#include "base/status.h"
#include "io/csv_line.h"
#include "io/text_source.h"

#include <stdbool.h>
#include <stdint.h>

enum { CSV_COLUMNS_MAX = 8 };

struct csv_rows {
    const char *path;           /* borrowed */
    const char *const *columns; /* borrowed, ended by a NULL */
    struct text_source *source;
    struct text_reader reader;  /* reader.line: the number of the line read last, from 1 */
    int fields;                 /* of the header, and so of every row */
    int place[CSV_COLUMNS_MAX]; /* of each column among them */
    struct csv_field values[CSV_FIELDS_MAX]; /* of the row read last; they point into the source */
};

/* Open the file and read its header, which must name the columns once each, but for those that
 * stand after a "?" in `columns`: they may be missing. There may be others. Lines that begin with #
 * may stand before it where `lead` is given, which is called for each with its number. The caller
 * calls csv_rows_close, after a failure too. Errors: STATUS_INPUT with file and line,
 * STATUS_MEMORY, those of `lead`. */
typedef enum status csv_lead(void *context, const char *begin, const char *end, int64_t line,
                             struct error *error);
enum status csv_rows_open(const char *path, const char *const *columns, csv_lead *lead,
                          void *context, struct csv_rows *rows, struct error *error);
void csv_rows_close(struct csv_rows *rows); /* accepts a zeroed one */

/* Read the next row; *there = false behind the last one. Errors: STATUS_INPUT with file and line,
 * STATUS_MEMORY. */
enum status csv_rows_next(struct csv_rows *rows, bool *more, struct error *error);

/* STATUS_INPUT with "FILE:LINE: ..." for the row read last. */
enum status csv_rows_fault(const struct csv_rows *rows, struct error *error, const char *format,
                           ...) __attribute__((format(printf, 3, 4)));

/* What stands in a column, by its place in `columns`; NULL where it may be missing and is. Errors
 * of the others: STATUS_INPUT with file and line, when it is no whole number from 0 on; no decimal
 * number from 0 on, inf or nan; no norm (csv_norm). */
const struct csv_field *csv_rows_field(const struct csv_rows *rows, int column);
enum status csv_rows_whole(const struct csv_rows *rows, int column, int64_t *value,
                           struct error *error);
enum status csv_rows_number(const struct csv_rows *rows, int column, double *value,
                            struct error *error);
enum status csv_rows_norm(const struct csv_rows *rows, int column, double *value,
                          struct error *error);

#endif

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

enum { CSV_COLUMNS_MAX = 16 };

struct csv_rows {
    const char *path;           /* borrowed */
    const char *const *columns; /* borrowed, ended by a NULL */
    struct text_source *source;
    struct text_reader reader;  /* reader.line: the number of the line read last, from 1 */
    int fields;                 /* of the header, and so of every row */
    int place[CSV_COLUMNS_MAX]; /* of each column among them */
    struct csv_field values[CSV_FIELDS_MAX]; /* of the row read last; they point into the source */
    enum status status;                      /* of the first fault, which ends the reading, */
    struct error *error;                     /* and of which this tells */
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

/* Read the next row; false behind the last one, and where rows->status says why there is none. */
bool csv_rows_next(struct csv_rows *rows);

/* rows->status becomes STATUS_INPUT, with "FILE:LINE: ..." for the row read last, unless there was
 * a fault before. Gives it back. */
enum status csv_rows_fault(struct csv_rows *rows, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What stands in a column, by its place in `columns`; NULL where it may be missing and is; and
 * whether something stands there. */
const struct csv_field *csv_rows_field(const struct csv_rows *rows, int column);
bool csv_rows_tells(const struct csv_rows *rows, int column);

/* The value in a column that is there: a whole number from 0 on; a decimal number from 0 on, inf or
 * nan, or a finite one; a norm (csv_norm). Anything else is a fault. */
int64_t csv_rows_whole(struct csv_rows *rows, int column);
double csv_rows_number(struct csv_rows *rows, int column);
double csv_rows_finite(struct csv_rows *rows, int column);
double csv_rows_norm(struct csv_rows *rows, int column);

#endif

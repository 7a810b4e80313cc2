/* CSV files: a single line; and the rows of a large file, read piece by piece. Files of residual
 * histories and files made from them have no quotes; files of the bench do.
 */
#ifndef IO_CSV_H
#define IO_CSV_H

#include "base/status.h"
#include "io/text_source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CSV_FIELDS_MAX = 64, CSV_NUMBER = 32 };

struct csv_field {
    const char *begin, *end;
};

/* Split a line at commas, quotes kept. Gives back the number of fields; the first CSV_FIELDS_MAX
 * are stored. */
int csv_split(const char *begin, const char *end, struct csv_field fields[CSV_FIELDS_MAX]);

bool csv_is_text(const struct csv_field *field, const char *text);

/* Copy the field into text[size]; a longer one is cut. */
void csv_text(const struct csv_field *field, char *text, size_t size);

/* The characters by which a spreadsheet knows a formula, as the first of a field. */
#define CSV_FORMULA "=+-@"

/* The text as one field: in quotes if it holds a comma or a quote, with quotes doubled; odd
 * characters (base/text.h) become '?'. A text that begins like a formula, or with an apostrophe,
 * gets an apostrophe before it. Cut at size - 1 bytes or less. Gives back field. */
const char *csv_quote(const char *text, char *field, int size);

/* The next field from *at on, quoted or not, into text[size], without the apostrophe of csv_quote,
 * cut at the size. *at moves past the field and its comma. False: the row has no field left, or a
 * quoted one has no end. */
bool csv_take(const char **at, const char *end, char *text, int size);

/* The number by the format of its kind, "%.17g" or "%a"; "nan" for every NaN, which C libraries
 * print as -nan, nan(0x...), and more. Gives back text. */
const char *csv_number(char text[CSV_NUMBER], const char *format, double value);

/* A norm: a C99 hexadecimal constant without a sign, as %a writes it, or "inf", or "nan". False for
 * anything else. */
bool csv_norm(const struct csv_field *field, double *norm);

/* --- rows of a file --------------------------------------------------------------------------- */

enum { CSV_COLUMNS_MAX = 24 };

struct csv_rows {
    const char *path;           /* borrowed */
    const char *const *columns; /* borrowed, ended by a NULL */
    struct text_source *source;
    struct text_reader reader;  /* reader.line: the number of the line read last, from 1 */
    int fields;                 /* of the header, and so of every row */
    int place[CSV_COLUMNS_MAX]; /* of each column among them */
    struct csv_field values[CSV_FIELDS_MAX]; /* of the row read last; they point into the source */
    enum status status;                      /* of the first fault, which ends the reading, */
    struct error *error;                     /* and its message */
};

/* Open the file and read its header. It must name the columns, at most CSV_COLUMNS_MAX, once each;
 * those after a "?" in `columns` may be missing. There may be others. With `lead`, lines that begin
 * with # may precede it: lead is called for each, with its number. The caller calls csv_rows_close,
 * after a failure too. Errors: STATUS_INPUT with file and line, STATUS_MEMORY, those of `lead`. */
typedef enum status csv_lead(void *context, const char *begin, const char *end, int64_t line,
                             struct error *error);
enum status csv_rows_open(const char *path, const char *const *columns, csv_lead *lead,
                          void *context, struct csv_rows *rows, struct error *error);
void csv_rows_close(struct csv_rows *rows); /* accepts a zeroed one */

/* Read the next row. False: it was the last one, or rows->status has an error. */
bool csv_rows_next(struct csv_rows *rows);

/* rows->status becomes STATUS_INPUT, with "FILE:LINE: ..." for the row read last, unless there was
 * a fault before. Gives it back. */
enum status csv_rows_fault(struct csv_rows *rows, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The field of a column, by its index in `columns`; NULL if the column is optional and missing. And
 * whether the field is not empty. */
const struct csv_field *csv_rows_field(const struct csv_rows *rows, int column);
bool csv_rows_tells(const struct csv_rows *rows, int column);

/* The value in a column that is there: a whole number from 0 on; a decimal number from 0 on, inf or
 * nan, or a finite one; a norm (csv_norm). Anything else is a fault. */
int64_t csv_rows_whole(struct csv_rows *rows, int column);
double csv_rows_number(struct csv_rows *rows, int column);
double csv_rows_finite(struct csv_rows *rows, int column);
double csv_rows_norm(struct csv_rows *rows, int column);

#endif

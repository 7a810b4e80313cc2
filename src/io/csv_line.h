/* One line of a CSV file. The files of residual histories and what is made of them hold no quotes;
 * those of the bench do. */
#ifndef IO_CSV_LINE_H
#define IO_CSV_LINE_H

#include <stdbool.h>
#include <stddef.h>

enum { CSV_FIELDS_MAX = 64, CSV_NUMBER = 32 };

struct csv_field {
    const char *begin, *end;
};

/* The fields between commas, with their quotes; how many there are, of which the first
 * CSV_FIELDS_MAX are kept. */
int csv_split(const char *begin, const char *end, struct csv_field fields[CSV_FIELDS_MAX]);

bool csv_is_text(const struct csv_field *field, const char *text);

/* Copy the field into text[size]; a longer one is cut. */
void csv_text(const struct csv_field *field, char *text, size_t size);

/* The characters by which a spreadsheet knows a formula, as the first of a field. */
#define CSV_FORMULA "=+-@"

/* The text as a field of its own: between quotes where it holds a comma or a quote, which is then
 * doubled; what is odd (base/text.h) becomes '?'. Where it begins as a formula does, or with an
 * apostrophe, an apostrophe stands before it. Cut at size - 1 bytes or less. Gives back field. */
const char *csv_quote(const char *text, char *field, int size);

/* The next field from *at on, quoted or not, into text[size], without the apostrophe of csv_quote,
 * cut where it is longer; *at moves behind it and its comma. False where there is none, or a quoted
 * one has no end. */
bool csv_take(const char **at, const char *end, char *text, int size);

/* The number by the format of its kind, "%.17g" or "%a"; "nan" for every NaN, which C libraries
 * print as -nan, nan(0x...), and more. Gives back text. */
const char *csv_number(char text[CSV_NUMBER], const char *format, double value);

/* A norm: a C99 hexadecimal constant without a sign, as %a writes it, or "inf", or "nan". False for
 * anything else. */
bool csv_norm(const struct csv_field *field, double *norm);

#endif

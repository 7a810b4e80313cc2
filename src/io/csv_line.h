/* One line of a CSV file without quotes, taken apart: the files of residual histories and what is made of them. */
#ifndef IO_CSV_LINE_H
#define IO_CSV_LINE_H

#include <stdbool.h>

enum { CSV_FIELDS_MAX = 32 };

struct csv_field {
    const char *begin, *end;
};

/* The fields between commas; how many there are, of which the first CSV_FIELDS_MAX are kept. */
int csv_split(const char *begin, const char *end, struct csv_field fields[CSV_FIELDS_MAX]);

bool csv_is_text(const struct csv_field *field, const char *text);

/* A norm: a C99 hexadecimal constant without a sign, as %a writes it, or "inf", or "nan". False for anything
 * else. */
bool csv_norm(const struct csv_field *field, double *norm);

#endif

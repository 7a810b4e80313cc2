#include "io/csv.h"

#include "base/number.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The comma after the field that begins there, or NULL. */
static const char *find_comma(const char *begin, const char *end)
{
    if (begin < end && *begin == '"')
        for (begin++; begin < end && (*begin != '"' || (begin + 1 < end && begin[1] == '"'));)
            begin += *begin == '"' ? 2 : 1;
    return memchr(begin, ',', (size_t)(end - begin));
}

int csv_split(const char *begin, const char *end, struct csv_field fields[CSV_FIELDS_MAX])
{
    for (int count = 0;; count++) {
        const char *comma = find_comma(begin, end);
        if (count < CSV_FIELDS_MAX)
            fields[count] = (struct csv_field){begin, comma ? comma : end};
        if (!comma)
            return count + 1;
        begin = comma + 1;
    }
}

bool csv_is_text(const struct csv_field *field, const char *text)
{
    size_t length = (size_t)(field->end - field->begin);
    return strlen(text) == length && memcmp(field->begin, text, length) == 0;
}

void csv_text(const struct csv_field *field, char *text, size_t size)
{
    size_t length = (size_t)(field->end - field->begin);
    if (length >= size)
        length = size - 1;
    memcpy(text, field->begin, length);
    text[length] = '\0';
}

const char *csv_quote(const char *text, char *field, int size)
{
    bool quoted = text[strcspn(text, ",\"")] != '\0';
    int at = 0;
    if (quoted)
        field[at++] = '"';
    if (*text && strchr(CSV_FORMULA "'", *text))
        field[at++] = '\'';
    for (; *text && at + 3 < size; text++) {
        if (*text == '"')
            field[at++] = '"';
        field[at++] = *text;
    }
    if (quoted)
        field[at++] = '"';
    field[at] = '\0';
    text_clean(field, "");
    return field;
}

bool csv_take(const char **at, const char *end, char *text, int size)
{
    const char *from = *at;
    int length = 0;
    if (from > end)
        return false;
    bool quoted = from < end && *from == '"';
    from += quoted;
    from += from < end && *from == '\'';
    for (; from < end; from++) {
        bool doubled = quoted && from + 1 < end && from[0] == '"' && from[1] == '"';
        if (!doubled && *from == (quoted ? '"' : ','))
            break;
        from += doubled;
        if (length + 1 < size)
            text[length++] = *from;
    }
    text[length] = '\0';
    if (quoted && from++ == end)
        return false;
    *at = from + 1; /* after the end: no next field */
    return from == end || *from == ',';
}

const char *csv_number(char text[CSV_NUMBER], const char *format, double value)
{
    snprintf(text, CSV_NUMBER, isnan(value) ? "nan" : format, value);
    return text;
}

/* strtod accepts more than %a writes, so the characters are checked first. */
bool csv_norm(const struct csv_field *field, double *norm)
{
    char text[40];
    size_t length = (size_t)(field->end - field->begin);
    bool is_nan = csv_is_text(field, "nan"), is_infinite = csv_is_text(field, "inf");
    *norm = is_nan ? NAN : INFINITY;
    if (is_nan || is_infinite)
        return true;
    if (length >= sizeof text || length < 3 || memcmp(field->begin, "0x", 2) != 0)
        return false;
    memcpy(text, field->begin, length);
    text[length] = '\0';
    char *end;
    *norm = strtod(text, &end);
    return strspn(text + 2, "0123456789abcdef.p+-") == length - 2 && *end == '\0' &&
           isfinite(*norm);
}

/* --- rows of a file --------------------------------------------------------------------------- */

enum { WINDOW = 1 << 20 };

enum status csv_rows_fault(struct csv_rows *rows, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (!rows->status)
        rows->status = error_set(rows->error, STATUS_INPUT, "%s:%" PRId64 ": %s", rows->path,
                                 rows->reader.line, text);
    return rows->status;
}

static bool may_be_missing(const struct csv_rows *rows, int column)
{
    return *rows->columns[column] == '?';
}

static const char *column_name(const struct csv_rows *rows, int column)
{
    return rows->columns[column] + may_be_missing(rows, column);
}

static void find_column(struct csv_rows *rows, int column)
{
    const char *name = column_name(rows, column);
    rows->place[column] = -1;
    for (int f = 0; f < rows->fields; f++) {
        if (!csv_is_text(&rows->values[f], name))
            continue;
        if (rows->place[column] >= 0)
            csv_rows_fault(rows, "the header names the column '%s' twice", name);
        rows->place[column] = f;
    }
    if (rows->place[column] < 0 && !may_be_missing(rows, column))
        csv_rows_fault(rows, "a header line is wanted, and this line has no column '%s'", name);
}

/* The next line; false after the last line, and after a fault. */
static bool read_line(struct csv_rows *rows, const char **begin, const char **end)
{
    if (!rows->status)
        rows->status = text_reader_next(&rows->reader, begin, end, rows->error);
    return !rows->status && *begin;
}

enum status csv_rows_open(const char *path, const char *const *columns, csv_lead *lead,
                          void *context, struct csv_rows *rows, struct error *error)
{
    const char *begin, *end;
    bool more;
    *rows = (struct csv_rows){.path = path, .columns = columns, .error = error};
    rows->status = text_source_open(path, WINDOW, &rows->source, error);
    if (rows->status)
        return rows->status;
    rows->reader = text_reader_start(rows->source);
    while ((more = read_line(rows, &begin, &end)) && lead && begin < end && *begin == '#')
        rows->status = lead(context, begin, end, rows->reader.line, error);
    if (!more)
        return csv_rows_fault(rows, "the file ends before a header line");
    rows->fields = csv_split(begin, end, rows->values);
    if (rows->fields > CSV_FIELDS_MAX)
        return csv_rows_fault(rows, "%d columns are too many, the limit is %d", rows->fields,
                              CSV_FIELDS_MAX);
    for (int c = 0; columns[c]; c++) {
        if (c == CSV_COLUMNS_MAX)
            return csv_rows_fault(rows, "%d columns at most can be looked for", CSV_COLUMNS_MAX);
        find_column(rows, c);
    }
    return rows->status;
}

void csv_rows_close(struct csv_rows *rows)
{
    text_source_close(rows->source);
    *rows = (struct csv_rows){0};
}

bool csv_rows_next(struct csv_rows *rows)
{
    const char *begin, *end;
    if (!read_line(rows, &begin, &end))
        return false;
    int count = csv_split(begin, end, rows->values);
    if (count != rows->fields)
        csv_rows_fault(rows, "the row has %d field%s instead of %d", count, text_plural(count),
                       rows->fields);
    return !rows->status;
}

const struct csv_field *csv_rows_field(const struct csv_rows *rows, int column)
{
    return rows->place[column] >= 0 ? &rows->values[rows->place[column]] : NULL;
}

bool csv_rows_tells(const struct csv_rows *rows, int column)
{
    const struct csv_field *field = csv_rows_field(rows, column);
    return field && field->begin != field->end;
}

static void wrong(struct csv_rows *rows, int column, const char *wanted)
{
    const struct csv_field *field = csv_rows_field(rows, column);
    char quoted[TEXT_QUOTED];
    csv_rows_fault(rows, "the %s %s is not %s", column_name(rows, column),
                   text_quote(field->begin, field->end, quoted), wanted);
}

int64_t csv_rows_whole(struct csv_rows *rows, int column)
{
    const struct csv_field *field = csv_rows_field(rows, column);
    int64_t value = 0;
    if (integer_read(field->begin, field->end, &value) == INTEGER_OK && value >= 0)
        return value;
    wrong(rows, column, "a whole number from 0 on");
    return 0;
}

/* Of a decimal number that is not negative; or NaN. */
static double read_number(const struct csv_field *field)
{
    double value;
    const char *end = NULL;
    return number_read(field->begin, field->end, &value, &end) == NUMBER_OK && end == field->end &&
                   value >= 0
               ? value
               : NAN;
}

double csv_rows_number(struct csv_rows *rows, int column)
{
    const struct csv_field *field = csv_rows_field(rows, column);
    double value = csv_is_text(field, "inf") ? INFINITY : read_number(field);
    if (isnan(value) && !csv_is_text(field, "nan"))
        wrong(rows, column, "a number from 0 on, inf or nan");
    return value;
}

double csv_rows_finite(struct csv_rows *rows, int column)
{
    double value = read_number(csv_rows_field(rows, column));
    if (isnan(value))
        wrong(rows, column, "a number from 0 on");
    return value;
}

double csv_rows_norm(struct csv_rows *rows, int column)
{
    double value;
    if (!csv_norm(csv_rows_field(rows, column), &value))
        wrong(rows, column, "a number like 0x1.8p+3, from 0 on, or inf or nan");
    return value;
}

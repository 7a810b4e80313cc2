#include "io/csv.h"

#include "base/number.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int csv_split(const char *begin, const char *end, struct csv_field fields[CSV_FIELDS_MAX])
{
    for (int count = 0;; count++) {
        const char *comma = memchr(begin, ',', (size_t)(end - begin));
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
    *at = from + 1; /* after the end: there is no next one */
    return from == end || *from == ',';
}

/* strtod takes more than %a writes; the characters are looked at first. */
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

static bool may_be_missing(const struct csv_rows *rows, int column)
{
    return *rows->columns[column] == '?';
}

static const char *column_name(const struct csv_rows *rows, int column)
{
    return rows->columns[column] + may_be_missing(rows, column);
}

static enum status find_column(struct csv_rows *rows, int column, struct error *error)
{
    rows->place[column] = -1;
    for (int f = 0; f < rows->fields; f++) {
        if (!csv_is_text(&rows->values[f], column_name(rows, column)))
            continue;
        if (rows->place[column] >= 0)
            return csv_rows_fault(rows, error, "the header names the column '%s' twice",
                                  column_name(rows, column));
        rows->place[column] = f;
    }
    return rows->place[column] >= 0 || may_be_missing(rows, column)
               ? STATUS_OK
               : csv_rows_fault(rows, error,
                                "a header line is wanted, and this line has no column '%s'",
                                column_name(rows, column));
}

/* The first line that does not begin with #. */
static enum status read_lead(struct csv_rows *rows, csv_lead *lead, void *context,
                             const char **begin, const char **end, struct error *error)
{
    for (;;) {
        enum status status = text_reader_next(&rows->reader, begin, end, error);
        if (!status && !*begin)
            return csv_rows_fault(rows, error, "the file ends before a header line");
        if (status || !lead || *begin == *end || **begin != '#')
            return status;
        status = lead(context, *begin, *end, rows->reader.line, error);
        if (status)
            return status;
    }
}

static enum status read_header(struct csv_rows *rows, const char *begin, const char *end,
                               struct error *error)
{
    rows->fields = csv_split(begin, end, rows->values);
    if (rows->fields > CSV_FIELDS_MAX)
        return csv_rows_fault(rows, error, "%d columns are too many, the limit is %d", rows->fields,
                              CSV_FIELDS_MAX);
    enum status status = STATUS_OK;
    for (int c = 0; rows->columns[c] && !status; c++)
        status = find_column(rows, c, error);
    return status;
}

enum status csv_rows_open(const char *path, const char *const *columns, csv_lead *lead,
                          void *context, struct csv_rows *rows, struct error *error)
{
    const char *begin, *end;
    *rows = (struct csv_rows){.path = path, .columns = columns};
    enum status status = text_source_open(path, WINDOW, &rows->source, error);
    if (status)
        return status;
    rows->reader = text_reader_start(rows->source);
    status = read_lead(rows, lead, context, &begin, &end, error);
    return status ? status : read_header(rows, begin, end, error);
}

void csv_rows_close(struct csv_rows *rows)
{
    text_source_close(rows->source);
    *rows = (struct csv_rows){0};
}

enum status csv_rows_next(struct csv_rows *rows, bool *more, struct error *error)
{
    const char *begin, *end;
    enum status status = text_reader_next(&rows->reader, &begin, &end, error);
    *more = !status && begin;
    if (!*more)
        return status;
    int count = csv_split(begin, end, rows->values);
    if (count == rows->fields)
        return STATUS_OK;
    return csv_rows_fault(rows, error, "the row has %d field%s instead of %d", count,
                          text_plural(count), rows->fields);
}

const struct csv_field *csv_rows_field(const struct csv_rows *rows, int column)
{
    return rows->place[column] >= 0 ? &rows->values[rows->place[column]] : NULL;
}

/* The field is not what it should be. */
static enum status wrong(const struct csv_rows *rows, int column, const char *wanted,
                         struct error *error)
{
    const struct csv_field *field = csv_rows_field(rows, column);
    char quoted[TEXT_QUOTED];
    return csv_rows_fault(rows, error, "the %s %s is not %s", column_name(rows, column),
                          text_quote(field->begin, field->end, quoted), wanted);
}

enum status csv_rows_whole(const struct csv_rows *rows, int column, int64_t *value,
                           struct error *error)
{
    const struct csv_field *field = csv_rows_field(rows, column);
    return integer_read(field->begin, field->end, value) == INTEGER_OK && *value >= 0
               ? STATUS_OK
               : wrong(rows, column, "a whole number from 0 on", error);
}

enum status csv_rows_number(const struct csv_rows *rows, int column, double *value,
                            struct error *error)
{
    const struct csv_field *field = csv_rows_field(rows, column);
    bool is_nan = csv_is_text(field, "nan");
    const char *end = NULL;
    *value = is_nan ? NAN : INFINITY;
    if (is_nan || csv_is_text(field, "inf"))
        return STATUS_OK;
    return number_read(field->begin, field->end, value, &end) == NUMBER_OK && end == field->end &&
                   *value >= 0
               ? STATUS_OK
               : wrong(rows, column, "a number from 0 on, inf or nan", error);
}

enum status csv_rows_norm(const struct csv_rows *rows, int column, double *value,
                          struct error *error)
{
    return csv_norm(csv_rows_field(rows, column), value)
               ? STATUS_OK
               : wrong(rows, column, "a number like 0x1.8p+3, from 0 on, or inf or nan", error);
}

#include "report/csv_rows.h"

#include "io/matrix_market_line.h"
#include "io/number.h"
#include "report/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum status csv_rows_fault(const struct csv_rows *rows, struct error *error, const char *format,
                           ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return error_set(error, STATUS_INPUT, "%s:%" PRId64 ": %s", rows->path, rows->line, text);
}

/* The next line without its end. */
static enum status next_line(struct csv_rows *rows, bool *there, const char **end,
                             struct error *error)
{
    errno = 0;
    ssize_t length = getline(&rows->text, &rows->capacity, rows->stream);
    *there = length >= 0;
    rows->line++;
    if (length < 0 && errno == ENOMEM)
        return error_set(error, STATUS_MEMORY, "out of memory: a line of %s", rows->path);
    if (length < 0 && ferror(rows->stream))
        return csv_rows_fault(rows, error, "cannot read: %s", strerror(errno));
    if (length > 0 && rows->text[length - 1] == '\n')
        length--;
    *end = rows->text + (length > 0 ? length : 0);
    return STATUS_OK;
}

static enum status find_column(struct csv_rows *rows, int column, struct error *error)
{
    rows->place[column] = -1;
    for (int f = 0; f < rows->fields; f++) {
        if (!csv_is_text(&rows->values[f], rows->columns[column]))
            continue;
        if (rows->place[column] >= 0)
            return csv_rows_fault(rows, error, "the header names the column '%s' twice",
                                  rows->columns[column]);
        rows->place[column] = f;
    }
    return rows->place[column] >= 0 ? STATUS_OK
                                    : csv_rows_fault(rows, error, "the header has no column '%s'",
                                                     rows->columns[column]);
}

static enum status read_header(struct csv_rows *rows, struct error *error)
{
    bool there = false;
    const char *end = NULL;
    enum status status = next_line(rows, &there, &end, error);
    if (!status && !there)
        return csv_rows_fault(rows, error, "the file is empty");
    if (status)
        return status;
    rows->fields = csv_split(rows->text, end, rows->values);
    if (rows->fields > CSV_FIELDS_MAX)
        return csv_rows_fault(rows, error, "%d columns are too many, the limit is %d", rows->fields,
                              CSV_FIELDS_MAX);
    for (int c = 0; rows->columns[c] && !status; c++)
        status = find_column(rows, c, error);
    return status;
}

enum status csv_rows_open(const char *path, const char *const *columns, struct csv_rows *rows,
                          struct error *error)
{
    *rows = (struct csv_rows){.path = path, .columns = columns, .stream = fopen(path, "rb")};
    if (!rows->stream)
        return error_set(error, STATUS_INPUT, "%s: cannot read: %s", path, strerror(errno));
    enum status status = read_header(rows, error);
    if (status)
        csv_rows_close(rows);
    return status;
}

void csv_rows_close(struct csv_rows *rows)
{
    if (rows->stream)
        fclose(rows->stream);
    free(rows->text);
    *rows = (struct csv_rows){0};
}

enum status csv_rows_next(struct csv_rows *rows, bool *there, struct error *error)
{
    const char *end = NULL;
    enum status status = next_line(rows, there, &end, error);
    if (status || !*there)
        return status;
    int count = csv_split(rows->text, end, rows->values);
    if (count == rows->fields)
        return STATUS_OK;
    return csv_rows_fault(rows, error, "the row has %d field%s instead of %d", count,
                          count == 1 ? "" : "s", rows->fields);
}

const struct csv_field *csv_rows_field(const struct csv_rows *rows, int column)
{
    return &rows->values[rows->place[column]];
}

enum status csv_rows_whole(const struct csv_rows *rows, int column, int64_t *value,
                           struct error *error)
{
    const struct csv_field *field = csv_rows_field(rows, column);
    char quoted[QUOTED];
    if (whole_read(field->begin, field->end, value) == WHOLE_OK && *value >= 0)
        return STATUS_OK;
    return csv_rows_fault(rows, error, "the %s %s is not a whole number from 0 on",
                          rows->columns[column], market_quote(field->begin, field->end, quoted));
}

enum status csv_rows_number(const struct csv_rows *rows, int column, double *value,
                            struct error *error)
{
    const struct csv_field *field = csv_rows_field(rows, column);
    bool is_nan = csv_is_text(field, "nan");
    char quoted[QUOTED];
    const char *end = NULL;
    *value = is_nan ? NAN : INFINITY;
    if (is_nan || csv_is_text(field, "inf"))
        return STATUS_OK;
    if (number_read(field->begin, field->end, value, &end) == NUMBER_OK && end == field->end &&
        *value >= 0)
        return STATUS_OK;
    return csv_rows_fault(rows, error, "the %s %s is not a number from 0 on, inf or nan",
                          rows->columns[column], market_quote(field->begin, field->end, quoted));
}

const char *csv_rows_label(const struct csv_rows *rows, int column, char *label, size_t size)
{
    const struct csv_field *field = csv_rows_field(rows, column);
    snprintf(label, size, "%.*s", (int)(field->end - field->begin), field->begin);
    text_clean(label);
    return label;
}

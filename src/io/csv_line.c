#include "io/csv_line.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The comma behind the field that begins there, or NULL. */
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
    *at = from + 1; /* behind the end: there is no next one */
    return from == end || *from == ',';
}

const char *csv_number(char text[CSV_NUMBER], const char *format, double value)
{
    snprintf(text, CSV_NUMBER, isnan(value) ? "nan" : format, value);
    return text;
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

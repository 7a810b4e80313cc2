#include "io/market/entry_list.h"

#include "base/number.h"
#include "base/text.h"

#include <stdbool.h>
#include <string.h>

int market_entry_bytes(const struct market_header *header)
{
    if (header->array)
        return 2; /* "1\n" */
    return header->field == FIELD_PATTERN ? 4 : 6;
}

static inline int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && is_blank(*p))
        p++;
    return p;
}

static inline const char *skip_digits(const char *p, const char *end)
{
    while (p < end && (unsigned char)(*p - '0') <= 9)
        p++;
    return p;
}

static const char *line_end(const char *p, const char *end)
{
    while (p < end && *p != '\n' && *p != '\r')
        p++;
    return p;
}

/* --- fields: each gives back where it ends, or NULL ------------------------------------------- */

/* index = the number at p less 1, when it lies within 1 to limit. */
static inline const char *read_index(const char *p, const char *end, int64_t limit, int32_t *index)
{
    const char *first = p;
    uint64_t value = 0;
    for (unsigned char digit; p < end && (digit = (unsigned char)(*p - '0')) <= 9; p++)
        value = 10 * value + digit;
    if (p - first > 18) { /* value may have wrapped; or there are leading zeros */
        int64_t integer = 0;
        if (integer_read(first, p, &integer))
            return NULL;
        value = (uint64_t)integer;
    }
    *index = (int32_t)(value - 1);
    return value - 1 < (uint64_t)limit ? p : NULL;
}

static const char *read_whole_value(const char *p, const char *end, double *value)
{
    const char *digits = p + (p < end && (*p == '-' || *p == '+'));
    const char *after = skip_digits(digits, end);
    if (after == digits)
        return NULL;
    if (after - digits > 18) {
        if (number_read(p, after, value, &after))
            return NULL;
        *value += 0.0; /* "-000...0" is the whole number 0, which has no sign */
        return after;
    }
    int64_t integer = 0;
    for (const char *d = digits; d < after; d++)
        integer = 10 * integer + (*d - '0');
    *value = (double)(*p == '-' ? -integer : integer);
    return after;
}

static inline const char *read_value(const char *p, const char *end, enum market_field field,
                                     double *value)
{
    if (field == FIELD_REAL)
        return number_read_fortran(p, end, value, &p) ? NULL : p;
    return read_whole_value(p, end, value);
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Skip blank lines and comments. Gives back the first field of the next other line, or end; *bad =
 * a comment with a NUL byte. */
static inline const char *next_entry(const char *p, const char *end, const char **bad)
{
    while ((p = skip_blanks(p, end)) < end) {
        if (*p == '%') {
            const char *after = line_end(p, end);
            if (memchr(p, '\0', (size_t)(after - p))) {
                *bad = p;
                return end;
            }
            p = after;
        } else if (*p == '\n' || *p == '\r') {
            p++;
        } else {
            break;
        }
    }
    return p;
}

/* After an entry's last field only blanks may follow. */
static inline int ends_line(const char *p, const char *end)
{
    p = skip_blanks(p, end);
    return p == end || *p == '\n' || *p == '\r';
}

static void parse_coordinates(struct entry_chunk *chunk, const struct market_header *header)
{
    const char *p = chunk->begin, *end = chunk->end;
    int pattern = header->field == FIELD_PATTERN, skew = header->symmetry == SYMMETRY_SKEW;
    int64_t count = 0, below = 0;
    while ((p = next_entry(p, end, &chunk->fault)) < end) {
        const char *line = p;
        int32_t i, j;
        double value = 1;
        p = read_index(p, end, header->rows, &i);
        if (p && p < end && is_blank(*p))
            p = read_index(skip_blanks(p, end), end, header->columns, &j);
        else
            p = NULL;
        if (p && !pattern)
            p = p < end && is_blank(*p)
                    ? read_value(skip_blanks(p, end), end, header->field, &value)
                    : NULL;
        if (!p || !ends_line(p, end) || (skew && i == j && value != 0)) {
            chunk->fault = line;
            break;
        }
        chunk->entries[count++] = (struct market_entry){i, j, value};
        below += i > j;
    }
    chunk->count = count;
    chunk->below = below;
}

static void parse_array(struct entry_chunk *chunk, const struct market_header *header)
{
    const char *p = chunk->begin, *end = chunk->end;
    int64_t count = 0;
    while ((p = next_entry(p, end, &chunk->fault)) < end) {
        const char *line = p;
        double value;
        p = read_value(p, end, header->field, &value);
        if (!p || !ends_line(p, end)) {
            chunk->fault = line;
            break;
        }
        chunk->entries[count++].value = value;
    }
    chunk->count = count;
    chunk->below = 0;
}

void entry_chunk_parse(struct entry_chunk *chunk, const struct market_header *header)
{
    chunk->fault = NULL;
    if (header->array)
        parse_array(chunk, header);
    else
        parse_coordinates(chunk, header);
}

const char *entry_chunk_line(const struct entry_chunk *chunk, int64_t k)
{
    const char *bad = NULL;
    const char *p = next_entry(chunk->begin, chunk->end, &bad);
    for (; k > 0; k--)
        p = next_entry(line_end(p, chunk->end), chunk->end, &bad);
    return p;
}

/* --- messages --------------------------------------------------------------------------------- */

static int describe_index(const struct market_line *line, int field, const char *name,
                          int64_t limit, struct error *what)
{
    const char *begin = line->fields[field].begin, *end = line->fields[field].end;
    char quoted[TEXT_QUOTED];
    int64_t value = 0;
    enum integer_fault fault = integer_read(begin, end, &value);
    if (fault == INTEGER_MALFORMED)
        error_set(what, STATUS_INPUT, "the %s %s is not a whole number", name,
                  text_quote(begin, end, quoted));
    else if (fault == INTEGER_TOO_LARGE || value < 1 || value > limit)
        error_set(what, STATUS_INPUT, "the %s %s lies outside 1 to %lld", name,
                  text_quote(begin, end, quoted), (long long)limit);
    else
        return 0;
    return 1;
}

static const char *describe_real(const char *begin, const char *end)
{
    double value;
    const char *after;
    enum number_fault fault = number_read_fortran(begin, end, &value, &after);
    const char *letters = begin + (*begin == '-' || *begin == '+');
    if (fault == NUMBER_OVERFLOW)
        return "is beyond the range of double";
    if (fault == NUMBER_UNDERFLOW)
        return "is too small for a double, which would be 0";
    if (fault == NUMBER_OK && after == end)
        return NULL;
    if (fault == NUMBER_OK && end - begin > NUMBER_FORTRAN_MOST && memchr("DdQq", *after, 4))
        return "has a Fortran exponent, and more than 100 characters";
    if (end - letters >= 3 && (memcmp(letters, "nan", 3) == 0 || memcmp(letters, "NaN", 3) == 0 ||
                               memcmp(letters, "NAN", 3) == 0 || memcmp(letters, "inf", 3) == 0 ||
                               memcmp(letters, "Inf", 3) == 0 || memcmp(letters, "INF", 3) == 0))
        return "is not finite";
    return "is not a number";
}

static int describe_value(const struct market_line *line, int field,
                          const struct market_header *header, struct error *what)
{
    const char *begin = line->fields[field].begin, *end = line->fields[field].end;
    char quoted[TEXT_QUOTED];
    const char *fault = describe_real(begin, end);
    if (!fault && header->field == FIELD_INTEGER &&
        skip_digits(begin + (*begin == '-' || *begin == '+'), end) < end)
        fault = "is not a whole number, though the banner says integer";
    if (fault)
        error_set(what, STATUS_INPUT, "the value %s %s", text_quote(begin, end, quoted), fault);
    return fault != NULL;
}

void market_describe_fault(const char *begin, const char *end, const struct market_header *header,
                           struct error *what)
{
    int pattern = header->field == FIELD_PATTERN;
    int wanted = header->array ? 1 : pattern ? 2 : 3;
    struct market_line line = market_line_split(begin, end);
    if (memchr(begin, '\0', (size_t)(end - begin)))
        error_set(what, STATUS_INPUT, "a NUL byte: this is no text file");
    else if (line.count != wanted)
        error_set(what, STATUS_INPUT, "%d field%s instead of %d (%s)%s", line.count,
                  text_plural(line.count), wanted,
                  header->array ? "value"
                  : pattern     ? "row, column"
                                : "row, column, value",
                  pattern && line.count == 3 ? ": the banner says pattern, so an entry has no value"
                                             : "");
    else if (!header->array && (describe_index(&line, 0, "row", header->rows, what) ||
                                describe_index(&line, 1, "column", header->columns, what)))
        return;
    else if (!pattern && describe_value(&line, wanted - 1, header, what))
        return;
    else
        error_set(what, STATUS_INPUT, "a diagonal entry of a skew-symmetric matrix must be 0");
}

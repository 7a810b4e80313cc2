#include "io/market/line.h"

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

struct market_line market_line_split(const char *begin, const char *end)
{
    struct market_line line = {0};
    for (const char *p = begin;; line.count++) {
        while (p < end && is_blank(*p))
            p++;
        if (p == end)
            return line;
        const char *first = p;
        while (p < end && !is_blank(*p))
            p++;
        if (line.count < LINE_FIELDS) {
            line.fields[line.count].begin = first;
            line.fields[line.count].end = p;
        }
    }
}

int market_line_is_idle(const char *begin, const char *end)
{
    while (begin < end && is_blank(*begin))
        begin++;
    return begin == end || *begin == '%';
}

enum whole_fault whole_read(const char *begin, const char *end, int64_t *value)
{
    int negative = begin < end && *begin == '-';
    const char *p = begin + negative;
    int64_t parsed = 0;
    enum whole_fault fault = p < end ? WHOLE_OK : WHOLE_MALFORMED;
    for (; p < end; p++) {
        int digit = *p - '0';
        if (digit < 0 || digit > 9)
            return WHOLE_MALFORMED;
        if (parsed > (INT64_MAX - digit) / 10)
            fault = WHOLE_TOO_LARGE;
        else
            parsed = 10 * parsed + digit;
    }
    if (fault == WHOLE_OK)
        *value = negative ? -parsed : parsed;
    return fault;
}

const char *market_quote(const char *begin, const char *end, char quoted[QUOTED])
{
    int length = 0, room = QUOTED - 6; /* two marks, an ellipsis, the end */
    quoted[length++] = '"';
    for (; begin < end && length <= room; begin++)
        quoted[length++] = *begin >= ' ' && *begin <= '~' ? *begin : '?';
    for (int dot = 0; begin < end && dot < 3; dot++)
        quoted[length++] = '.';
    quoted[length++] = '"';
    quoted[length] = '\0';
    return quoted;
}

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

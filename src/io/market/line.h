/* One line of a Matrix Market file, taken apart without hurry: for the header and for messages. */
#ifndef IO_MARKET_LINE_H
#define IO_MARKET_LINE_H

#include <stdint.h>

enum { LINE_FIELDS = 6, QUOTED = 48 };

struct market_line {
    int count; /* fields in the line; only the first LINE_FIELDS are in the array */
    struct {
        const char *begin, *end;
    } fields[LINE_FIELDS];
};

/* The fields between blanks and tabs. */
struct market_line market_line_split(const char *begin, const char *end);

/* True for a line to pass over: nothing but blanks and tabs, or a comment. */
int market_line_is_idle(const char *begin, const char *end);

enum whole_fault {
    WHOLE_OK = 0,
    WHOLE_MALFORMED, /* not digits alone */
    WHOLE_TOO_LARGE, /* beyond int64_t */
};

/* value = the digits in [begin, end), any count of leading zeros. A minus before the digits gives
 * the negative number. */
enum whole_fault whole_read(const char *begin, const char *end, int64_t *value);

/* The text in quotation marks, fit for a message: cut when it is long, '?' for what cannot be
 * printed. Gives back `quoted`. */
const char *market_quote(const char *begin, const char *end, char quoted[QUOTED]);

#endif

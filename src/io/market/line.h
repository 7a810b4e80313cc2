/* One line of a Matrix Market file, taken apart without hurry: for the header and for messages. */
#ifndef IO_MARKET_LINE_H
#define IO_MARKET_LINE_H

enum { LINE_FIELDS = 6 };

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

#endif

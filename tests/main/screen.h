/* What a terminal makes of the bytes that are written to it. */
#ifndef TESTS_MAIN_SCREEN_H
#define TESTS_MAIN_SCREEN_H

#include <stddef.h>

enum { SCREEN_LINES = 400, SCREEN_COLUMNS = 400 };

/* From the first line ever written to the last one, as if it were that high. A zeroed one is
 * empty. */
struct screen {
    int columns;
    int line, column; /* where the next character stands */
    int wrapped;      /* how often a line was longer than the screen is wide */
    int rewritten;    /* how often a line was begun again */
    char lines[SCREEN_LINES][SCREEN_COLUMNS + 1];
};

/* Characters, \r, \n, and the escape sequences \033[K and of colours; anything else fails the test.
 * A character of UTF-8 takes one column, and stands as '?' where it is not ASCII. */
void screen_write(struct screen *screen, const char *bytes, size_t length);

/* All lines as one text in which blanks and ends of lines stand as one blank, so that what was
 * wrapped at words can be found; in static storage. */
const char *screen_words(const struct screen *screen);

#endif

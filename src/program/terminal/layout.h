/* The width of a terminal, the width of a text on it, and lines that wrap at words. Without a
 * terminal and without COLUMNS lines are not wrapped. */
#ifndef PROGRAM_TERMINAL_LAYOUT_H
#define PROGRAM_TERMINAL_LAYOUT_H

#include <stdbool.h>
#include <stdio.h>

/* The columns of the terminal that the stream writes to, now. A terminal that does not say has
 * COLUMNS of the environment, or 80. A stream that is no terminal has COLUMNS, or 0. */
int layout_columns(FILE *stream);

/* The same, with 80 in place of 0: how wide a table may be. */
int layout_room(FILE *stream);

/* Whether it is a terminal that obeys escape sequences: any but one with TERM=dumb. */
bool layout_obeys(FILE *stream);

/* Whether it is a pipe: its reader may write to the terminal of the standard error, between parts
 * of a line that is written there. */
bool layout_is_pipe(FILE *stream);

/* Whether it also is to have colours: not with NO_COLOR (https://no-color.org). */
bool layout_has_colours(FILE *stream);

extern const char layout_red[], layout_plain[]; /* the escape sequences */

/* How many columns a text of UTF-8 takes: two for a wide character, none for an escape sequence of
 * a colour. */
int layout_width(const char *text);

/* The larger one of `columns` and what the text takes. */
int layout_wider(int columns, const char *text);

/* The bytes of the text's complete characters that fit into `columns` columns. */
int layout_fitting(const char *text, int columns);

/* Print lines, each wrapped at words into `columns` columns; 0: not wrapped. Continued lines begin
 * below the word after the last gap of two blanks or more in the first half of the columns (`solver
 * cg, ...`: below "cg"), or at an indent of 4. A longer word, such as a path, is not cut. */
void layout_wrap(FILE *stream, int columns, const char *lines);

/* Lines that are written piece by piece: what is written to the stream that layout_begin gives back
 * is printed by layout_end, wrapped. On a stream without columns, or without memory, it is the
 * stream itself. */
struct layout {
    FILE *stream, *pieces;
    char *text;
    size_t size;
};
FILE *layout_begin(struct layout *layout, FILE *stream);
void layout_end(struct layout *layout);

/* The same for lines that are made by one format. */
void layout_print(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

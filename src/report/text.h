/* Texts of the user on their way into a page or a script: labels, paths, settings. Whatever stands in them, it
 * comes out as text. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include <stdio.h>

/* Make the text one that can be shown, in place: UTF-8 without control characters, but for tabs and ends of
 * lines. What is neither stands as '?', as in summary.json (io/summary_json.c). */
void text_clean(char *text);

/* Its first characters, at most `most` of them, with an ellipsis where some are left out. text is UTF-8. Gives
 * back `shown`, which has room for 4 bytes a character. */
const char *text_short(const char *text, int most, char *shown, size_t size);

/* As character data of HTML, or as the value of an attribute in double quotes. */
void html_text(FILE *page, const char *text);

/* As a text of gnuplot, in single quotes: nothing in it is a command, a macro or an escape sequence. */
void gnuplot_text(FILE *script, const char *text);

/* "1.23 MB" */
const char *text_bytes(char text[16], double bytes);

#endif

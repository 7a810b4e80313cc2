/* Texts and numbers on their way into a page, beside html_text. */
#ifndef PROGRAM_REPORT_TEXT_H
#define PROGRAM_REPORT_TEXT_H

#include "base/text.h"

#include <stdio.h>

/* The characters of a text in UTF-8. */
int text_characters(const char *text);

/* Its first characters, at most `most` of them, with an ellipsis where some are left out. text is
 * UTF-8. Gives back `shown`, which has room for 4 bytes a character. */
const char *text_short(const char *text, int most, char *shown, size_t size);

/* HTML by a format of printf, which has %s: a text, as html_text writes it; %d; %ld: an int64_t;
 * %.10g; and %.3e: a number of 4 digits, 0.02134, 1570 or, where that is long,
 * 1.712·10<sup>−6</sup>; 0, "nan" and "inf" as they are. */
void html_print(FILE *page, const char *format, ...)
#ifdef __linux__ /* where int64_t is a long */
    __attribute__((format(printf, 2, 3)))
#endif
    ;

#endif

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

/* Of so many digits: 0.0213, 1570 or, where that is long, 1.71·10<sup>−6</sup>; 0, "nan" and "inf"
 * as they are. */
void html_number(FILE *page, double value, int digits);

#endif

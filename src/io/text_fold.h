/* Text for a terminal of 80 columns. */
#ifndef IO_TEXT_FOLD_H
#define IO_TEXT_FOLD_H

#include <stdio.h>

/* Print the text folded at its spaces into lines of at most 80 columns. The first line goes on at
 * `column`, where something stands already; the others begin behind `indent` spaces. The last one
 * is ended. */
void text_fold(const char *text, int column, int indent, FILE *file);

#endif

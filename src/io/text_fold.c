#include "io/text_fold.h"

#include <stdbool.h>
#include <string.h>

enum { WIDTH = 80 };

void text_fold(const char *text, int column, int indent, FILE *file)
{
    bool begins = true; /* a line, or the part of one */
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (!begins && column + 1 + length > WIDTH) {
            fprintf(file, "\n%*s", indent, "");
            column = indent;
            begins = true;
        }
        column += fprintf(file, "%s%.*s", begins ? "" : " ", length, text);
        begins = false;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', file);
}

#include "program/terminal/layout.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COLUMNS_USUAL = 80, INDENT = 4 };

const char layout_red[] = "\033[31m", layout_plain[] = "\033[0m";

static bool is_terminal(FILE *stream)
{
    return isatty(fileno(stream));
}

int layout_columns(FILE *stream)
{
    struct winsize size;
    bool terminal = is_terminal(stream);
    if (fileno(stream) < 0) /* pieces in memory, which are wrapped later */
        return 0;
    if (terminal && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    const char *told = getenv("COLUMNS");
    long columns = told ? strtol(told, NULL, 10) : 0;
    return columns > 0 && columns <= UINT16_MAX ? (int)columns : terminal ? COLUMNS_USUAL : 0;
}

int layout_room(FILE *stream)
{
    int columns = layout_columns(stream);
    return columns > 0 ? columns : COLUMNS_USUAL;
}

bool layout_obeys(FILE *stream)
{
    const char *term = getenv("TERM");
    return is_terminal(stream) && !(term && strcmp(term, "dumb") == 0);
}

bool layout_is_pipe(FILE *stream)
{
    struct stat info;
    return fstat(fileno(stream), &info) == 0 && S_ISFIFO(info.st_mode);
}

bool layout_has_colours(FILE *stream)
{
    const char *none = getenv("NO_COLOR");
    return layout_obeys(stream) && !(none && *none);
}

/* ---- how wide -------------------------------------------------------------------------------- */

/* Of a character of so many bytes: the blocks that Unicode's East Asian Width calls wide (Annex
 * 11), emoji among them. */
static int character_width(const char *text, int bytes)
{
    static const uint32_t wide[][2] = {{0x1100, 0x115f}, {0x2e80, 0xa4cf},  {0xac00, 0xd7a3},
                                       {0xf900, 0xfaff}, {0xfe30, 0xfe6f},  {0xff00, 0xff60},
                                       {0xffe0, 0xffe6}, {0x1f300, 0x3fffd}};
    uint32_t code = (unsigned char)*text & (bytes > 1 ? 0xffu >> (bytes + 1) : 0xffu);
    for (int k = 1; k < bytes; k++)
        code = code << 6 | ((unsigned char)text[k] & 0x3f);
    for (size_t k = 0; k < sizeof wide / sizeof *wide; k++)
        if (code >= wide[k][0] && code <= wide[k][1])
            return 2;
    return 1;
}

/* The bytes of a character or of an escape sequence, and the columns that it takes. */
static int next(const char *text, int *width)
{
    bool odd;
    *width = 0;
    if (strncmp(text, "\033[", 2) == 0) {
        size_t inside = strspn(text + 2, "0123456789;");
        return 2 + (int)inside + (text[2 + inside] != '\0');
    }
    int bytes = text_character(text, &odd);
    *width = character_width(text, bytes);
    return bytes;
}

/* Of so many bytes at most. */
static int width_of(const char *text, size_t bytes)
{
    int columns = 0, width;
    for (const char *end = text + bytes; text < end; columns += width)
        text += next(text, &width);
    return columns;
}

int layout_width(const char *text)
{
    return width_of(text, strlen(text));
}

int layout_wider(int columns, const char *text)
{
    int width = layout_width(text);
    return width > columns ? width : columns;
}

int layout_fitting(const char *text, int columns)
{
    const char *at = text;
    for (int width, bytes; *at; at += bytes) {
        bytes = next(at, &width);
        columns -= width;
        if (columns < 0)
            break;
    }
    return (int)(at - text);
}

/* ---- wrapping -------------------------------------------------------------------------------- */

/* Where what follows a line begins. */
static int indent_of(const char *line, size_t length, int columns)
{
    int indent = INDENT < columns / 2 ? INDENT : 0, at = 0;
    for (size_t k = 0; k < length && at <= columns / 2;) {
        size_t blanks = strspn(line + k, " ");
        size_t word = strcspn(line + k + blanks, " \n");
        at += (int)blanks;
        if (blanks > 1 && at <= columns / 2)
            indent = at;
        at += width_of(line + k + blanks, word);
        k += blanks + word;
    }
    return indent;
}

static void wrap_line(FILE *stream, int columns, const char *line, size_t length)
{
    int indent = indent_of(line, length, columns), at = 0;
    bool begun = false; /* a word stands on this line */
    for (const char *end = line + length; line < end;) {
        int blanks = (int)strspn(line, " ");
        size_t word = strcspn(line + blanks, " \n");
        int width = width_of(line + blanks, word), before = blanks;
        if (at + blanks + width > columns) {
            int most = width < columns ? columns - width : 0;
            if (begun)
                fputc('\n', stream);
            before = begun ? indent : blanks;
            before = before < most ? before : most;
            at = 0;
        }
        fprintf(stream, "%*s%.*s", before, "", (int)word, line + blanks);
        at += before + width;
        line += (size_t)blanks + word;
        begun = true;
    }
}

void layout_wrap(FILE *stream, int columns, const char *lines)
{
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        if (columns > 0 && width_of(lines, length) > columns)
            wrap_line(stream, columns, lines, length);
        else
            fprintf(stream, "%.*s", (int)length, lines);
        lines += length;
        if (*lines == '\n')
            fputc(*lines++, stream);
    }
}

FILE *layout_begin(struct layout *layout, FILE *stream)
{
    *layout = (struct layout){.stream = stream};
    if (layout_columns(stream) > 0)
        layout->pieces = open_memstream(&layout->text, &layout->size);
    return layout->pieces ? layout->pieces : stream;
}

void layout_end(struct layout *layout)
{
    if (!layout->pieces)
        return;
    if (fclose(layout->pieces) == 0)
        layout_wrap(layout->stream, layout_columns(layout->stream), layout->text);
    free(layout->text);
}

void layout_print(FILE *stream, const char *format, ...)
{
    struct layout layout;
    va_list values;
    va_start(values, format);
    vfprintf(layout_begin(&layout, stream), format, values);
    va_end(values);
    layout_end(&layout);
}

#include "main/screen.h"

#include "support.h"

#include <string.h>

static void next_line(struct screen *screen)
{
    screen->line++;
    ck_assert_msg(screen->line < SCREEN_LINES, "a flood of lines; the last: %s",
                  screen->lines[screen->line - 1]);
}

static void put(struct screen *screen, char character)
{
    if (screen->column == screen->columns) {
        screen->wrapped++;
        screen->column = 0;
        next_line(screen);
    }
    char *line = screen->lines[screen->line];
    for (int k = (int)strlen(line); k < screen->column; k++)
        line[k] = ' ';
    line[screen->column++] = character;
}

/* How long the escape sequence is that begins behind ESC. */
static size_t escape(struct screen *screen, const char *bytes, size_t length)
{
    size_t inside = 1;
    while (inside < length && strchr("0123456789;", bytes[inside]))
        inside++;
    ck_assert_msg(length > inside && bytes[0] == '[' && strchr("Km", bytes[inside]),
                  "an escape sequence that is not known here: %.*s", (int)inside + 1, bytes);
    if (bytes[inside] == 'K') {
        ck_assert_uint_eq(inside, 1); /* to the end of the line */
        memset(screen->lines[screen->line] + screen->column, '\0',
               (size_t)(SCREEN_COLUMNS - screen->column));
    }
    return inside + 1;
}

void screen_write(struct screen *screen, const char *bytes, size_t length)
{
    for (size_t k = 0; k < length; k++) {
        unsigned char byte = (unsigned char)bytes[k];
        if (byte == '\033') {
            k += escape(screen, bytes + k + 1, length - k - 1);
        } else if (byte == '\r') {
            screen->rewritten += k + 1 < length && bytes[k + 1] != '\n';
            screen->column = 0;
        } else if (byte == '\n') {
            next_line(screen);
        } else if ((byte & 0xc0) != 0x80) {
            ck_assert_msg(byte >= ' ' && byte != 127, "a control character: %d", byte);
            put(screen, byte < 127 ? (char)byte : '?');
        }
    }
}

const char *screen_words(const struct screen *screen)
{
    static char text[SCREEN_LINES * (SCREEN_COLUMNS + 1)];
    size_t length = 0;
    for (int line = 0; line <= screen->line; line++)
        for (const char *at = screen->lines[line], *end = at + strlen(at); at <= end; at++)
            if (at < end && *at != ' ')
                text[length++] = *at;
            else if (length > 0 && text[length - 1] != ' ')
                text[length++] = ' ';
    text[length] = '\0';
    return text;
}

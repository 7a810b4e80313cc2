#include "base/text.h"

#include "base/status.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* The code point of a UTF-8 character of `bytes` bytes whose first byte has the bits `code`; 0 if
 * invalid: cut off, overlong, a surrogate, or above U+10FFFF (RFC 3629, section 3). */
static uint32_t code_of(const char *text, int bytes, uint32_t code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    for (int k = 1; k < bytes; k++) {
        if (((unsigned char)text[k] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | ((unsigned char)text[k] & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < least[bytes] || code > 0x10ffff || surrogate ? 0 : code;
}

/* Whether it changes the layout of its neighbours: an end of a line, or a Bidi_Control. */
static bool moves_others(uint32_t code)
{
    return code == 0x61c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

int text_character(const char *text, bool *odd)
{
    unsigned char first = (unsigned char)*text;
    *odd = first < ' ' || first == 127;
    if (first < 128)
        return 1;
    int bytes = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    uint32_t code = bytes > 1 && first < 0xf8 ? code_of(text, bytes, first & (0x7fu >> bytes)) : 0;
    *odd = code < 0xa0 || code == 0xfffe || code == 0xffff || moves_others(code);
    return code ? bytes : 1;
}

void text_clean(char *text, const char *kept)
{
    bool odd;
    for (int bytes; *text; text += bytes) {
        bytes = text_character(text, &odd);
        if (odd && !strchr(kept, *text))
            memset(text, '?', (size_t)bytes);
    }
}

bool text_is_clean(const char *text)
{
    bool odd = false;
    while (*text && !odd)
        text += text_character(text, &odd);
    return !odd;
}

const char *text_quote(const char *begin, const char *end, char quoted[TEXT_QUOTED])
{
    int length = 0, room = TEXT_QUOTED - 6; /* two marks, an ellipsis, the end */
    quoted[length++] = '"';
    for (; begin < end && length <= room; begin++)
        quoted[length++] = *begin >= ' ' && *begin <= '~' ? *begin : '?';
    for (int dot = 0; begin < end && dot < 3; dot++)
        quoted[length++] = '.';
    quoted[length++] = '"';
    quoted[length] = '\0';
    return quoted;
}

const char *text_bytes(char text[TEXT_BYTES], double bytes)
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB", "PB"};
    size_t unit = 0;
    for (; bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
        bytes /= 1000;
    snprintf(text, TEXT_BYTES, "%.3g %s", bytes, units[unit]);
    return text;
}

const char *text_plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

void html_text(FILE *stream, const char *text)
{
    bool odd;
    for (int bytes; *text; text += bytes) {
        bytes = text_character(text, &odd);
        switch (*text) {
        case '&':
            fputs("&amp;", stream);
            break;
        case '<':
            fputs("&lt;", stream);
            break;
        case '>':
            fputs("&gt;", stream);
            break;
        case '"':
            fputs("&quot;", stream);
            break;
        default:
            fprintf(stream, "%.*s", bytes, odd && !strchr("\n\t", *text) ? "????" : text);
        }
    }
}

const char *shown_text(const char *text, char *shown, int size)
{
    size_t length = strlen(text), room = (size_t)size - 1;
    memcpy(shown, text, length < room ? length : room);
    shown[length < room ? length : room] = '\0';
    if (length > room)
        memcpy(shown + room - 3, "...", 3);
    text_clean(shown, "");
    return shown;
}

enum status error_set(struct error *error, enum status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        text_clean(error->text, "");
    }
    return status;
}

enum status error_at(struct error *error, const char *path, int64_t line, const char *format, ...)
{
    char what[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return error_set(error, STATUS_INPUT, "%s:%" PRId64 ": %s", path, line, what);
}

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

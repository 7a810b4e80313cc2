#include "report/text.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

static bool is_control(unsigned char byte)
{
    return (byte < ' ' && byte != '\n' && byte != '\t') || byte == 127;
}

void text_clean(char *text)
{
    json_t *valid = json_string(text); /* NULL for what is not UTF-8 */
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (is_control(byte) || (byte > 127 && !valid))
            *text = '?';
    }
    json_decref(valid);
}

/* The first byte of a character: the others are 10xxxxxx. */
static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

const char *text_short(const char *text, int most, char *shown, size_t size)
{
    int characters = 0;
    size_t kept = 0, length = strlen(text);
    for (size_t k = 0; k < length; k++) {
        if (!begins_character(text[k]))
            continue;
        if (++characters == most)
            kept = k;
    }
    if (characters <= most)
        snprintf(shown, size, "%s", text);
    else
        snprintf(shown, size, "%.*s\xe2\x80\xa6", (int)kept, text);
    return shown;
}

void html_text(FILE *page, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", page);
            break;
        case '<':
            fputs("&lt;", page);
            break;
        case '>':
            fputs("&gt;", page);
            break;
        case '"':
            fputs("&quot;", page);
            break;
        default:
            fputc(is_control((unsigned char)*text) ? '?' : *text, page);
        }
    }
}

void gnuplot_text(FILE *script, const char *text)
{
    fputc('\'', script);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', script); /* doubled */
        bool odd = is_control((unsigned char)*text) || *text == '\n' || *text == '\t';
        fputc(odd ? '?' : *text, script);
    }
    fputc('\'', script);
}

const char *text_bytes(char text[16], double bytes)
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB", "PB"};
    size_t unit = 0;
    for (; bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
        bytes /= 1000;
    snprintf(text, 16, "%.3g %s", bytes, units[unit]);
    return text;
}

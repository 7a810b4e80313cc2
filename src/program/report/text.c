#include "program/report/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The first byte of a character: the others are 10xxxxxx. */
static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

int text_characters(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += begins_character(*text);
    return count;
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

static void write_number(FILE *page, double value, int decimals)
{
    char text[40];
    if (value == 0 || !isfinite(value)) {
        fprintf(page, "%g", value == 0 ? 0 : value);
        return;
    }
    snprintf(text, sizeof text, "%.*e", decimals, value);
    int power = atoi(strchr(text, 'e') + 1);
    if (power >= -3 && power < 6)
        fprintf(page, "%.*f", decimals > power ? decimals - power : 0, value);
    else {
        if (strncmp(text, "1e", 2) != 0)
            fprintf(page, "%.*s·", (int)strcspn(text, "e"), text);
        fprintf(page, "10<sup>%s%d</sup>", power < 0 ? "−" : "", abs(power));
    }
}

void html_print(FILE *page, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    while (*format) {
        int plain = (int)strcspn(format, "%"), precision = 6;
        fprintf(page, "%.*s", plain, format);
        format += plain;
        if (!*format)
            break;
        if (*++format == '.') {
            precision = atoi(++format);
            format += strspn(format, "0123456789");
        }
        bool is_long = *format == 'l';
        format += is_long;
        switch (*format++) {
        case 's':
            html_text(page, va_arg(values, const char *));
            break;
        case 'd':
            fprintf(page, "%" PRId64, is_long ? va_arg(values, int64_t) : va_arg(values, int));
            break;
        case 'g':
            fprintf(page, "%.*g", precision, va_arg(values, double));
            break;
        case 'e':
            write_number(page, va_arg(values, double), precision);
            break;
        default:
            fputc('%', page); /* %% */
        }
    }
    va_end(values);
}

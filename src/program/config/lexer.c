#include "program/config/lexer.h"

#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libconfig's parser recurses; no config needs more. */
enum { DEPTH_MAX = 32 };

struct bracket {
    char closing;
    int line;
};

/* The state of one pass. */
struct cutter {
    const struct source *source;
    const char *at, *end;
    int line;
    struct bracket open[DEPTH_MAX];
    int depth;
    struct words *words;
    struct error *error;
};

enum status source_fault(const struct source *source, int line, struct error *error,
                         const char *format, ...)
{
    char message[640], name[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    shown_text(source->place ? source->place : source->name, name, sizeof name);
    if (source->is_override && !source->place)
        return error_set(error, STATUS_CONFIG, "--set %s: %s", name, message);
    if (line > 0 && !source->is_override)
        return error_set(error, STATUS_CONFIG, "%s:%d: %s", name, line, message);
    return error_set(error, STATUS_CONFIG, "%s: %s", name, message);
}

/* Add a word that ends at cutter->at, and what libconfig shall read in its place. */
static enum status word_add(struct cutter *cutter, enum word_kind kind, const char *start,
                            const char *clean, int64_t clean_length)
{
    struct words *words = cutter->words;
    enum status status =
        memory_grow((void **)&words->words, &words->capacity, words->count + 1,
                    sizeof *words->words, "the words of the config", cutter->error);
    if (status == STATUS_OK)
        status = memory_grow((void **)&words->clean, &words->clean_capacity,
                             words->clean_length + clean_length + 2, 1, "the text of the config",
                             cutter->error);
    if (status != STATUS_OK)
        return status;
    words->words[words->count++] =
        (struct word){start, (int)(cutter->at - start), cutter->line, kind, -1};
    memcpy(words->clean + words->clean_length, clean, (size_t)clean_length);
    words->clean_length += clean_length;
    words->clean[words->clean_length++] = '\n';
    words->clean[words->clean_length] = '\0';
    return STATUS_OK;
}

static bool starts(const struct cutter *cutter, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(cutter->end - cutter->at) >= length && !memcmp(cutter->at, text, length);
}

/* Pass over white space and comments. */
static enum status skip_blanks(struct cutter *cutter)
{
    while (cutter->at < cutter->end) {
        if (strchr(" \t\r\f\v\n", *cutter->at) && *cutter->at) {
            cutter->line += *cutter->at++ == '\n';
        } else if (*cutter->at == '#' || starts(cutter, "//")) {
            cutter->words->has_comments = true;
            while (cutter->at < cutter->end && *cutter->at != '\n')
                cutter->at++;
        } else if (starts(cutter, "/*")) {
            int line = cutter->line;
            cutter->words->has_comments = true;
            for (cutter->at += 2; !starts(cutter, "*/"); cutter->at++) {
                if (cutter->at == cutter->end)
                    return source_fault(cutter->source, line, cutter->error,
                                        "the comment is never closed by */");
                cutter->line += *cutter->at == '\n';
            }
            cutter->at += 2;
        } else {
            break;
        }
    }
    return STATUS_OK;
}

/* A text in quotes, handed on as it is: libconfig turns the escapes into characters. */
static enum status cut_text(struct cutter *cutter)
{
    const char *start = cutter->at++;
    for (;; cutter->at++) {
        if (cutter->at == cutter->end || *cutter->at == '\n')
            return source_fault(cutter->source, cutter->line, cutter->error,
                                "the text has no closing quote on its line (\\n stands for a "
                                "newline)");
        if (*cutter->at == '"')
            break;
        if (*cutter->at == '\0')
            return source_fault(cutter->source, cutter->line, cutter->error,
                                "a zero byte in a string");
        if (*cutter->at != '\\')
            continue;
        char escape = ++cutter->at < cutter->end ? *cutter->at : '\0';
        if (escape == 'x' && cutter->end - cutter->at > 2 &&
            isxdigit((unsigned char)cutter->at[1]) && isxdigit((unsigned char)cutter->at[2])) {
            if (cutter->at[1] == '0' && cutter->at[2] == '0')
                return source_fault(cutter->source, cutter->line, cutter->error,
                                    "\\x00 would end the text");
        } else if (!escape || !strchr("nrtf\"\\", escape)) {
            return source_fault(
                cutter->source, cutter->line, cutter->error,
                "an unknown escape in a string: known are \\n \\r \\t \\f \\\" \\\\ "
                "\\xHH");
        }
    }
    cutter->at++;
    return word_add(cutter, WORD_TEXT, start, start, cutter->at - start);
}

enum number_form { FORM_NONE, FORM_DECIMAL, FORM_HEX, FORM_REAL };

/* Which kind of number text spells, all of it. */
static enum number_form number_form(const char *text)
{
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        size_t digits = strspn(text + 2, "0123456789abcdefABCDEF");
        const char *rest = text + 2 + digits;
        return digits && strspn(rest, "L") <= 2 && !rest[strspn(rest, "L")] ? FORM_HEX : FORM_NONE;
    }
    text += *text == '+' || *text == '-';
    size_t digits = strspn(text, "0123456789");
    text += digits;
    if (digits && strspn(text, "L") <= 2 && !text[strspn(text, "L")])
        return FORM_DECIMAL;
    if (*text == '.') {
        size_t decimals = strspn(text + 1, "0123456789");
        digits += decimals;
        text += 1 + decimals;
    }
    if (!digits)
        return FORM_NONE;
    if (*text == 'e' || *text == 'E') {
        text += 1 + (text[1] == '+' || text[1] == '-');
        digits = strspn(text, "0123456789");
        if (!digits)
            return FORM_NONE;
        text += digits;
    }
    return *text ? FORM_NONE : FORM_REAL;
}

/* True when a real that was read as 0 was not written as 0. */
static bool vanished(const char *text, double value)
{
    size_t mantissa = strcspn(text, "eE");
    return value == 0 && strcspn(text, "123456789") < mantissa;
}

/* A number: its value is taken here, and libconfig gets it in a form that it reads without fault in
 * every version. */
static enum status cut_number(struct cutter *cutter)
{
    const char *start = cutter->at++;
    while (cutter->at < cutter->end &&
           (isalnum((unsigned char)*cutter->at) || strchr("._", *cutter->at) ||
            (strchr("+-", *cutter->at) && strchr("eE", cutter->at[-1]))) &&
           *cutter->at)
        cutter->at++;
    char text[512];
    int64_t length = cutter->at - start;
    if (length >= (int64_t)sizeof text)
        return source_fault(cutter->source, cutter->line, cutter->error,
                            "a number of %" PRId64 " characters", length);
    memcpy(text, start, (size_t)length);
    text[length] = '\0';

    char clean[40], shown[48];
    bool out_of_range = false;
    errno = 0;
    switch (number_form(text)) {
    case FORM_REAL: {
        double value = strtod(text, NULL);
        out_of_range = isinf(value) || vanished(text, value);
        snprintf(clean, sizeof clean, "%.16e", out_of_range ? 0.0 : value);
        break;
    }
    case FORM_HEX: {
        unsigned long long value = strtoull(text, NULL, 16);
        out_of_range = errno == ERANGE || value > INT64_MAX;
        snprintf(clean, sizeof clean, "%lluL", out_of_range ? 0 : value);
        break;
    }
    case FORM_DECIMAL: {
        long long value = strtoll(text, NULL, 10);
        out_of_range = errno == ERANGE;
        snprintf(clean, sizeof clean, "%lldL", out_of_range ? 0 : value);
        break;
    }
    case FORM_NONE:
        return source_fault(cutter->source, cutter->line, cutter->error, "%s is not a number",
                            shown_text(text, shown, sizeof shown));
    }
    if (out_of_range && cutter->words->overflow < 0)
        cutter->words->overflow = cutter->words->count;
    return word_add(cutter, WORD_NUMBER, start, clean, (int64_t)strlen(clean));
}

enum status words_check_range(const struct words *words, const struct source *source,
                              struct error *error)
{
    if (words->overflow < 0)
        return STATUS_OK;
    const struct word *word = &words->words[words->overflow];
    int length = word->length < 60 ? word->length : 60;
    bool hex = word->length > 1 && (word->start[1] == 'x' || word->start[1] == 'X');
    bool real = false;
    for (int k = 0; k < word->length && !hex; k++)
        real |= strchr(".eE", word->start[k]) != NULL;
    return source_fault(source, word->line, error, "%.*s%s is out of the range of %s", length,
                        word->start, length < word->length ? "..." : "",
                        real ? "a double" : "64-bit whole numbers");
}

static enum status cut_bracket(struct cutter *cutter)
{
    char sign = *cutter->at++;
    if (strchr("([{", sign)) {
        if (cutter->depth == DEPTH_MAX)
            return source_fault(cutter->source, cutter->line, cutter->error,
                                "brackets are nested more than %d deep", DEPTH_MAX);
        cutter->open[cutter->depth++] = (struct bracket){sign == '('   ? ')'
                                                         : sign == '[' ? ']'
                                                                       : '}',
                                                         cutter->line};
    } else if (cutter->depth == 0) {
        return source_fault(cutter->source, cutter->line, cutter->error,
                            "'%c' closes a bracket that was never opened", sign);
    } else if (cutter->open[--cutter->depth].closing != sign) {
        return source_fault(cutter->source, cutter->line, cutter->error,
                            "'%c' where '%c' must close the bracket of line %d", sign,
                            cutter->open[cutter->depth].closing, cutter->open[cutter->depth].line);
    }
    return word_add(cutter, WORD_SIGN, cutter->at - 1,
                    sign == '['   ? "("
                    : sign == ']' ? ")"
                                  : cutter->at - 1,
                    1);
}

/* True when the number starts here: a digit, perhaps after a sign and a point. */
static bool at_number(const struct cutter *cutter)
{
    const char *at = cutter->at;
    at += at < cutter->end && (*at == '+' || *at == '-');
    at += at < cutter->end && *at == '.';
    return at < cutter->end && isdigit((unsigned char)*at);
}

static enum status cut_word(struct cutter *cutter)
{
    char first = *cutter->at;
    if (first == '"')
        return cut_text(cutter);
    if (at_number(cutter))
        return cut_number(cutter);
    if (first && strchr("()[]{}", first))
        return cut_bracket(cutter);
    const char *start = cutter->at++;
    if (first && strchr("=:;,", first))
        return word_add(cutter, WORD_SIGN, start, start, 1);
    if (isalpha((unsigned char)first) || first == '*') {
        while (cutter->at < cutter->end && *cutter->at &&
               (isalnum((unsigned char)*cutter->at) || strchr("-_*", *cutter->at)))
            cutter->at++;
        return word_add(cutter, WORD_NAME, start, start, cutter->at - start);
    }
    if (first == '@')
        return source_fault(cutter->source, cutter->line, cutter->error,
                            "@include is not supported: a config is one file");
    if (isgraph((unsigned char)first))
        return source_fault(cutter->source, cutter->line, cutter->error, "'%c' has no meaning here",
                            first);
    return source_fault(cutter->source, cutter->line, cutter->error,
                        "the byte \\x%02x has no meaning outside a string", (unsigned char)first);
}

enum status words_cut(const struct source *source, const char *text, int64_t length,
                      struct words *words, struct error *error)
{
    *words = (struct words){.overflow = -1};
    struct cutter cutter = {source, text, text + length, 1, {{0, 0}}, 0, words, error};
    if (starts(&cutter, "\xef\xbb\xbf")) /* the mark that some editors put before UTF-8 */
        cutter.at += 3;
    enum status status = memory_grow((void **)&words->clean, &words->clean_capacity, 1, 1,
                                     "the text of the config", error);
    if (status == STATUS_OK) {
        words->clean[0] = '\0';
        status = skip_blanks(&cutter);
    }
    while (status == STATUS_OK && cutter.at < cutter.end) {
        status = cut_word(&cutter);
        if (status == STATUS_OK)
            status = skip_blanks(&cutter);
    }
    if (status == STATUS_OK && cutter.depth > 0)
        status = source_fault(source, cutter.open[cutter.depth - 1].line, error,
                              "the bracket is never closed: '%c' is missing",
                              cutter.open[cutter.depth - 1].closing);
    words->last_line = cutter.line;
    if (status != STATUS_OK)
        words_free(words);
    return status;
}

void words_free(struct words *words)
{
    memory_free(words->words);
    memory_free(words->clean);
    *words = (struct words){.overflow = -1};
}

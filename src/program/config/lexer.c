#include "program/config/lexer.h"

#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The reader recurses; no config needs more. */
enum { DEPTH_MAX = 32 };

struct bracket {
    char closing;
    int line;
};

/* The state of one pass. */
struct cutter {
    const struct source *source;
    char *at, *end;
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

static enum status fault(const struct cutter *cutter, const char *message)
{
    return source_fault(cutter->source, cutter->line, cutter->error, "%s", message);
}

/* Add a word that begins there and ends before cutter->at. */
static enum status word_add(struct cutter *cutter, enum word_kind kind, char *start)
{
    struct words *words = cutter->words;
    enum status status =
        memory_grow((void **)&words->words, &words->capacity, words->count + 1,
                    sizeof *words->words, "the words of the config", cutter->error);
    if (status == STATUS_OK)
        words->words[words->count++] =
            (struct word){start, (int)(cutter->at - start), cutter->line, kind, {0}};
    return status;
}

const char *word_shown(const struct word *word, char *shown, int size)
{
    int length = word->length < size - 4 ? word->length : size - 4;
    memcpy(shown, word->start, (size_t)length);
    strcpy(shown + length, length < word->length ? "..." : "");
    text_clean(shown, "");
    return shown;
}

static bool starts(const struct cutter *cutter, const char *text)
{
    return strncmp(cutter->at, text, strlen(text)) == 0;
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

/* A text in quotes; its escapes become characters. */
static enum status cut_text(struct cutter *cutter)
{
    static const char letters[] = "nrtf\"\\", characters[] = "\n\r\t\f\"\\";
    char *start = cutter->at++, *to = cutter->at;
    for (; *cutter->at != '"'; cutter->at++) {
        if (cutter->at == cutter->end || *cutter->at == '\n')
            return fault(cutter, "the text has no closing quote on its line (\\n stands for a "
                                 "newline)");
        if (*cutter->at == '\0')
            return fault(cutter, "a zero byte in a string");
        *to = *cutter->at;
        if (*cutter->at == '\\') {
            const char *letter = strchr(letters, *++cutter->at);
            if (letter && *letter) {
                *to = characters[letter - letters];
            } else if (starts(cutter, "x00")) {
                return fault(cutter, "\\x00 would end the text");
            } else if (*cutter->at == 'x' && isxdigit((unsigned char)cutter->at[1]) &&
                       isxdigit((unsigned char)cutter->at[2])) {
                *to = (char)strtol((char[]){cutter->at[1], cutter->at[2], '\0'}, NULL, 16);
                cutter->at += 2;
            } else {
                return fault(cutter, "an unknown escape in a string: known are \\n \\r \\t \\f "
                                     "\\\" \\\\ \\xHH");
            }
        }
        to++;
    }
    *to = '"';
    cutter->at++;
    enum status status = word_add(cutter, WORD_TEXT, start);
    if (status == STATUS_OK)
        cutter->words->words[cutter->words->count - 1].length = (int)(to + 1 - start);
    return status;
}

/* Read the value of a number, all of the word. *fits: it is in range. False: it is no number. */
static bool read_number(struct word *word, bool *fits)
{
    const char *text = word->start, *end = text + word->length;
    bool sign = text[0] == '+' || text[0] == '-';
    bool hex = text[sign] == '0' && tolower(text[sign + 1]) == 'x';
    char *behind;
    errno = 0;
    word->integer = strtoll(text, &behind, hex && !sign ? 16 : 10);
    *fits = errno == 0;
    size_t suffix = strspn(behind, "L");
    if (behind > text && suffix <= 2 && behind + suffix == end)
        return true;
    word->kind = WORD_REAL;
    word->real = strtod(text, &behind);
    bool is_zero = strcspn(text, "123456789") >= strcspn(text, "eE");
    *fits = !isinf(word->real) && (word->real != 0 || is_zero);
    return !hex && behind == end;
}

static enum status cut_number(struct cutter *cutter)
{
    char *start = cutter->at++, shown[48];
    while (isalnum((unsigned char)*cutter->at) || *cutter->at == '.' || *cutter->at == '_' ||
           ((*cutter->at == '+' || *cutter->at == '-') && tolower(cutter->at[-1]) == 'e'))
        cutter->at++;
    enum status status = word_add(cutter, WORD_INTEGER, start);
    if (status != STATUS_OK)
        return status;
    struct words *words = cutter->words;
    struct word *word = &words->words[words->count - 1];
    bool fits;
    if (!read_number(word, &fits))
        return source_fault(cutter->source, cutter->line, cutter->error, "%s is not a number",
                            word_shown(word, shown, sizeof shown));
    if (!fits && words->overflow < 0)
        words->overflow = words->count - 1;
    return STATUS_OK;
}

static enum status cut_bracket(struct cutter *cutter)
{
    static const char opening[] = "([{", closing[] = ")]}";
    char *sign = cutter->at++;
    const char *opens = strchr(opening, *sign);
    if (opens) {
        if (cutter->depth == DEPTH_MAX)
            return source_fault(cutter->source, cutter->line, cutter->error,
                                "brackets are nested more than %d deep", DEPTH_MAX);
        cutter->open[cutter->depth++] = (struct bracket){closing[opens - opening], cutter->line};
    } else if (cutter->depth == 0) {
        return source_fault(cutter->source, cutter->line, cutter->error,
                            "'%c' closes a bracket that was never opened", *sign);
    } else if (cutter->open[--cutter->depth].closing != *sign) {
        return source_fault(cutter->source, cutter->line, cutter->error,
                            "'%c' where '%c' must close the bracket of line %d", *sign,
                            cutter->open[cutter->depth].closing, cutter->open[cutter->depth].line);
    }
    return word_add(cutter, WORD_SIGN, sign);
}

/* True when the number starts here: a digit, perhaps after a sign and a point. */
static bool at_number(const struct cutter *cutter)
{
    const char *at = cutter->at;
    at += *at == '+' || *at == '-';
    at += *at == '.';
    return isdigit((unsigned char)*at);
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
    char *start = cutter->at++;
    if (first && strchr("=:;,", first))
        return word_add(cutter, WORD_SIGN, start);
    if (isalpha((unsigned char)first) || first == '*') {
        while (isalnum((unsigned char)*cutter->at) || (*cutter->at && strchr("-_*", *cutter->at)))
            cutter->at++;
        return word_add(cutter, WORD_NAME, start);
    }
    if (first == '@')
        return fault(cutter, "@include is not supported: a config is one file");
    return source_fault(cutter->source, cutter->line, cutter->error,
                        isgraph((unsigned char)first)
                            ? "'%c' has no meaning here"
                            : "the byte \\x%02x has no meaning outside a string",
                        (unsigned char)first);
}

enum status words_cut(const struct source *source, char *text, int64_t length, struct words *words,
                      struct error *error)
{
    *words = (struct words){.overflow = -1};
    struct cutter cutter = {source, text, text + length, 1, {{0, 0}}, 0, words, error};
    enum status status = skip_blanks(&cutter);
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
    *words = (struct words){.overflow = -1};
}

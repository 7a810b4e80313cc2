/* The grammar of a config:
 *
 *     settings = { NAME ("=" | ":") value [";" | ","] }
 *     value    = INTEGER | REAL | TEXT {TEXT} | true | false
 *              | "{" settings "}" | "(" [value {"," value}] ")"
 *
 * with [ ] as another ( ), and comments as in C, C++ and the shell. Own code reads the text into
 * libconfig's tree, because libconfig 1.5 reads 3000000000 as -1294967296 and 1e400 as infinity
 * without a word, refuses [1, 2.5], stops at a zero byte, and says of a fault its line alone. */
#include "base/text.h"
#include "program/config/tree.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    DEPTH_MAX = 32,  /* the reader recurses; no config needs more */
    KEYS_MAX = 1000, /* each is compared with those before it, here and in libconfig */
    SHOWN = 64       /* bytes of a word in a message */
};

struct reader {
    const struct source *source;
    struct error *error;
    char *at, *end; /* a zero byte follows the end */
    int line;
    struct {
        char closing;
        int line;
    } open[DEPTH_MAX];
    int depth;
    bool has_comments;
    /* The first number out of range is refused at the end: in an override it may be part of a bare
     * word. */
    char beyond[SHOWN];
    int beyond_line;
    const char *range;
};

static bool at_end(const struct reader *reader)
{
    return reader->at == reader->end;
}

static bool next_is(const struct reader *reader, const char *signs)
{
    return *reader->at && strchr(signs, *reader->at);
}

static bool starts(const struct reader *reader, const char *text)
{
    return strncmp(reader->at, text, strlen(text)) == 0;
}

static enum status fault(const struct reader *reader, const char *message)
{
    return source_fault(reader->source, reader->line, reader->error, "%s", message);
}

/* --- words ------------------------------------------------------------------------------------ */

static enum status skip_blanks(struct reader *reader)
{
    while (!at_end(reader)) {
        if (next_is(reader, " \t\r\f\v\n")) {
            reader->line += *reader->at++ == '\n';
        } else if (*reader->at == '#' || starts(reader, "//")) {
            reader->has_comments = true;
            while (!at_end(reader) && *reader->at != '\n')
                reader->at++;
        } else if (starts(reader, "/*")) {
            int line = reader->line;
            reader->has_comments = true;
            for (reader->at += 2; !starts(reader, "*/"); reader->at++) {
                if (at_end(reader))
                    return source_fault(reader->source, line, reader->error,
                                        "the comment is never closed by */");
                reader->line += *reader->at == '\n';
            }
            reader->at += 2;
        } else {
            break;
        }
    }
    return STATUS_OK;
}

/* True if a number starts here: a digit, possibly after a sign and a point. */
static bool at_number(const struct reader *reader)
{
    const char *at = reader->at;
    at += *at == '+' || *at == '-';
    at += *at == '.';
    return isdigit((unsigned char)*at);
}

/* The length of number characters, in any order. */
static int number_length(const char *text)
{
    int length = 1;
    while (isalnum((unsigned char)text[length]) || text[length] == '.' || text[length] == '_' ||
           ((text[length] == '+' || text[length] == '-') && tolower(text[length - 1]) == 'e'))
        length++;
    return length;
}

/* Those of a name; 0: none starts here. */
static int name_length(const char *text)
{
    int length = isalpha((unsigned char)*text) || *text == '*';
    while (length &&
           (isalnum((unsigned char)text[length]) || (text[length] && strchr("-_*", text[length]))))
        length++;
    return length;
}

/* The word that starts here, for a message. */
static const char *word_shown(const struct reader *reader, char shown[SHOWN])
{
    int length = name_length(reader->at), most = SHOWN - 4;
    if (length == 0)
        length = at_number(reader)    ? number_length(reader->at)
                 : *reader->at == '"' ? (int)strcspn(reader->at + 1, "\"") + 2
                                      : 1;
    snprintf(shown, SHOWN, "%.*s%s", length < most ? length : most, reader->at,
             length > most ? "..." : "");
    text_clean(shown, "");
    return shown;
}

static bool is_boolean(const char *text)
{
    int length = name_length(text);
    return (length == 4 && !strncasecmp(text, "true", 4)) ||
           (length == 5 && !strncasecmp(text, "false", 5));
}

/* The error for text other than `wanted`. */
static enum status unexpected(const struct reader *reader, const char *wanted)
{
    char shown[SHOWN], sign = *reader->at;
    int closing = reader->depth ? reader->open[reader->depth - 1].closing : 0;
    int line = reader->depth ? reader->open[reader->depth - 1].line : 0;
    if (at_end(reader) && closing)
        return source_fault(reader->source, line, reader->error,
                            "the bracket is never closed: '%c' is missing", closing);
    if (at_end(reader))
        return source_fault(reader->source, reader->line, reader->error,
                            "syntax error: the text ends where %s is wanted", wanted);
    if (next_is(reader, ")]}") && !closing)
        return source_fault(reader->source, reader->line, reader->error,
                            "'%c' closes a bracket that was never opened", sign);
    if (next_is(reader, ")]}") && sign != closing)
        return source_fault(reader->source, reader->line, reader->error,
                            "'%c' where '%c' must close the bracket of line %d", sign, closing,
                            line);
    if (sign == '@')
        return fault(reader, "@include is not supported: a config is one file");
    if (!next_is(reader, "=:;,\"([{}])*") && !isalnum((unsigned char)sign) && !at_number(reader))
        return source_fault(reader->source, reader->line, reader->error,
                            isgraph((unsigned char)sign)
                                ? "'%c' has no meaning here"
                                : "the byte \\x%02x has no meaning outside a string",
                            (unsigned char)sign);
    return source_fault(reader->source, reader->line, reader->error,
                        "syntax error at '%s': %s is wanted", word_shown(reader, shown), wanted);
}

/* --- values ----------------------------------------------------------------------------------- */

/* The character after a backslash. */
static enum status read_escape(struct reader *reader, char *to)
{
    static const char letters[] = "nrtf\"\\", characters[] = "\n\r\t\f\"\\";
    const char *at = ++reader->at, *letter = strchr(letters, *at);
    if (letter && *letter) {
        *to = characters[letter - letters];
    } else if (starts(reader, "x00")) {
        return fault(reader, "\\x00 would end the text");
    } else if (*at == 'x' && isxdigit((unsigned char)at[1]) && isxdigit((unsigned char)at[2])) {
        *to = (char)strtol((char[]){at[1], at[2], '\0'}, NULL, 16);
        reader->at += 2;
    } else {
        return fault(reader, "an unknown escape in a string: known are \\n \\r \\t \\f "
                             "\\\" \\\\ \\xHH");
    }
    return STATUS_OK;
}

/* A text in quotes, joined in place with directly following ones. */
static enum status read_texts(struct reader *reader, const char **text)
{
    char *to = reader->at;
    enum status status = STATUS_OK;
    *text = to;
    while (!status && *reader->at == '"') {
        for (reader->at++; !status && *reader->at != '"'; reader->at++) {
            if (at_end(reader) || *reader->at == '\n')
                return fault(reader, "the text has no closing quote on its line (\\n stands for a "
                                     "newline)");
            if (*reader->at == '\0')
                return fault(reader, "a zero byte in a string");
            *to = *reader->at;
            if (*reader->at == '\\')
                status = read_escape(reader, to);
            to++;
        }
        if (!status) {
            reader->at++;
            status = skip_blanks(reader);
        }
    }
    if (!status)
        *to = '\0';
    return status;
}

static enum status take_number(struct reader *reader, config_setting_t *made)
{
    char *text = reader->at, *after, shown[SHOWN];
    const char *end = text + number_length(text);
    bool sign = text[0] == '+' || text[0] == '-';
    bool hex = text[sign] == '0' && tolower(text[sign + 1]) == 'x';
    errno = 0;
    int64_t integer = strtoll(text, &after, hex && !sign ? 16 : 10);
    bool fits = errno == 0;
    size_t suffix = strspn(after, "L");
    bool is_integer = after > text && suffix <= 2 && after + suffix == end;
    double real = strtod(text, &after);
    if (!is_integer && (hex || after != end))
        return source_fault(reader->source, reader->line, reader->error, "%s is not a number",
                            word_shown(reader, shown));
    if (!is_integer) {
        bool is_zero = strcspn(text, "123456789") >= strcspn(text, "eE");
        fits = !isinf(real) && (real != 0 || is_zero);
        config_setting_set_float(made, real);
    } else {
        config_setting_set_int64(made, integer);
    }
    if (!fits && !reader->range) {
        word_shown(reader, reader->beyond);
        reader->beyond_line = reader->line;
        reader->range = is_integer ? "64-bit whole numbers" : "a double";
    }
    reader->at += end - text;
    return STATUS_OK;
}

static enum status read_settings(struct reader *reader, config_setting_t *group);
static enum status read_value(struct reader *reader, config_setting_t *parent, const char *name,
                              int line);

/* The elements after the opening bracket of a list, without the closing one. */
static enum status read_list(struct reader *reader, config_setting_t *list)
{
    char closing = reader->open[reader->depth - 1].closing;
    enum status status = STATUS_OK;
    while (!status && *reader->at != closing) {
        status = read_value(reader, list, NULL, reader->line);
        if (status || *reader->at == closing)
            break;
        if (*reader->at != ',')
            return unexpected(reader, "',' or the end of the list");
        reader->at++;
        status = skip_blanks(reader);
        if (!status && *reader->at == closing)
            return unexpected(reader, "a value");
    }
    return status;
}

/* A group or a list, from its opening bracket to its closing one. */
static enum status take_brackets(struct reader *reader, config_setting_t *made)
{
    static const char brackets[] = "{}()[]";
    if (reader->depth == DEPTH_MAX)
        return source_fault(reader->source, reader->line, reader->error,
                            "brackets are nested more than %d deep", DEPTH_MAX);
    char closing = strchr(brackets, *reader->at++)[1];
    reader->open[reader->depth].closing = closing;
    reader->open[reader->depth++].line = reader->line;
    enum status status = skip_blanks(reader);
    if (!status)
        status = closing == '}' ? read_settings(reader, made) : read_list(reader, made);
    if (!status && *reader->at != closing)
        status = unexpected(reader, "a key");
    if (status)
        return status;
    reader->at++;
    reader->depth--;
    return STATUS_OK;
}

/* The value as a new member of a group or, without a name, of a list, and the following blanks;
 * line: for messages. */
static enum status read_value(struct reader *reader, config_setting_t *parent, const char *name,
                              int line)
{
    char shown[SHOWN];
    const char *text = "";
    enum status status = STATUS_OK;
    bool brackets = next_is(reader, "{(["), number = at_number(reader), quote = *reader->at == '"';
    int word = name_length(reader->at);
    if (word > 0 && !is_boolean(reader->at)) {
        word_shown(reader, shown);
        return source_fault(reader->source, reader->line, reader->error,
                            "syntax error at '%s': a string must stand in quotes, \"%s\"", shown,
                            shown);
    }
    if (!brackets && !number && !quote && word == 0)
        return unexpected(reader, "a value");
    int type = *reader->at == '{' ? CONFIG_TYPE_GROUP
               : brackets         ? CONFIG_TYPE_LIST
                                  : CONFIG_TYPE_NONE;
    config_setting_t *made = setting_add(parent, name, type, reader->source, line, reader->error);
    if (!made)
        return STATUS_MEMORY;
    if (brackets)
        status = take_brackets(reader, made);
    else if (number)
        status = take_number(reader, made);
    else if (quote)
        status = read_texts(reader, &text);
    else
        config_setting_set_bool(made, word == 4);
    reader->at += word;
    if (!status && quote && !config_setting_set_string(made, text))
        status = error_set(reader->error, STATUS_MEMORY, "out of memory: the config");
    return status ? status : skip_blanks(reader);
}

/* --- settings --------------------------------------------------------------------------------- */

/* The key is the first of its name in the group. */
static enum status check_key(const struct reader *reader, const char *key, int line,
                             const config_setting_t *group)
{
    char shown[SHOWN], where[48] = "";
    const config_setting_t *first = config_setting_get_member(group, key);
    if (first && !reader->source->is_override)
        snprintf(where, sizeof where, ", first on line %u", first->line);
    if (first)
        return source_fault(reader->source, line, reader->error, "the key '%s' is given twice%s",
                            shown_text(key, shown, sizeof shown), where);
    return config_setting_length(group) < KEYS_MAX
               ? STATUS_OK
               : source_fault(reader->source, line, reader->error, "more than %d keys in one group",
                              KEYS_MAX);
}

/* Settings up to the end of their group. */
static enum status read_settings(struct reader *reader, config_setting_t *group)
{
    enum status status = STATUS_OK;
    while (!status && name_length(reader->at) > 0 && !is_boolean(reader->at)) {
        char *key = reader->at, *after = key + name_length(key);
        int line = reader->line;
        reader->at = after;
        status = skip_blanks(reader);
        if (!status && !next_is(reader, "=:"))
            return unexpected(reader, "'='");
        if (status)
            return status;
        reader->at++;
        *after = '\0'; /* only that sign follows */
        status = check_key(reader, key, line, group);
        if (!status)
            status = skip_blanks(reader);
        if (!status)
            status = read_value(reader, group, key, line);
        if (!status && next_is(reader, ";,")) {
            reader->at++;
            status = skip_blanks(reader);
        }
    }
    return status;
}

enum status config_parse(const struct source *source, char *text, int64_t length,
                         config_setting_t *group, const char *name, bool *bare, struct error *error)
{
    struct reader reader = {
        .source = source, .error = error, .at = text, .end = text + length, .line = 1};
    enum status status = skip_blanks(&reader);
    if (!status)
        status = name ? read_value(&reader, group, name, 0) : read_settings(&reader, group);
    if (!status && name && next_is(&reader, ";,")) {
        reader.at++;
        status = skip_blanks(&reader);
    }
    if (!status && !at_end(&reader))
        status = name ? source_fault(source, 0, error, "more than one value")
                      : unexpected(&reader, "a key");
    *bare = status == STATUS_CONFIG || (!status && reader.has_comments);
    if (!status && reader.range) {
        *bare = false;
        status = source_fault(source, reader.beyond_line, error, "%s is out of the range of %s",
                              reader.beyond, reader.range);
    }
    return status;
}

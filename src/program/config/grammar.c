/* The grammar of a config:
 *
 *     settings = { NAME ("=" | ":") value [";" | ","] }
 *     value    = INTEGER | REAL | TEXT {TEXT} | true | false
 *              | "{" settings "}" | "(" [value {"," value}] ")"
 *
 * with [ ] as another ( ). The cutting of words has matched the brackets and bounded their depth.
 */
#include "program/config/tree.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Each is compared with those before it, here and in libconfig. No group has so many that mean
 * something. */
enum { KEYS_MAX = 1000 };

struct reader {
    const struct words *words;
    int64_t at;
    const struct source *source;
    struct error *error;
};

static bool at_end(const struct reader *reader)
{
    return reader->at == reader->words->count;
}

static const struct word *next(const struct reader *reader)
{
    return &reader->words->words[reader->at];
}

static bool next_is(const struct reader *reader, const char *signs)
{
    return !at_end(reader) && next(reader)->kind == WORD_SIGN &&
           strchr(signs, *next(reader)->start);
}

static bool is_boolean(const struct word *word)
{
    return (word->length == 4 && !strncasecmp(word->start, "true", 4)) ||
           (word->length == 5 && !strncasecmp(word->start, "false", 5));
}

/* "... is wanted, not ..." */
static enum status unexpected(const struct reader *reader, const char *wanted)
{
    char shown[64];
    if (at_end(reader))
        return source_fault(reader->source, reader->words->last_line, reader->error,
                            "syntax error: the text ends where %s is wanted", wanted);
    return source_fault(reader->source, next(reader)->line, reader->error,
                        "syntax error at '%s': %s is wanted",
                        word_shown(next(reader), shown, sizeof shown), wanted);
}

config_setting_t *setting_add(config_setting_t *parent, const char *name, int type,
                              const struct source *source, int line)
{
    config_setting_t *made = config_setting_add(parent, name, type);
    if (made) {
        made->line = (unsigned)line;
        config_setting_set_hook(made, (void *)source);
    }
    return made;
}

/* The text at reader->at, and those right behind it, joined in place. */
static const char *read_texts(struct reader *reader)
{
    char *begin = next(reader)->start + 1, *end = begin;
    for (; !at_end(reader) && next(reader)->kind == WORD_TEXT; reader->at++) {
        size_t length = (size_t)next(reader)->length - 2; /* the quotes */
        memmove(end, next(reader)->start + 1, length);
        end += length;
    }
    *end = '\0';
    return begin;
}

static enum status read_settings(struct reader *reader, config_setting_t *group);
static enum status read_value(struct reader *reader, config_setting_t *parent, const char *name,
                              int line);

/* What follows the opening bracket of a list, without the closing one. */
static enum status read_list(struct reader *reader, config_setting_t *list)
{
    while (!next_is(reader, ")]")) {
        enum status status = read_value(reader, list, NULL, next(reader)->line);
        if (status != STATUS_OK)
            return status;
        if (next_is(reader, ")]"))
            break;
        if (!next_is(reader, ","))
            return unexpected(reader, "',' or the end of the list");
        reader->at++;
        if (next_is(reader, ")]"))
            return unexpected(reader, "a value");
    }
    return STATUS_OK;
}

/* The value at reader->at as a new member of a group or, without a name, of a list; line: where it
 * is said to stand. */
static enum status read_value(struct reader *reader, config_setting_t *parent, const char *name,
                              int line)
{
    static const int types[] = {[WORD_NAME] = CONFIG_TYPE_BOOL,
                                [WORD_INTEGER] = CONFIG_TYPE_INT64,
                                [WORD_REAL] = CONFIG_TYPE_FLOAT,
                                [WORD_TEXT] = CONFIG_TYPE_STRING,
                                [WORD_SIGN] = CONFIG_TYPE_LIST};
    bool group = next_is(reader, "{"), list = next_is(reader, "([");
    if (at_end(reader) || (next(reader)->kind == WORD_SIGN && !group && !list))
        return unexpected(reader, "a value");
    const struct word *word = next(reader);
    if (word->kind == WORD_NAME && !is_boolean(word)) {
        char shown[64];
        word_shown(word, shown, sizeof shown);
        return source_fault(reader->source, word->line, reader->error,
                            "syntax error at '%s': a string must stand in quotes, \"%s\"", shown,
                            shown);
    }
    config_setting_t *made = setting_add(
        parent, name, group ? CONFIG_TYPE_GROUP : types[word->kind], reader->source, line);
    if (!made)
        return error_set(reader->error, STATUS_MEMORY, "out of memory: the config");
    if (word->kind == WORD_TEXT) {
        config_setting_set_string(made, read_texts(reader));
        return STATUS_OK;
    }
    reader->at++;
    if (word->kind == WORD_NAME)
        config_setting_set_bool(made, word->length == 4);
    else if (word->kind == WORD_INTEGER)
        config_setting_set_int64(made, word->integer);
    else if (word->kind == WORD_REAL)
        config_setting_set_float(made, word->real);
    if (word->kind != WORD_SIGN)
        return STATUS_OK;
    enum status status = group ? read_settings(reader, made) : read_list(reader, made);
    reader->at++;
    return status;
}

/* The key is the first of its name in the group. */
static enum status check_key(const struct reader *reader, const struct word *key,
                             const config_setting_t *group)
{
    char shown[64], where[48] = "", *end = key->start + key->length, behind = *end;
    *end = '\0';
    const config_setting_t *first = config_setting_get_member(group, key->start);
    *end = behind;
    if (first && !reader->source->is_override)
        snprintf(where, sizeof where, ", first on line %u", first->line);
    if (first)
        return source_fault(reader->source, key->line, reader->error,
                            "the key '%s' is given twice%s", word_shown(key, shown, sizeof shown),
                            where);
    return config_setting_length(group) < KEYS_MAX
               ? STATUS_OK
               : source_fault(reader->source, key->line, reader->error,
                              "more than %d keys in one group", KEYS_MAX);
}

/* Settings up to the end of their group. */
static enum status read_settings(struct reader *reader, config_setting_t *group)
{
    while (!at_end(reader) && !next_is(reader, "}")) {
        const struct word *key = next(reader);
        if (key->kind != WORD_NAME || is_boolean(key))
            return unexpected(reader, "a key");
        enum status status = check_key(reader, key, group);
        if (status != STATUS_OK)
            return status;
        reader->at++;
        if (!next_is(reader, "=:"))
            return unexpected(reader, "'='");
        reader->at++;
        key->start[key->length] = '\0'; /* no word but that sign stands there */
        status = read_value(reader, group, key->start, key->line);
        if (status != STATUS_OK)
            return status;
        reader->at += next_is(reader, ";,");
    }
    return STATUS_OK;
}

enum status words_read(const struct words *words, const struct source *source,
                       config_setting_t *group, const char *name, struct error *error)
{
    struct reader reader = {words, 0, source, error};
    char shown[64];
    enum status status = name ? read_value(&reader, group, name, 0) : read_settings(&reader, group);
    if (status != STATUS_OK)
        return status;
    const struct word *beyond = words->overflow < 0 ? NULL : &words->words[words->overflow];
    if (beyond)
        return source_fault(source, beyond->line, error, "%s is out of the range of %s",
                            word_shown(beyond, shown, sizeof shown),
                            beyond->kind == WORD_REAL ? "a double" : "64-bit whole numbers");
    reader.at += next_is(&reader, ";,");
    return at_end(&reader) ? STATUS_OK : source_fault(source, 0, error, "more than one value");
}

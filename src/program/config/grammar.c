/* The grammar of a config:
 *
 *     settings = { NAME ("=" | ":") value [";" | ","] }
 *     value    = NUMBER | TEXT {TEXT} | true | false | "{" settings "}" | "(" [value {"," value}]
 * ")"
 *
 * with [ ] as another ( ). The cutting of words has matched the brackets and bounded their depth.
 */
#include "base/text.h"
#include "program/config/lexer.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Each is compared with those before it, here and in libconfig. No group has so many that mean
 * something. */
enum { KEYS_MAX = 1000 };

struct checker {
    struct words *words;
    int64_t at;
    const struct source *source;
    struct error *error;
};

bool word_is_sign(const struct word *word, const char *signs)
{
    return word->kind == WORD_SIGN && strchr(signs, *word->start);
}

static bool same(const struct word *a, const struct word *b)
{
    return a->length == b->length && !memcmp(a->start, b->start, (size_t)a->length);
}

static bool is_boolean(const struct word *word)
{
    return (word->length == 4 && !strncasecmp(word->start, "true", 4)) ||
           (word->length == 5 && !strncasecmp(word->start, "false", 5));
}

/* The word for a message. */
static const char *shown_word(const struct word *word, char *shown, int size)
{
    int length = word->length < size - 4 ? word->length : size - 4;
    memcpy(shown, word->start, (size_t)length);
    strcpy(shown + length, length < word->length ? "..." : "");
    text_clean(shown, "");
    return shown;
}

static bool next_is(const struct checker *checker, const char *signs)
{
    return checker->at < checker->words->count &&
           word_is_sign(&checker->words->words[checker->at], signs);
}

/* "... is wanted, not ..." */
static enum status unexpected(const struct checker *checker, const char *wanted)
{
    char shown[64];
    if (checker->at == checker->words->count)
        return source_fault(checker->source, checker->words->last_line, checker->error,
                            "syntax error: the text ends where %s is wanted", wanted);
    const struct word *word = &checker->words->words[checker->at];
    return source_fault(checker->source, word->line, checker->error,
                        "syntax error at '%s': %s is wanted", shown_word(word, shown, sizeof shown),
                        wanted);
}

/* The word at checker->at is the first of its name in the group whose last key so far is
 * `previous`.
 */
static enum status check_key(const struct checker *checker, int64_t previous)
{
    struct word *words = checker->words->words, *key = &words[checker->at];
    char shown[64], where[48] = "";
    key->previous = previous;
    for (int others = 0; previous >= 0; previous = words[previous].previous) {
        if (++others == KEYS_MAX)
            return source_fault(checker->source, key->line, checker->error,
                                "more than %d keys in one group", KEYS_MAX);
        if (!same(key, &words[previous]))
            continue;
        if (!checker->source->is_override)
            snprintf(where, sizeof where, ", first on line %d", words[previous].line);
        return source_fault(checker->source, key->line, checker->error,
                            "the key '%s' is given twice%s", shown_word(key, shown, sizeof shown),
                            where);
    }
    return STATUS_OK;
}

static enum status check_settings(struct checker *checker);
static enum status check_value(struct checker *checker);

/* What follows the opening bracket of a list. */
static enum status check_list(struct checker *checker)
{
    while (!next_is(checker, ")]")) {
        enum status status = check_value(checker);
        if (status != STATUS_OK)
            return status;
        if (next_is(checker, ")]"))
            break;
        if (!next_is(checker, ","))
            return unexpected(checker, "',' or the end of the list");
        checker->at++;
        if (next_is(checker, ")]"))
            return unexpected(checker, "a value");
    }
    checker->at++;
    return STATUS_OK;
}

static enum status check_value(struct checker *checker)
{
    if (checker->at == checker->words->count)
        return unexpected(checker, "a value");
    const struct word *word = &checker->words->words[checker->at];
    char shown[64];
    enum status status;
    switch (word->kind) {
    case WORD_NUMBER:
        checker->at++;
        return STATUS_OK;
    case WORD_TEXT:
        for (; checker->at < checker->words->count && word->kind == WORD_TEXT; word++)
            checker->at++;
        return STATUS_OK;
    case WORD_NAME:
        shown_word(word, shown, sizeof shown);
        if (!is_boolean(word))
            return source_fault(checker->source, word->line, checker->error,
                                "syntax error at '%s': a string must stand in quotes, \"%s\"",
                                shown, shown);
        checker->at++;
        return STATUS_OK;
    case WORD_SIGN:
        break;
    }
    if (!word_is_sign(word, "{(["))
        return unexpected(checker, "a value");
    checker->at++;
    if (!word_is_sign(word, "{"))
        return check_list(checker);
    status = check_settings(checker);
    checker->at++;
    return status;
}

/* Settings up to the end of their group. */
static enum status check_settings(struct checker *checker)
{
    int64_t previous = -1;
    while (checker->at < checker->words->count && !next_is(checker, "}")) {
        const struct word *key = &checker->words->words[checker->at];
        if (key->kind != WORD_NAME || is_boolean(key))
            return unexpected(checker, "a key");
        enum status status = check_key(checker, previous);
        if (status != STATUS_OK)
            return status;
        previous = checker->at++;
        if (!next_is(checker, "=:"))
            return unexpected(checker, "'='");
        checker->at++;
        status = check_value(checker);
        if (status != STATUS_OK)
            return status;
        if (next_is(checker, ";,"))
            checker->at++;
    }
    return STATUS_OK;
}

enum status words_check(struct words *words, const struct source *source, struct error *error)
{
    struct checker checker = {words, 0, source, error};
    return check_settings(&checker);
}

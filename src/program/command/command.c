#include "program/command/command.h"

#include "base/suggest.h"
#include "base/text.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum { OPTIONS_MOST = 30 };

/* A table of options for getopt_long. "-" before the letters: other words come in their order, as
 * the option 1. ":": a missing value is reported separately. */
struct getopt_tables {
    struct option options[OPTIONS_MOST + 1];
    char letters[2 * OPTIONS_MOST + 3];
};

/* The value of the first option, above all characters. */
enum { WORD = 1, FIRST = 256 };

static const struct getopt_tables *tables_of(const struct command *command,
                                             struct getopt_tables *tables)
{
    const struct command_option *given = command->options;
    int letters = snprintf(tables->letters, sizeof tables->letters, "-:");
    int count = 0;
    for (; given[count].name && count < OPTIONS_MOST; count++) {
        tables->options[count] = (struct option){
            given[count].name + 2, given[count].value ? required_argument : no_argument, NULL,
            FIRST + count};
        if (given[count].letter)
            tables->letters[letters++] = given[count].letter;
        if (given[count].letter && given[count].value)
            tables->letters[letters++] = ':';
    }
    tables->options[count] = (struct option){0};
    tables->letters[letters] = '\0';
    return tables;
}

/* The option that getopt_long has found. */
static const struct command_option *option_of(const struct command *command, int code)
{
    const struct command_option *option = command->options;
    if (code >= FIRST)
        return option + (code - FIRST);
    while (option->letter != code)
        option++;
    return option;
}

enum status option_flag(void *into, const struct command_option *option, const char *word,
                        const char *value, struct error *error)
{
    (void)word, (void)value, (void)error;
    *(bool *)((char *)into + option->offset) = true;
    return STATUS_OK;
}

enum status option_text(void *into, const struct command_option *option, const char *word,
                        const char *value, struct error *error)
{
    (void)word;
    *(const char **)((char *)into + option->offset) = value;
    return *value || !option->with
               ? STATUS_OK
               : error_set(error, STATUS_CONFIG, "%s wants %s", option->name, option->with);
}

static enum status unknown_option(const struct command *command, const char *word,
                                  struct error *error)
{
    char name[64], shown[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    struct suggestion suggestion;
    suggest_start(&suggestion, name);
    for (const struct command_option *option = command->options; option->name; option++)
        suggest_offer(&suggestion, option->name);
    return error_set(error, STATUS_CONFIG, "%s: no such option%s%s%s (see cgsolve %s%s--help)",
                     shown_text(name, shown, sizeof shown), *command->name ? " of " : "",
                     command->name, suggest_text(&suggestion), command->name,
                     *command->name ? " " : "");
}

/* The error for an option that getopt_long rejects. */
static enum status refused(const struct command *command, int code, const char *word,
                           struct error *error)
{
    int length = (int)strcspn(word, "=");
    if (code == ':')
        return error_set(error, STATUS_CONFIG, "%s wants a value (see cgsolve %s%s--help)", word,
                         command->name, *command->name ? " " : "");
    if (optopt >= FIRST) /* it knows the option */
        return error_set(error, STATUS_CONFIG, "%s: %.*s takes no value", word, length, word);
    return unknown_option(command, word, error);
}

enum status command_parse(const struct command *command, int argc, char *const argv[],
                          word_take *take, void *into, struct error *error)
{
    struct getopt_tables made;
    const struct getopt_tables *tables = tables_of(command, &made);
    enum status status = STATUS_OK;
    int named = *command->name != '\0', at = 1 + named;
    optind = 0; /* restart after the first word of argv */
    while (!status && at < argc) {
        const char *word = argv[at];
        int code = getopt_long(argc - named, argv + named, tables->letters, tables->options, NULL);
        at = optind + named;
        if (code < 0)
            break;
        const struct command_option *option;
        if (code == ':' || code == '?')
            status = refused(command, code, word, error);
        else if (code == WORD)
            status = take(into, optarg, error);
        else if ((option = option_of(command, code))->take)
            status = option->take(into, option, word, optarg, error);
    }
    for (; !status && at < argc; at++) /* after "--" */
        status = take(into, argv[at], error);
    return status;
}

enum status command_take_pair(void *into, const char *word, struct error *error)
{
    struct command_pair *pair = into;
    if (pair->words[1])
        return error_set(error, STATUS_CONFIG, "%s %s %s %s: takes %s", pair->command,
                         pair->words[0], pair->words[1], word, pair->wants);
    pair->words[pair->words[0] != NULL] = word;
    return STATUS_OK;
}

enum status command_check_pair(const struct command_pair *pair, struct error *error)
{
    return pair->words[1]
               ? STATUS_OK
               : error_set(error, STATUS_CONFIG, "%s wants %s", pair->command, pair->wants);
}

int command_help_asked(const struct command *command, int argc, char *const argv[])
{
    struct getopt_tables made;
    const struct getopt_tables *tables = tables_of(command, &made);
    int named = *command->name != '\0';
    optind = 0;
    for (;;) {
        int code = getopt_long(argc - named, argv + named, tables->letters, tables->options, NULL);
        if (code < 0 || code == ':' || code == '?')
            return 0;
        if (code != WORD && !option_of(command, code)->take)
            return optind + named;
    }
}

/* A command of the program, as data: what it takes, what it does, and the words for its help. One
 * table of options drives the reading of the command line, the help and the suggestions. */
#ifndef PROGRAM_COMMAND_COMMAND_H
#define PROGRAM_COMMAND_COMMAND_H

#include "base/status.h"

#include <stdbool.h>

enum {
    COMMAND_WORD = 1, /* what stands on the command line and is no option */
    COMMAND_HELP = 256,
    COMMAND_OWN /* the first code that a command may give to an option of its own */
};

struct command_option {
    const char *name;    /* "--set" */
    char letter;         /* 'h' where -h is the same, or 0; takes the value too */
    const char *value;   /* "KEY=VALUE", or NULL: the option takes none */
    int code;            /* COMMAND_HELP, or from COMMAND_OWN on */
    const char *meaning; /* for the help */
};

/* The last entry but one of every table of options. */
#define COMMAND_OPTION_HELP                                                                        \
    {                                                                                              \
        "--help", 'h', NULL, COMMAND_HELP, "this text"                                             \
    }

struct command_usage {
    const char *line; /* what stands behind "cgsolve ", or NULL: the end */
    const char *does; /* half a sentence for the list of commands, or NULL */
};

struct command_example {
    const char *does;
    const char *line; /* what stands behind "cgsolve ", or NULL: the end */
};

struct command {
    const char *name; /* the first word of the command line; "": what is done without such a word */
    struct command_usage usage[3];
    const char *about;                    /* a paragraph */
    const struct command_option *options; /* ends with a NULL name */
    const char *good, *not_good; /* what exit status 0 and 1 mean; NULL: they do not occur */
    const char *key_group;       /* the group of a config that is this command's, or NULL */
    struct command_example examples[5];
    bool takes_ranks; /* or is for one process */
    /* argv[1] is the name, if there is one. *good is true before. */
    enum status (*run)(int argc, char *argv[], bool *good, struct error *error);
};

/* Told each option and word in their order; word: as it stands on the command line; value: of an
 * option that takes one, or the word itself. */
typedef enum status command_take(void *into, int code, const char *word, const char *value,
                                 struct error *error);

/* Read the command line. Errors: STATUS_CONFIG (no such option, one without its value or with one
 * that it does not take), and what `take` returns. */
enum status command_parse(const struct command *command, int argc, char *const argv[],
                          command_take *take, void *into, struct error *error);

/* Where the command line asks for help, with nothing wrong before: the index behind the option that
 * does, or 0. */
int command_help_asked(const struct command *command, int argc, char *const argv[]);

#define COMMAND(name) extern const struct command command_##name;
#include "program/command/commands.def"
#undef COMMAND

/* All of them, in that order; a NULL ends the list. In program/commands.c. */
extern const struct command *const commands[];

/* The commit that was built, or "" where it is not known. */
extern const char command_version_commit[];

#endif

/* A command of the program, as data: its options, its function, and the texts of its help. One
 * table of options drives the reading of the command line, the help and the suggestions. */
#ifndef PROGRAM_COMMAND_COMMAND_H
#define PROGRAM_COMMAND_COMMAND_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

struct command_option;

/* Store an option in `into`, the command's struct. word: as on the command line; value: of an
 * option that takes one, else NULL. Errors: those of command_parse. */
typedef enum status option_take(void *into, const struct command_option *option, const char *word,
                                const char *value, struct error *error);

/* An option is one line of its command's table. */
struct command_option {
    const char *name;    /* "--set" */
    char letter;         /* 'h' where -h is the same, or 0; takes the value too */
    const char *value;   /* "KEY=VALUE", or NULL: the option takes none */
    const char *meaning; /* for the help */
    option_take *take;   /* NULL: --help */
    size_t offset;       /* for option_flag and option_text: in the struct */
    const char *with;    /* for `take` */
};

/* The last entry but one of every table of options. */
#define OPTION_HELP                                                                                \
    {                                                                                              \
        "--help", 'h', NULL, "this text", NULL, 0, NULL                                            \
    }

/* The end of a line. The option goes to a function of the command, with `with`. */
#define TAKES(function) function, 0, NULL
#define TAKES_WITH(function, with) function, 0, with
/* Sets a bool of the struct. */
#define TAKES_FLAG(type, member) option_flag, offsetof(type, member), NULL
/* Sets a const char * of the struct to the value, which must not be empty if `wants` names it: "a
 * file". */
#define TAKES_TEXT(type, member, wants) option_text, offsetof(type, member), wants
option_take option_flag, option_text;

struct command_usage {
    const char *line; /* the words after "cgsolve ", or NULL: the end */
    const char *does; /* half a sentence for the list of commands, or NULL */
};

struct command_example {
    const char *does;
    const char *line; /* the words after "cgsolve ", or NULL: the end */
};

struct command {
    const char *name; /* the first word of the command line; "": the command without such a word */
    struct command_usage usage[3];
    const char *about;                    /* a paragraph */
    const struct command_option *options; /* ends with a NULL name */
    const char *good, *not_good; /* the meaning of exit status 0 and 1; NULL: does not occur */
    const char *key_group;       /* the group of a config that is this command's, or NULL */
    struct command_example examples[5];
    bool takes_ranks; /* false: for one process */
    /* argv[1] is the name, if any. *good is true before. */
    enum status (*run)(int argc, char *argv[], bool *good, struct error *error);
};

/* Gets each other word, in order. */
typedef enum status word_take(void *into, const char *word, struct error *error);

/* Read the command line. Errors: STATUS_CONFIG (no such option, a missing or an unwanted value),
 * those of `take` and of the options. */
enum status command_parse(const struct command *command, int argc, char *const argv[],
                          word_take *take, void *into, struct error *error);

/* The words of a command that takes two, as `wants` says: "two files, FROM TO". The first member of
 * the struct that command_parse fills. */
struct command_pair {
    const char *command, *wants;
    const char *words[2]; /* NULL: not given */
};
word_take command_take_pair;

/* STATUS_CONFIG: not both are given. */
enum status command_check_pair(const struct command_pair *pair, struct error *error);

/* If the command line asks for help, without an error before: the index after that option; else
 * 0. */
int command_help_asked(const struct command *command, int argc, char *const argv[]);

#define COMMAND(name) extern const struct command command_##name;
#include "program/command/commands.def"
#undef COMMAND

/* All of them, in that order; a NULL ends the list. In program/commands.c. */
extern const struct command *const commands[];

/* The commit of the build, or "" if unknown. */
extern const char command_version_commit[];

#endif

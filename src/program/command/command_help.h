/* The help of the program, made from the tables of its commands and of the keys of a config. */
#ifndef PROGRAM_COMMAND_COMMAND_HELP_H
#define PROGRAM_COMMAND_COMMAND_HELP_H

#include "program/command/command.h"

#include <stdio.h>

/* --help and no other option. */
extern const struct command_option command_help_alone[];

/* The command of that name; the first one where word is NULL or names none. */
const struct command *command_named(const char *word);

/* A few lines for a call without arguments. */
void help_print_start(FILE *file);

/* Help on the topic of each word (no option) of the NULL-ended `asked`: a command, "all", or a
 * topic of settings_print_help. Without such a word, help on the command; for the first one a
 * screen with the program, the commands, the options, the exit statuses and further topics. On the
 * standard output. Errors: STATUS_CONFIG (nothing of that name). */
enum status help_print(const struct command *command, char *const asked[], struct error *error);

/* The error for a first word that is no file, but nearly a command. Errors: STATUS_CONFIG. */
enum status help_check_word(const char *word, struct error *error);

#endif

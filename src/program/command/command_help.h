/* The help of the program, made from the tables of its commands and of the keys of a config. */
#ifndef PROGRAM_COMMAND_COMMAND_HELP_H
#define PROGRAM_COMMAND_COMMAND_HELP_H

#include "program/command/command.h"

#include <stdio.h>

/* --help and no other option. */
extern const struct command_option command_help_alone[];

/* The command of that name; the first one where word is NULL or names none. */
const struct command *command_named(const char *word);

/* A few lines for somebody who gave nothing. */
void help_print_start(FILE *file);

/* What each word of the NULL-ended `asked` names that is no option: a command, "all", or what
 * settings_print_help knows. Without such a word the command; of the first one, one screen: what
 * the program is, the commands, the options, exit statuses, where the rest is. On the standard
 * output. Errors: STATUS_CONFIG (nothing of that name). */
enum status help_print(const struct command *command, char *const asked[], struct error *error);

/* A first word that is no file and nearly a command. Errors: STATUS_CONFIG. */
enum status help_check_word(const char *word, struct error *error);

#endif

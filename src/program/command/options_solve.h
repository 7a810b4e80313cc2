/* The command lines of `cgsolve solve` and `cgsolve eigs`. What they say becomes the overrides of a
 * config that says nothing itself. */
#ifndef PROGRAM_COMMAND_OPTIONS_SOLVE_H
#define PROGRAM_COMMAND_OPTIONS_SOLVE_H

#include "base/status.h"
#include "program/command/command.h"
#include "program/command/overrides.h"
#include "program/command/run_solve.h"

#include <stdbool.h>

struct solve_options {
    bool print_config;
    struct solve_request request;
    struct overrides overrides;
};

extern const struct command_option solve_options_table[], eigs_options_table[];

/* Of command_solve or command_eigs. The first word is the matrix, whose first lines are read: they
 * decide the method where none is given. Texts are borrowed from argv. The caller calls
 * solve_options_free, also after an error. Errors: STATUS_CONFIG, STATUS_INPUT, STATUS_MEMORY. */
enum status solve_options_parse(const struct command *command, int argc, char *const argv[],
                                struct solve_options *options, struct error *error);
void solve_options_free(struct solve_options *options); /* accepts a zeroed one */

#endif

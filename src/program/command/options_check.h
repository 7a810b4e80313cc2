/* The command line of `cgsolve check [options] HISTORY REFERENCE`. */
#ifndef PROGRAM_COMMAND_OPTIONS_CHECK_H
#define PROGRAM_COMMAND_OPTIONS_CHECK_H

#include "base/status.h"
#include "program/command/command.h"
#include "study/comparison.h"

#include <stdbool.h>

struct check_options {
    bool quiet;
    const char *history, *reference;
    const char *junit; /* --junit, or NULL */
    struct comparison_rule rule;
};

extern const struct command_option check_options_table[];

/* The texts are borrowed from argv. Errors: STATUS_CONFIG. */
enum status check_options_parse(int argc, char *const argv[], struct check_options *options,
                                struct error *error);

#endif

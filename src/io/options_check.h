/* The command line of `cgsolve check [options] HISTORY REFERENCE`. */
#ifndef IO_OPTIONS_CHECK_H
#define IO_OPTIONS_CHECK_H

#include "cgsolve/status.h"
#include "study/comparison.h"

#include <stdbool.h>

struct check_options {
    bool help, quiet;
    const char *history, *reference;
    const char *junit; /* --junit, or NULL */
    struct comparison_rule rule;
};

/* Whether the command line is one of `check`: its first argument is that word. */
bool check_options_are_meant(int argc, char *const argv[]);

/* The texts are borrowed from argv. Errors: STATUS_CONFIG. */
enum status check_options_parse(int argc, char *const argv[], struct check_options *options,
                                struct error *error);

#endif

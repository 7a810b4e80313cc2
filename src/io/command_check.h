/* `cgsolve check [options] HISTORY REFERENCE`: two files held against each other. */
#ifndef IO_COMMAND_CHECK_H
#define IO_COMMAND_CHECK_H

#include "cgsolve/status.h"
#include "io/options_check.h"

#include <stdbool.h>

/* Compare, show what came out and write the JUnit file, if one is wanted. *same: every run passes. Errors:
 * STATUS_INPUT, STATUS_MEMORY, STATUS_OUTPUT. */
enum status command_check(const struct check_options *options, bool *same, struct error *error);

#endif

/* The command line of `cgsolve report [options] DIR...`, or of `... BENCH.csv`. */
#ifndef PROGRAM_REPORT_OPTIONS_REPORT_H
#define PROGRAM_REPORT_OPTIONS_REPORT_H

#include "base/status.h"
#include "program/command/command.h"

#include <stdbool.h>

struct report_options {
    bool plot;
    const char
        *output; /* --output, or NULL: report.html in the only directory, or beside the CSV */
    const char *picture;  /* --picture, or NULL */
    const char *of;       /* --of: the name of a plot, or NULL: the first */
    const char **sources; /* directories of results, or the CSV of a bench */
    int sources_count;
};

extern const struct command_option report_options_table[];

/* The texts are borrowed from argv; the caller calls report_options_free. Errors: STATUS_CONFIG,
 * STATUS_MEMORY. */
enum status report_options_parse(int argc, char *const argv[], struct report_options *options,
                                 struct error *error);
void report_options_free(struct report_options *options); /* accepts a zeroed one */

#endif

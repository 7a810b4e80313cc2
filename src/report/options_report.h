/* The command line of `cgsolve report [options] DIR...`. */
#ifndef REPORT_OPTIONS_REPORT_H
#define REPORT_OPTIONS_REPORT_H

#include "cgsolve/status.h"
#include "report/plot.h"

#include <stdbool.h>

struct report_options {
    bool help, plot;
    const char *output;    /* --output, or NULL: report.html in the only directory */
    const char *picture;   /* --picture, or NULL */
    const struct plot *of; /* --of: what it shows, or NULL: the residual histories */
    const char **directories;
    int directories_count;
};

/* Whether the command line is one of `report`: its first argument is that word. */
bool report_options_are_meant(int argc, char *const argv[]);

/* The texts are borrowed from argv; the caller calls report_options_free. Errors: STATUS_CONFIG,
 * STATUS_MEMORY. */
enum status report_options_parse(int argc, char *const argv[], struct report_options *options,
                                 struct error *error);
void report_options_free(struct report_options *options); /* accepts a zeroed one */

#endif

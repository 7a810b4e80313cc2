/* gnuplot (T. Williams, C. Kelley and others), run as a program: a script in, a picture out. */
#ifndef PROGRAM_REPORT_GNUPLOT_H
#define PROGRAM_REPORT_GNUPLOT_H

#include "base/status.h"

#include <stddef.h>

/* What gnuplot, without the settings of its user, writes to its standard output for the script: in
 * *output, ended by a zero byte; the caller frees it with free(). Script and output go through
 * files without a name, so neither waits for the other, and nothing is left behind. Errors:
 * STATUS_UNAVAILABLE when there is no gnuplot on PATH, or it cannot be started, STATUS_OUTPUT with
 * its complaint when it fails, STATUS_MEMORY. */
enum status gnuplot_run(const char *script, size_t length, char **output, size_t *output_length,
                        struct error *error);

#endif

/* `cgsolve report`, of studies or of a bench, and what is done for a study that has just written
 * its files. Both print what they have made to the standard output. */
#ifndef PROGRAM_REPORT_COMMAND_REPORT_H
#define PROGRAM_REPORT_COMMAND_REPORT_H

#include "base/status.h"
#include "program/command/command.h"
#include "program/config/settings.h"

#include <stdbool.h>

/* report.html of the study whose files are in output->directory, as far as output.report
 * wants it; not when `quiet`, unless output.report asks for the page. Errors of both: STATUS_CONFIG
 * also for what is asked of the other kind, STATUS_INPUT naming file and fault, STATUS_OUTPUT,
 * STATUS_MEMORY, and STATUS_UNAVAILABLE when a .pdf or .png is wanted and there is no
 * rsvg-convert. */
enum status report_after_study(const struct output_settings *output, bool quiet,
                               struct error *error);

#endif

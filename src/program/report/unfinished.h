/* What a run that did not come to its end has left in a directory of results
 * (program/record/results.h). */
#ifndef PROGRAM_REPORT_UNFINISHED_H
#define PROGRAM_REPORT_UNFINISHED_H

#include "base/status.h"

/* STATUS_INPUT, with what is there and what is missing, where the directory has no summary.json and
 * the files of such a run tell why. STATUS_OK where there is one, and where nothing tells. Errors
 * besides: STATUS_MEMORY. */
enum status unfinished_check(const char *directory, struct error *error);

#endif

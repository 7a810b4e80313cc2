/* One or more earlier studies, read for a report. Everything comes from the files in their output
 * directories: study_files.h reads one study, page.h writes the page, plot.h the pictures. */
#ifndef PROGRAM_REPORT_REPORT_H
#define PROGRAM_REPORT_REPORT_H

#include "base/status.h"
#include "program/report/plot.h"
#include "program/report/study_files.h"

#include <stdbool.h>

/* A page draws at most so many curves, shared out among its studies. */
enum { REPORT_CURVES = 200 };

struct report {
    struct recorded *studies; /* [count] */
    int count;
    struct plot_axes *axes; /* [count] */
    bool beside;            /* the page lies beside the files of its only study */
};

/* On failure *report is zeroed. The caller calls report_free. Errors: STATUS_INPUT naming file and
 * fault, STATUS_MEMORY. */
enum status report_read(const char *const *directories, int count, struct report *report,
                        struct error *error);
void report_free(struct report *report); /* accepts a zeroed one */

#endif

/* A report on one or more earlier studies: the page, the main picture, a small one for the terminal. Everything
 * comes from the files in their output directories. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "cgsolve/status.h"
#include "report/plot.h"
#include "report/recorded.h"

#include <stdio.h>

/* A page draws at most so many curves, shared out among its studies. */
enum { REPORT_CURVES = 200 };

struct report {
    struct recorded *studies; /* [count] */
    int count;
    struct plot_axes *axes; /* [count] */
};

/* On failure *report is zeroed. The caller calls report_free. Errors: STATUS_INPUT naming file and fault,
 * STATUS_MEMORY. */
enum status report_read(const char *const *directories, int count, struct report *report,
                        struct error *error);
void report_free(struct report *report); /* accepts a zeroed one */

/* Write the page. no_pictures->text says why pictures are missing in it, and is empty when none is. Errors:
 * STATUS_OUTPUT, STATUS_MEMORY. */
enum status report_page(const struct report *report, const char *path, struct error *no_pictures,
                        struct error *error);

#endif

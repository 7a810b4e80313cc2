/* The residual histories of any solver, from a CSV file (program/record/history_file.h): the number
 * of different histories, their first difference, and their pictures. */
#ifndef PROGRAM_REPORT_HISTORIES_H
#define PROGRAM_REPORT_HISTORIES_H

#include "base/status.h"
#include "program/record/history_file.h"
#include "program/report/page.h"
#include "program/report/study_files.h"

#include <stdbool.h>
#include <stdio.h>

struct histories {
    struct history_file file;
    /* Each solver, the column kernel, as a kernel, of which nothing is known but its histories. The
     * texts are those of the file and of `hashes`. */
    struct recorded study;
    struct plot_axes axes;
    char (*hashes)[17]; /* [file.runs_count]: of the bits of a history */
};

/* Whether the file has a column iteration: false where it cannot be read. */
bool histories_is(const char *path);

/* All residuals are in memory while it reads. At most `curves` histories are drawn. On failure
 * *histories is zeroed. The caller calls histories_free. Errors: STATUS_INPUT naming file, line and
 * fault, of several right-hand sides too; STATUS_MEMORY. */
enum status histories_read(const char *path, int64_t curves, struct histories *histories,
                           struct error *error);
void histories_free(struct histories *histories); /* accepts a zeroed one */

/* A table with a row for each solver, and a verdict on each. */
void histories_print(FILE *stream, const struct histories *histories);

page_writer histories_page; /* of a struct histories */

#endif

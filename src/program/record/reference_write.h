/* A reference written from the results of a run: leading lines "# NAME: TEXT" that say how the
 * history came about (program/record/history_facts.h), then the header and the rows of history.csv,
 * as they stand there, of all columns of the right-hand sides. What came out of each of several
 * columns has a line of its own, "# NAME COLUMN: TEXT". */
#ifndef PROGRAM_RECORD_REFERENCE_WRITE_H
#define PROGRAM_RECORD_REFERENCE_WRITE_H

#include "base/status.h"
#include "io/text_file.h"
#include "program/config/settings.h"

#include <stdint.h>

/* Whether the settings make the one history that the file at the path shall hold, and that is none
 * of the files of the results. Nothing is chosen for the user: of several kernels none is. Errors:
 * STATUS_CONFIG. */
enum status reference_write_check(const char *path, const struct study_settings *study,
                                  const char *directory, struct error *error);

/* The first run of DIRECTORY/history.csv, with what DIRECTORY/summary.json says of it, into a file
 * begun with text_file_begin; the file is finished, or abandoned on failure. In *histories how
 * many different ones there are among the runs of its kernel, in the column with the most. Errors:
 * STATUS_INPUT, STATUS_MEMORY, STATUS_OUTPUT. */
enum status reference_write(const char *directory, struct text_file *file, int64_t *histories,
                            struct error *error);

#endif

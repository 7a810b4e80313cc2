/* Two traces held against each other (program/record/trace_write.h): the first iteration and vector
 * whose bits differ. */
#ifndef PROGRAM_RECORD_TRACE_DIFF_H
#define PROGRAM_RECORD_TRACE_DIFF_H

#include "base/status.h"

#include <stdbool.h>
#include <stdio.h>

/* Compare what both runs have of the same iterations and vectors, in the order in which it was
 * made, and print what was found. A run is named DIRECTORY,LABEL,NUMBER, or DIRECTORY alone where
 * that holds one run. *same: no bit of it differs. Errors: STATUS_INPUT (no such run; a file that
 * is no trace; traces of vectors of different lengths, one of hashes and one of values, or without
 * anything in common), STATUS_MEMORY. */
enum status trace_diff(FILE *stream, const char *run_a, const char *run_b, bool *same,
                       struct error *error);

#endif

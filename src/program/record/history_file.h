/* Reads a file of residual histories: history.csv of a run, a reference, or the histories of
 * another solver. The residuals are streamed, so memory does not grow with their number; those of a
 * reference, one run in all its columns, are kept.
 *
 * It is a CSV file (io/csv.h) whose header line names at least the columns run, iteration, and
 * residual_hex or residual, in any order; kernel, and of several right-hand sides column; the
 * others are passed over. Without kernel, runs are called after the file ("cg" of a/cg.csv). The
 * rows of one run in one column stand together, from iteration 0 without a gap. residual_hex is a
 * C99 hexadecimal constant that is not negative, or inf, or nan; residual, which counts where there
 * is no residual_hex, a decimal number likewise. So another solver's histories are such a file.
 *
 * Lines that begin with # may stand before the header; then the file is a reference: it holds one
 * run, in all its columns, and the lines say how it came about (program/record/history_facts.h),
 * the problem's two hashes at least. A file without them is asked about in the summary.json beside
 * it, where there is one. */
#ifndef PROGRAM_RECORD_HISTORY_FILE_H
#define PROGRAM_RECORD_HISTORY_FILE_H

#include "base/status.h"
#include "program/record/history_facts.h"

#include <stdint.h>

/* A run, in one of the columns of the right-hand sides. */
struct recorded_run {
    char *label;
    int64_t run;
    int64_t column; /* from 0 */
    int64_t count;  /* of its residuals, */
    int64_t begin;  /* and which of all residuals of the file is its first */
    int64_t lines;  /* of the file, from the header on to its last row */
    double seconds; /* that the iterations took; 0 when not known */
    struct history_facts facts;
};

struct history_file {
    char *path;
    bool has_lead;    /* lines that begin with # */
    bool has_columns; /* a column `column`: several right-hand sides */
    struct recorded_run *runs;
    int64_t runs_count, runs_capacity;
    double *residuals; /* of a reference: those of all its runs, one after the other; else NULL */
    int64_t residuals_capacity;
};

/* What is called with every residual: that of runs[run] in `iteration`, as they stand in the file.
 * The facts are not known before the end of the file. A status other than STATUS_OK ends the
 * reading with it. */
typedef enum status history_take(void *context, int64_t run, int64_t iteration, double residual,
                                 struct error *error);

/* ", run 2", or ", run 2, column 3" where the file has columns. Gives back text. */
const char *recorded_run_name(const struct history_file *file, int64_t run, char *text,
                              size_t size);

/* take may be NULL. On failure *file is zeroed. The caller calls history_file_free. Errors:
 * STATUS_INPUT naming file, line and fault, STATUS_MEMORY, those of `take`. */
enum status history_file_read(const char *path, history_take *take, void *context,
                              struct history_file *file, struct error *error);

/* Keep the residuals; also STATUS_INPUT when it holds more than one run. */
enum status reference_file_read(const char *path, struct history_file *file, struct error *error);

void history_file_free(struct history_file *file); /* accepts a zeroed one */

#endif

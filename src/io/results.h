/* What a run writes into its output directory: settings.cfg (as applied), history.csv and
 * summary.json. docs/reading-results.md describes them to readers. */
#ifndef IO_RESULTS_H
#define IO_RESULTS_H

#include "base/machine.h"
#include "cgsolve/status.h"
#include "io/settings.h"
#include "io/system.h"
#include "io/text_file.h"
#include "study/study.h"

#include <stdbool.h>

/* Make the directory, take the results of an earlier run out of it, so that they do not stand beside
 * other settings, and write settings.cfg into it. Errors: STATUS_OUTPUT, STATUS_MEMORY. */
enum status results_begin(const struct settings *settings, struct error *error);

/* Whether the path is one of the files that a run writes, or makes on the way, in that directory. */
bool results_include(const char *directory, const char *path);

/* history.csv: the columns
 *
 *     kernel,run,iteration,residual,residual_hex,alpha,beta
 *
 * a row for every iteration from 0, in the order in which they are made. residual is ||r_k||_2 with
 * 17 digits, residual_hex the same as a C99 hexadecimal constant: it has the bits, and decides.
 * alpha and beta are those that made r_k (struct history_row); row 0 leaves them empty. */
enum status history_csv_begin(const char *directory, struct text_file *file, struct error *error);
enum status history_csv_row(struct text_file *file, const char *label, int64_t run,
                            const struct history_row *row, struct error *error);

/* summary.json, schema 1: written whole, at the end. */
enum status summary_json_write(const struct settings *settings, const struct linear_system *system,
                               const struct machine *machine, const struct study_kernel *kernels,
                               int count, struct error *error);

#endif

/* The files of a run in its output directory: settings.cfg (as applied), history.csv, envelope.csv
 * and summary.json, and optionally a trace, eigenvectors and solutions. docs/reading-results.md
 * describes them to readers.
 *
 * A study writes into OUTPUT/unfinished, and keeps earlier results. When all files are complete,
 * they replace the earlier ones. summary.json is the first to be removed and the last to be moved,
 * so a directory with a summary.json is complete. Meanwhile the output directory is locked. */
#ifndef PROGRAM_RECORD_RESULTS_H
#define PROGRAM_RECORD_RESULTS_H

#include "base/machine.h"
#include "base/status.h"
#include "io/text_file.h"
#include "program/config/settings.h"
#include "program/config/system.h"
#include "study/study.h"

#include <stdbool.h>
#include <stdint.h>

/* The directory in the output directory. */
#define RESULTS_UNFINISHED "unfinished"

/* Make the output directory of a config. Errors: STATUS_OUTPUT, also where no file can be made in
 * it, with the option that names another; STATUS_MEMORY. */
enum status results_directory_make(const char *directory, struct error *error);

/* Keep other runs out of the directory until the caller closes *lock, or the process ends. It is
 * locked by flock(2), so nothing remains of a process that was killed. Errors, with *lock = -1:
 * STATUS_OUTPUT, where another run has locked it, with the process if that is known. */
enum status results_lock(const char *directory, int *lock, struct error *error);

/* Make the output directory and `unfinished`, which is OUTPUT/unfinished; take what an earlier run
 * left there out of it (but results of a complete study, if the program was killed while it
 * replaced the earlier ones: these take their places first, unless their summary.json is gone); and
 * write settings.cfg into it (settings_text). A link of that name is removed. Errors: STATUS_CONFIG
 * when a file that is read is one of the results, or the output directory is itself such an
 * `unfinished`; STATUS_OUTPUT, also when a directory has the name of a result; STATUS_MEMORY. */
enum status results_begin(const struct problem_settings *problem,
                          const struct solver_settings *solver, const char *directory,
                          const char *unfinished, const char *settings_cfg, struct error *error);

/* Take the results of the earlier run out of the output directory, move those in `unfinished`,
 * which are complete, to their places, and remove `unfinished`, unless somebody has put something
 * else into it. Killed on the way, it can go on from where it was: a file `complete` or `moving` in
 * `unfinished` says so. Errors: STATUS_OUTPUT, STATUS_MEMORY. */
enum status results_replace(const char *directory, const char *unfinished, struct error *error);

/* Whether the path is one of the files that a run writes, or makes on the way, for that output
 * directory. */
bool results_include(const char *directory, const char *path);

/* history.csv: the columns
 *
 *     kernel,run,iteration
 *
 * and the series that the method has (with_M: with a preconditioner), numbers with 17 digits; of
 * several right-hand sides also `column` (of B in A X = B, from 0), the last one. After `residual`
 * comes residual_hex, the same as a C99 hexadecimal constant: it has the bits, and decides. A row
 * for every iteration from 0, in the order in which they are made; what a row has no value of is
 * empty. The rows of one kernel, run and column stand together: of several columns those of a run
 * are kept until it has ended. */
struct history_csv {
    struct text_file file;
    int64_t columns;
    int64_t *runs; /* [runs_count][columns]: at which byte the rows begin of each run of the last
                      kernel */
    int64_t runs_count, runs_capacity;
    const struct series *series; /* of the method */
    int series_count;
    int residual, residual_hex; /* the first one's place among them, the other's in a line */
    struct history_rows *kept;  /* [columns] of the run that goes on */
    struct event last;          /* row: its values are not valid */
    double written;             /* when rows last went to the file: clock_seconds */
};

/* Of one column, from iteration `first` on: [count][series_count]. */
struct history_rows {
    double *values;
    int64_t first, count, capacity;
};

enum status history_csv_begin(const char *directory, const struct method *method, bool with_M,
                              int64_t columns, struct history_csv *history, struct error *error);
/* An EVENT_ROW. The runs of a kernel are numbered from 1, and come in that order. The rows
 * of a single column are written twice a second, those of several columns when the run has ended:
 * history_csv_flush. */
enum status history_csv_row(struct history_csv *history, const struct event *row,
                            struct error *error);
/* Brings all rows to the disk; wanted when a run has ended. */
enum status history_csv_flush(struct history_csv *history, struct error *error);
/* Gives the file its name, and frees *history; after an error history_csv_abandon does. */
enum status history_csv_finish(struct history_csv *history, struct error *error);
/* Free *history, and leave history.csv.partial. */
void history_csv_abandon(struct history_csv *history);

/* envelope.csv: the columns
 *
 *     kernel,iteration,runs,min,median,max,ulps
 *
 * and of several right-hand sides `column`, a row for every iteration that a run of the kernel came
 * to: over the runs that did, the lowest, the median (the mean of the middle two for an even count)
 * and the highest residual, with 17 digits, and how many doubles lie from the lowest to the
 * highest; no number stands there when one of them is NaN. */
enum status envelope_csv_begin(const char *directory, int64_t columns, struct text_file *file,
                               struct error *error);

/* The rows of the last kernel in the history, whose results in one of the columns these are. The
 * medians are made of the file, which is read once more, a piece of every run at a time: the memory
 * that it takes does not depend on how many iterations there are. Errors: STATUS_OUTPUT,
 * STATUS_MEMORY. */
enum status envelope_csv_kernel(struct text_file *file, struct history_csv *history,
                                const struct study_kernel *kernel, struct error *error);

enum summary_state {
    SUMMARY_GOES_ON,     /* more kernels follow: it is called summary.json.partial */
    SUMMARY_INTERRUPTED, /* none follows, though the study is not complete */
    SUMMARY_COMPLETE,
};

/* summary.json, schema 1, written whole into the directory: of the first `count` kernels of the
 * study, kernels[count][system->columns]. */
enum status summary_json_write(const char *directory, const struct problem_settings *problem,
                               const struct solver_settings *solver,
                               const struct linear_system *system, const struct machine *machine,
                               const struct study_kernel *kernels, int count,
                               enum summary_state state, struct error *error);

/* Whether the settings make the one history that the file at the path shall hold, and that is none
 * of the files of the results. Nothing is chosen for the user: of several kernels none is. Errors:
 * STATUS_CONFIG. */
enum status reference_write_check(const char *path, const struct study_settings *study,
                                  const char *directory, struct error *error);

/* The first run of DIRECTORY/history.csv, with what DIRECTORY/summary.json says of it, into a file
 * begun with text_file_begin_at; the file is finished, or abandoned on failure. In *histories how
 * many different ones there are among the runs of its kernel, in the column with the most. Errors:
 * STATUS_INPUT, STATUS_MEMORY, STATUS_OUTPUT. */
enum status reference_write(const char *directory, struct text_file *file, int64_t *histories,
                            struct error *error);

#endif

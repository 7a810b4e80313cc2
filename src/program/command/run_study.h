/* The study of one system: every kernel of the settings, its rows into the output files, its line
 * into the table on the standard output. */
#ifndef PROGRAM_COMMAND_RUN_STUDY_H
#define PROGRAM_COMMAND_RUN_STUDY_H

#include "base/status.h"
#include "program/config/settings.h"
#include "program/config/system.h"
#include "study/study.h"

#include <stdbool.h>

struct study_verdict {
    int64_t runs, failed; /* solves, of each column one, and those that did not converge, of which
                             the first is: */
    const char *label;    /* in the settings; NULL where every solve converged */
    int64_t run, column, iterations;
    int64_t columns; /* of the right-hand sides */
    enum reason reason;
    /* the label of the first kernel that has other bits than it promises (promise_is_broken), in
     * the settings; NULL: none */
    const char *broken;
};

/* The output of a study. */
struct study_shown {
    bool quiet;   /* no table and no progress; broken promises are shown */
    bool wide;    /* a table with all columns */
    bool details; /* what terminal_print_details says */
};

/* config: its name, for the table. During a study, and after a failure,
 * OUTPUT/unfinished/NAME.partial has the finished parts: the rows of every finished run, and
 * envelope and summary of every finished kernel. The end of a complete study replaces earlier
 * results. SIGINT, SIGTERM or SIGHUP during the solves ends the current run, and the study. Then
 * OUTPUT/unfinished has the results so far as complete files, a line says so (on the standard error
 * if quiet), and STATUS_INTERRUPTED is given back. The caller must end the program by
 * interruption_raise (program/command/interruption.h). Errors: as space_create, study_kernel_run,
 * results_begin, STATUS_OUTPUT. */
enum status run_study(const char *config, const struct settings *settings,
                      const struct linear_system *system, const struct study_shown *shown,
                      struct study_verdict *verdict, struct error *error);

#endif

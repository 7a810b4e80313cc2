/* The study of one system: every kernel of the settings, its rows into the output files, its line into the table
 * on the standard output. */
#ifndef IO_RUN_STUDY_H
#define IO_RUN_STUDY_H

#include "cgsolve/status.h"
#include "io/settings.h"
#include "io/system.h"

#include <stdbool.h>

struct study_verdict {
    bool converged;     /* every solve did */
    bool promises_kept; /* no kernel has shown other bits than it promises (study/promise.h) */
};

/* config: its name, for the table. quiet: no table and no progress; broken promises are shown. After a failure,
 * and while it goes on, what is finished stands in the files NAME.partial: the rows of every finished run, and
 * envelope and summary of every finished kernel. Errors: as space_create, study_kernel_run, STATUS_OUTPUT. */
enum status run_study(const char *config, const struct settings *settings,
                      const struct linear_system *system, bool quiet, struct study_verdict *verdict,
                      struct error *error);

#endif

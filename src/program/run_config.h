/* The study of one config. */
#ifndef PROGRAM_RUN_CONFIG_H
#define PROGRAM_RUN_CONFIG_H

#include "program/command/run_study.h"
#include "program/record/history_check.h"

/* Make the system, solve it (run_study), compare the runs with the reference of the check, if that
 * was begun, and make the page. config: its name. *good: every promise of equal bits was kept and,
 * with a reference, every history is the same; without, every solve converged. Errors: those of
 * program_load_system, run_study, history_check_compare and report_after_study. */
enum status run_config(const char *config, const struct settings *settings,
                       const struct study_shown *shown, struct history_check *check, bool *good,
                       struct error *error);

#endif

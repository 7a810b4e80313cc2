/* The outcome of checks as JUnit XML, which systems for continuous integration show: a testsuite
 * for each check, a testcase for each run that was compared, in a failure what
 * history_check_print_failure says. */
#ifndef PROGRAM_RECORD_JUNIT_H
#define PROGRAM_RECORD_JUNIT_H

#include "base/status.h"
#include "program/record/history_check.h"

/* Errors: STATUS_OUTPUT, STATUS_MEMORY. */
enum status junit_write(const char *path, const struct history_check *checks, int count,
                        struct error *error);

#endif

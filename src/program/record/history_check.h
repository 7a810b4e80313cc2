/* A regression test: compares the runs of a history file with a reference. It uses only files, so a
 * study's new history and any two files take the same code. The reference, one run in all its
 * columns, is in memory; the rows of the history are streamed. */
#ifndef PROGRAM_RECORD_HISTORY_CHECK_H
#define PROGRAM_RECORD_HISTORY_CHECK_H

#include "base/status.h"
#include "program/config/system.h"
#include "program/record/history_file.h"
#include "study/comparison.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct history_check {
    const char *name; /* of the test: the config, or the history; borrowed */
    struct comparison_rule rule;
    struct history_file reference;
    struct history_file history;    /* zeroed until history_check_compare */
    struct comparison *comparisons; /* [history.runs_count] */
    int64_t comparisons_capacity;
};

/* Read the reference. On failure *check is zeroed. The caller calls history_check_free. Errors: as
 * reference_file_read. */
enum status history_check_begin(const char *name, const char *reference,
                                const struct comparison_rule *rule, struct history_check *check,
                                struct error *error);

/* Before a solve: STATUS_INPUT when the reference is of another problem than this one, or from
 * another start. */
enum status history_check_problem(const struct history_check *check,
                                  const struct linear_system *system, struct error *error);

/* Read the history and compare every run in it. Errors: as history_file_read, STATUS_INPUT for
 * another problem. */
enum status history_check_compare(struct history_check *check, const char *history,
                                  struct error *error);

/* The index of the reference's run in the same column as a run of the history; -1: none. */
int64_t history_check_reference(const struct history_check *check, int64_t run);

/* The number of runs that fail the rule, each column counted separately. */
int64_t history_check_failures(const struct history_check *check);

/* The result, in a few lines for each label: its first failing run, and the number of others.
 * `quiet`: only failures. */
void history_check_print(FILE *stream, const struct history_check *check, bool quiet);

/* A run that fails: one line that says what differs, then what is known of it. */
void history_check_print_failure(FILE *stream, const struct history_check *check, int64_t run);

/* The outcome of checks as JUnit XML, which systems for continuous integration show: a testsuite
 * for each check, a testcase for each run that was compared, in a failure what
 * history_check_print_failure says. Errors: STATUS_OUTPUT, STATUS_MEMORY. */
enum status junit_write(const char *path, const struct history_check *checks, int count,
                        struct error *error);

void history_check_free(struct history_check *check); /* accepts a zeroed one */

#endif

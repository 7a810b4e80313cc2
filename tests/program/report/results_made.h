/* Directories of results, made by hand: one kernel, whose runs are what a test wants. */
#ifndef TESTS_REPORT_RESULTS_MADE_H
#define TESTS_REPORT_RESULTS_MADE_H

#include <stdint.h>

/* Write NAME/summary.json and NAME/history.csv below the suite's temporary directory, and give its
 * path (static storage, until the next call): `runs` runs of the kernel `label`, with `histories`
 * different histories in turns, each with `iterations` iterations, in which the residual is halved
 * from 2^0. label is UTF-8. */
const char *results_made(const char *name, const char *label, int64_t runs, int64_t histories,
                         int64_t iterations);

/* Replace what stands in DIRECTORY/FILE from the first `from` on by `to`: to the end of the file,
 * or as long as `from` is. */
void results_cut(const char *directory, const char *file, const char *from, const char *to);
void results_edit(const char *directory, const char *file, const char *from, const char *to);

/* Write DIRECTORY/FILE. */
void results_write(const char *directory, const char *file, const char *text);

#endif

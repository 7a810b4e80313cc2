/* A line on a terminal that says how far a study is: kernel, run, iteration, residual, iterations a
 * second, time left. Rewritten in place, ten times a second at most. */
#ifndef IO_PROGRESS_H
#define IO_PROGRESS_H

#include "cgsolve/solver.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
    FILE *stream; /* NULL: shows nothing */
    double tolerance;
    bool relative;   /* the residuals of the rows are, so that it is reached as it stands */
    int64_t runs;    /* solves of the whole study */
    int64_t done;    /* solves that are finished */
    double begun;    /* clock_seconds of this run's row 0 */
    double shown;    /* clock_seconds when the line was last written */
    double start;    /* the first residual of this run that is a number above 0; 0: none yet */
    double lowest;   /* the lowest of them so far: they may rise again */
    double finished; /* seconds of the finished runs, added up */
};

/* Show on `stream` if it is a terminal; NULL never shows. */
void progress_begin(struct progress *progress, FILE *stream, const struct solver_options *options,
                    int64_t runs);
void progress_row(struct progress *progress, const char *label, int64_t run,
                  const struct history_row *row);
void progress_run_finished(struct progress *progress, double seconds);

/* Wipe the line, so that other output can follow. */
void progress_clear(struct progress *progress);

#endif

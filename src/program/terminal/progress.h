/* How far a study is, in a line: a bar, run, iteration, residual, iterations a second, time left,
 * and the kernel. On a terminal it is rewritten in place, ten times a second at most, and never
 * longer than the terminal is wide; elsewhere it is a whole line a minute, so that a log shows
 * life.
 *
 * Bar and time left are those of the kernel, because what the next one will take is not known:
 * another kernel may be ten times as fast. Its finished runs say what its others will take. In the
 * first one the time left is as long as the logarithm of the lowest residual still has to go to the
 * tolerance; of several right-hand sides that of the first. */
#ifndef PROGRAM_TERMINAL_PROGRESS_H
#define PROGRAM_TERMINAL_PROGRESS_H

#include "solver/solver.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
    FILE *stream;  /* NULL: shows nothing */
    bool rewrites; /* the line; else it adds one */
    int residual;  /* its place in a row */
    double tolerance, absolute_tolerance;
    bool relative;       /* the residuals of the rows are, so that it is reached as it stands */
    int kernel, kernels; /* which one it is, from 1, and how many there are */
    const char *label;   /* its, borrowed */
    int64_t repeats;     /* runs of each kernel */
    int64_t done;        /* runs of this one that are finished, */
    double finished;     /* and their wall time, added up */
    double begun;        /* clock_seconds of this run's row 0 */
    double shown;  /* clock_seconds when the line was last written; -INFINITY: it is not there */
    double start;  /* the first residual of this run that is a number above 0; 0: none yet */
    double lowest; /* the lowest of them so far: they may rise again */
};

/* A stream that is NULL never shows. */
void progress_begin(struct progress *progress, FILE *stream, const struct solver_options *options,
                    int64_t repeats, int kernels);

/* Add lines and rewrite none where `other`, to which other output goes, is a pipe
 * (program/terminal/layout.h). */
void progress_beside(struct progress *progress, FILE *other);

/* The next kernel begins with its set-up; its rows, each an EVENT_ROW; the end of a run. */
void progress_kernel(struct progress *progress, const char *label);
void progress_row(struct progress *progress, const struct event *row);
void progress_run_finished(struct progress *progress);

/* Wipe the line, so that other output can follow. */
void progress_clear(struct progress *progress);

/* Seconds that the runs of the kernel still take; negative: nothing can be said. */
double progress_seconds_left(const struct progress *progress, double now);

/* The line in at most so many columns, with what matters least left out, and the label cut as the
 * last. row NULL: set-up. Gives back text. */
const char *progress_text(const struct progress *progress, double now, const struct event *row,
                          int columns, char *text, size_t size);

#endif

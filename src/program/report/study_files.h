/* An earlier study, read from the files of its output directory: all that a page shows of it.
 * Memory does not grow with the runs beyond what summary.json holds of them: the histories go by,
 * and are thinned out. */
#ifndef PROGRAM_REPORT_STUDY_FILES_H
#define PROGRAM_REPORT_STUDY_FILES_H

#include "base/status.h"
#include "io/csv.h"
#include "program/report/course.h"
#include "program/report/ritz_values.h"
#include "program/report/selection.h"
#include "program/report/summary.h"

#include <stdbool.h>

/* What lies between the runs of one kernel, from envelope.csv; of several right-hand sides between
 * the runs of all columns. */
struct recorded_envelope {
    struct course residuals; /* from the lowest to the highest */
    struct course ulps; /* from the lowest to the highest residual, RECORDED_NO_ULPS for 0, as long
                           as two runs go on; of several right-hand sides in the column where that
                           is the most */
};

/* The iterations in which the runs end of the kernel whose counts lie furthest apart, and of those
 * kernels that end near it. begin > end where that is most of the histories. */
struct recorded_ends {
    int64_t begin, end;
};

/* Two equal residuals are 0 ulps apart, which has no place on a logarithmic axis. */
#define RECORDED_NO_ULPS 0.05

struct recorded_curve {
    struct course history; /* the residuals; of several right-hand sides the median of a kernel's
                              columns, of their medians over the runs */
    struct course last;    /* the iterations `ends` of the same, in more detail */
    struct course ghosts;  /* by Lanczos' method; empty where the file does not tell */
    int64_t first_ghost;   /* the iteration; -1: none */
};

struct recorded {
    char *directory; /* as it was given, but fit to be shown */
    struct summary summary;
    char *settings; /* the whole of settings.cfg, fit to be shown; NULL when it is not there */
    struct selection selection;
    struct recorded_curve *curves; /* [selection.count] */
    struct recorded_ends ends;
    struct course error;     /* error_norm of curves[0]; empty where the file does not tell */
    struct ritz_values ritz; /* of curves[0] */
    bool has_envelope;       /* envelope.csv is there */
    struct recorded_envelope *envelope; /* [summary.kernels_count] */
    const struct plot_axes *axes;       /* borrowed; NULL until a report has them */
};

/* Read DIRECTORY/summary.json, history.csv and, where they are, settings.cfg and envelope.csv; of
 * several right-hand sides history.csv is not read. At most `curves` histories are kept. On failure
 * *recorded is zeroed. The caller calls recorded_free. Errors: STATUS_INPUT naming file, line and
 * fault, STATUS_MEMORY. */
enum status recorded_read(const char *directory, int64_t curves, struct recorded *recorded,
                          struct error *error);
void recorded_free(struct recorded *recorded); /* accepts a zeroed one */

/* STATUS_INPUT, with what is there and what is missing, where the directory has no summary.json and
 * the files of a run that did not end (program/record/results.h) tell why. STATUS_OK where there is
 * one, and where nothing tells. Errors besides: STATUS_MEMORY. */
enum status unfinished_check(const char *directory, struct error *error);

/* Pieces of the reading. The kernel of the row, whose label stands in that column; -1 after a
 * fault. Of a recorded whose summary is read, the selection, and the curves without points; and the
 * residual of selection.runs[curve] in the next iteration; and the envelopes, and of several
 * right-hand sides the curves, from the envelope.csv at the path. */
int recorded_find_kernel(const struct recorded *recorded, struct csv_rows *rows, int column);
enum status recorded_begin_curves(struct recorded *recorded, int64_t most, struct error *error);
enum status recorded_take_residual(struct recorded *recorded, int64_t curve, int64_t iteration,
                                   double residual, struct error *error);
enum status recorded_read_envelope(struct recorded *recorded, const char *path,
                                   struct error *error);

#endif

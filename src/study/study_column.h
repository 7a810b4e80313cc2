/* The state of one column of the right-hand sides during the runs of a kernel. */
#ifndef STUDY_STUDY_COLUMN_H
#define STUDY_STUDY_COLUMN_H

#include "base/threads.h"
#include "space/ranks/partition.h"
#include "study/study.h"

#include <pthread.h>

struct study_column {
    struct study_kernel *result;
    struct study_run *run; /* the one that is going */
    double *residuals;     /* of that run; counted after its end */
    int64_t residuals_capacity;
    int64_t length;           /* of a solution */
    struct partition *of;     /* its rows over ranks, borrowed; NULL: each has all */
    int64_t first, rows;      /* the rows of this rank */
    const double *x;          /* [length]: the solution of that run, borrowed */
    double *lowest, *highest; /* [rows]: the extremes of the solutions; NULL: of one run alone */
    double widest;            /* max_i highest_i - lowest_i */
    double largest;           /* max over the runs of ||x||_inf */
    bool finite;              /* every component of every solution */
    pthread_mutex_t lock;     /* of these three */
};

/* Begin before the `repeats` runs of *result. Ranks with their own rows of a solution all make the
 * same calls. The caller calls study_column_free, also after a failure. Errors: STATUS_MEMORY. */
enum status study_column_create(struct study_kernel *result, int64_t repeats, int64_t length,
                                struct partition *of, struct study_column *column,
                                struct error *error);

/* The next run, from 1. */
void study_column_begin(struct study_column *column, int64_t run);

/* The residual of its next row. Errors: STATUS_MEMORY. */
enum status study_column_row(struct study_column *column, int64_t iteration, double residual,
                             struct error *error);

/* Its end: the result of a run, and x[length] in the problem's own numbering (of ranks as
 * space/ranks/rank_vector.h has it). Errors: STATUS_MEMORY, STATUS_RANK. */
enum status study_column_end(struct study_column *column, const struct solver_result *found,
                             double *x, struct threads *threads, struct error *error);

/* The end of all runs. Errors: STATUS_MEMORY, STATUS_RANK. */
enum status study_column_finish(struct study_column *column, struct error *error);

void study_column_free(struct study_column *column); /* accepts a zeroed one */

/* Fill the members of *result that follow from its runs[runs_count] and its envelope. Errors:
 * STATUS_MEMORY. */
enum status study_statistics(struct study_kernel *result, struct error *error);

#endif

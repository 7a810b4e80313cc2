/* The Ritz values of a run, iteration by iteration. history.csv has the entries of T, not its
 * eigenvalues, so T is made once more as the method made it (solver/lanczos/ritz.h), restarts
 * included, and compared with the extreme Ritz values of the file. Later rounds begin with vectors
 * that no file knows: only the first is followed. */
#ifndef PROGRAM_REPORT_RITZ_VALUES_H
#define PROGRAM_REPORT_RITZ_VALUES_H

#include "program/report/summary.h"
#include "solver/lanczos/ritz.h"

#include <stdbool.h>
#include <stdint.h>

struct ritz_point {
    int64_t iteration;
    double theta;
    bool converged;
};

struct ritz_values {
    struct ritz T;
    double *border;            /* [T.most] */
    double work;               /* of the eigenvalues so far */
    bool ended;                /* what follows is not followed */
    int64_t last;              /* the last iteration that was; 0: none */
    int64_t every;             /* so many iterations have one column of points */
    struct ritz_point *points; /* [count], by iteration, then ascending */
    int64_t count, capacity;
};

/* Of a run of so many iterations. Where the summary tells of no eigenvalues, or of a basis for
 * which a page has no time, nothing is followed. The caller calls ritz_values_free, also on
 * failure. Errors: STATUS_MEMORY. */
enum status ritz_values_begin(const struct summary *summary, int64_t iterations,
                              struct ritz_values *values, struct error *error);
void ritz_values_free(struct ritz_values *values); /* accepts a zeroed one */

/* The next iteration, from 1: the last entries of T, and its extreme eigenvalues as the file has
 * them. Errors: STATUS_MEMORY, STATUS_INPUT. */
enum status ritz_values_take(struct ritz_values *values, int64_t iteration, double alpha,
                             double beta, double low, double high, struct error *error);

#endif

/* The content of an earlier run's summary.json, for the page: the problem, the machine, the solver,
 * and for each kernel its statistics and runs. docs/reading-results.md explains the members. */
#ifndef PROGRAM_REPORT_SUMMARY_H
#define PROGRAM_REPORT_SUMMARY_H

#include "base/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { SUMMARY_NOT_TOLD = -2 };

struct summary_run {
    int64_t run, iterations;
    int64_t column; /* of the right-hand sides, from 0 */
    const char *reason, *history_hash, *solution_hash;
    /* Over ||b|| of the column; with eigenvalues as they are. NaN where the file says null. */
    double residual, true_residual;
    double seconds;                        /* an iteration */
    double ritz_low, ritz_high, condition; /* NaN where the file says null, or nothing */
    bool converged;
};

/* With all columns of the right-hand sides: of several, the statistics are those of all their runs,
 * histories are counted in the column with the most, a first difference is the first in any
 * column, and a spread the widest. */
struct summary_kernel {
    int64_t columns;
    const char *label, *kernel, *storage, *guarantee, *description;
    const char *preconditioner; /* what its set-up found; may be empty */
    const char *reductions;     /* its own; NULL where the file does not tell */
    int64_t threads;            /* its own; 0 where the file does not tell */
    json_t *parameters; /* of the kernel, by their names; NULL where the file does not tell */
    bool declared;      /* the guarantee of a plug-in's kernel */
    bool promise_broken;
    int64_t iterations_min, iterations_max;
    double iterations_median;
    int64_t histories;        /* how many different ones there are */
    int64_t first_difference; /* the iteration; -1 if none */
    int64_t first_apart;    /* likewise, 1 % apart; SUMMARY_NOT_TOLD where the file does not tell */
    double solution_spread; /* NaN where the file says null */
    double setup_seconds;
    double seconds; /* an iteration, the median over the runs; 0 when nothing was iterated. Of
                       several columns: of all together, over the iterations of the longest */
    double seconds_low,
        seconds_high;             /* the quartiles of the same: the middle half lies between them */
    double bytes_an_iteration;    /* by the kernel's byte model */
    struct summary_run *runs;     /* [runs_count], at least one: those that count (study/study.h) */
    struct summary_run *by_count; /* [runs_count]: the same, ascending by their iterations */
    int64_t runs_count;
    const struct summary_run *interrupted; /* a further run, which does not count; NULL: none */
};

struct summary {
    json_t *json; /* owns the texts */
    const char *problem, *path /* of a file, or NULL */, *reorder, *rhs;
    const char *matrix_hash, *rhs_hash;
    int64_t n, nnz_full, nnz_upper;
    double rhs_norm;         /* of several right-hand sides the largest */
    int64_t columns;         /* 1 where the file does not tell */
    bool rhs_is_eigenvector; /* false where the file does not tell */
    const char *cpu, *device, *system, *compiler, *version;
    const char *commit, *host, *command,
        *date;           /* when the study began; empty where the file does not tell */
    double load, others; /* NaN where the file does not tell */
    int64_t cores, threads;
    double memory; /* bytes; 0 when unknown */
    const char *method, *reductions;
    const char *preconditioner; /* "none" too where the file does not tell */
    const char *start,
        *start_hash; /* "zero" too where the file does not tell; of x_0, empty there */
    double tolerance, absolute_tolerance; /* the second 0: none */
    int64_t max_iterations;
    bool interrupted;               /* runs are missing; false where the file does not tell */
    struct summary_kernel *kernels; /* [kernels_count], at least one */
    int kernels_count;
};

/* On failure *summary is zeroed. The caller calls summary_free. Errors: STATUS_INPUT naming the
 * file and what is wrong in it, STATUS_MEMORY. */
enum status summary_read(const char *path, struct summary *summary, struct error *error);
void summary_free(struct summary *summary); /* accepts a zeroed one */

/* Pieces of the reading. The kernel, of which another column is read, has that one too. And what
 * follows from all runs of a kernel: by_count, the times, and over several columns the median of
 * the iterations. Errors: STATUS_MEMORY. */
enum status summary_join(struct summary_kernel *kernel, const struct summary_kernel *column,
                         struct error *error);
enum status summary_finish(struct summary_kernel *kernel, struct error *error);

/* Whether the runs were after eigenvalues: a residual is then the largest bound of a wanted
 * ||A v - theta v|| / |theta|, and a solution is eigenvalues. */
bool summary_has_eigenvalues(const struct summary *summary);

/* The run that did worst: the first with the highest true residual, a NaN above all. */
const struct summary_run *summary_worst(const struct summary_kernel *kernel);

/* 1e9 bytes a second; 0 when nothing was iterated; NaN of several columns, of whose bytes there is
 * no model. */
double summary_rate(const struct summary_kernel *kernel);

/* How many runs did not converge. */
int64_t summary_failures(const struct summary_kernel *kernel);

/* The most iterations that any run took. */
int64_t summary_longest(const struct summary *summary);

/* The place of the kernel of that label, or -1. */
int summary_find(const struct summary *summary, const char *label);

#endif

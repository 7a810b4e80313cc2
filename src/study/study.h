/* A study: the same system solved several times by each of several kernels, with statistics over
 * the runs of a kernel. The memory for iterations does not grow with the runs, so a study of many
 * runs fits in memory: a run takes 208 bytes for each column. With several right-hand sides one run
 * solves all of them. Each column is then a separate series of runs, with its own history,
 * statistics and promise, and all rows of a run are kept until it ends. (product_bench.h is the
 * study of products alone.) */
#ifndef STUDY_STUDY_H
#define STUDY_STUDY_H

#include "base/status.h"
#include "matrix/csr.h"
#include "solver/solver.h"
#include "spmv/kernel.h"
#include "spmv/preconditioner.h"
#include "study/comparison.h"

#include <stdbool.h>
#include <stdint.h>

/* One solve. */
struct study_run {
    int64_t run;    /* from 1 */
    int64_t column; /* of the right-hand sides, from 0 */
    struct solver_result result;
    uint64_t history_hash; /* of the bits of every residual, in order */
    /* which of its kernel's histories, numbered as they first came, from 1; 0: it does not count */
    int64_t history;
    uint64_t solution_hash; /* of the bits of x, as the problem numbers it: hash_vector */
};

/* Seconds over iterations; 0 when nothing was iterated. */
double study_run_seconds_per_iteration(const struct study_run *run);

/* How many runs took that number of iterations. */
struct study_count {
    int64_t iterations, runs;
};

/* Residuals that differ by more than this part count as different convergence curves, not as
 * rounding. */
#define STUDY_APART 0.01

/* All runs of one kernel, in one column of the right-hand sides. A run that was interrupted
 * (REASON_INTERRUPTED) is the last. Beside finished runs it does not count: in no number, envelope
 * or promise (promise_is_made), because its length says nothing of the kernel. If it is the only
 * run, all statistics are of it. */
struct study_kernel {
    const char *label;           /* borrowed */
    int64_t column;              /* of the right-hand sides, from 0 */
    const struct kernel *kernel; /* borrowed */
    struct kernel_options options;
    enum reductions reductions;
    int threads;                            /* of the CPU */
    bool started;                           /* x_0 is not 0 */
    char description[OPERATOR_DESCRIPTION]; /* how the kernel keeps the matrix, or empty */
    struct operator_ranks ranks;            /* of the kernel */
    double setup_seconds;                   /* of the kernel, and of the preconditioner */
    int64_t bytes_per_apply;
    int64_t bytes_per_iteration;                           /* solver_bytes_per_iteration, of a
                                                              column alone */
    int64_t memory_bytes;                                  /* of both */
    const char *preconditioner;                            /* its name; NULL without one */
    char preconditioner_description[OPERATOR_DESCRIPTION]; /* empty without one */
    double preconditioner_seconds;                         /* of its set-up alone */
    int64_t preconditioner_bytes;                          /* of its apply */
    double preconditioner_asymmetry;                       /* precondition/definite.h; NaN: none */
    struct operator_levels levels;                         /* of the preconditioner */
    int64_t products_per_iteration;                        /* 1, and those of the preconditioner */
    int64_t runs_count;                                    /* those that count */
    struct study_run *runs;                                /* [runs_count], or one more: */
    bool has_interrupted; /* runs[runs_count] was interrupted, and does not count */
    int64_t iterations_min, iterations_max;
    double iterations_median;   /* the mean of the middle two for an even count */
    struct study_count *counts; /* [counts_count]: their distribution, ascending */
    int64_t counts_count;
    int64_t distinct_histories, distinct_solutions;
    struct envelope envelope; /* of the residuals */
    int64_t first_divergence; /* the first iteration at which two runs have different residual
                                 bits, or one has ended; -1 if none */
    int64_t first_apart;      /* the first at which two residuals lie STUDY_APART apart, relative to
                                 the lower one; -1 if none */
    double solution_spread;   /* max over pairs of runs of ||x_a - x_b||_inf / max ||x||_inf; NaN if
                                 a solution is not finite */
    /* median over the runs; 0 when nothing was iterated. Of several columns: what all of them took
     * together, over the iterations of this one */
    double seconds_per_iteration;
    struct solver_split time_split; /* measured after the last run; zeros before that */
};

int64_t study_kernel_converged(const struct study_kernel *kernel); /* how many of its runs did */

/* The run that was interrupted, or NULL. */
const struct study_run *study_kernel_interrupted(const struct study_kernel *kernel);

/* The first kernel whose runs, in all columns, all converged at iteration 1, or NULL; NULL also
 * where eigenvalues are looked for, and where x_0 is not 0. The columns of a kernel stand together.
 * Else x = b / theta (M^-1 b / theta with a preconditioner M), and ||b - A x|| <= tolerance ||b||
 * says that ||A b - theta b|| <= tolerance |theta| ||b||: b is an eigenvector of A (of A M^-1)
 * within the tolerance, and conversely. Such a study says nothing of its kernels. */
const struct study_kernel *study_of_eigenvector(const struct solver_options *options,
                                                const struct study_kernel *kernels, int count);

/* A x = b, or A X = B. number: the numbering that A, b and x0 are in (matrix/permute.h), or NULL:
 * solutions are numbered back before they are hashed, so a hash does not depend on it.
 * x0: where each solve begins; NULL: 0. columns: b and x0 are [columns][n]; 0 is taken as 1. */
struct study_system {
    const struct csr *A;
    const double *b;
    const int32_t *number;
    const double *x0;
    int64_t columns;
};

/* One entry of the list of kernels to run. */
struct study_entry {
    const struct kernel *kernel;
    struct kernel_options options;
    const char *label;
    struct options preconditioner; /* set up once, too; borrowed */
};

/* The bytes that the study of one entry, with `columns` columns, holds in the host's memory at the
 * least, A and b not counted: the runs, the solutions, their spread and confirmation, and where the
 * space is the CPU's the kernel's form, its solver and its preconditioner. Reads only A's shape
 * (struct kernel's setup_bytes). numbered: with a study_system.number. share: a rank's share of the
 * rows; 1: all. */
double study_memory_bytes(const struct study_entry *entry, const struct csr *A, int64_t columns,
                          const struct solver_options *options, int64_t repeats, bool numbered,
                          double share);

/* Set the kernel and the preconditioner up once over A in the space, solve the system `repeats` >=
 * 1 times, or until the observer interrupts it, fill results[columns], one of each column. The
 * caller calls study_kernel_free for each. Ignores options->preconditioner.
 *
 * The observer, NULL for none, sees the events of every solve with the entry's label, the run and
 * the column, and vectors in the problem's own numbering; after a solve EVENT_SOLUTION, and then
 * EVENT_RUN_ENDED, when results[column].runs[run - 1] is set. STATUS_INTERRUPTED with a row, or
 * with the end of a run, ends the study with the runs so far.
 *
 * Errors: as solver_solve_columns and preconditioner_create, and the observer's. */
enum status study_kernel_run(const struct study_entry *entry, const struct study_system *system,
                             struct space *space, const struct solver_options *options,
                             int64_t repeats, const struct observer *observer,
                             struct study_kernel *results, struct error *error);

void study_kernel_free(struct study_kernel *result); /* accepts a zeroed one */

/* ---- what runs come to, when all of them are done: study_statistics.c ------------------------ */

/* Promises of equal bits, checked against the runs. An entry whose kernel has the guarantee `run`
 * or `bitwise`, with reductions that give the same bits on every run (space/space.h), promises one
 * residual history to all its runs. A `bitwise` entry promises it also together with entries that
 * differ only in the number of threads. */

/* Whether the entry promises one history to all its runs. */
bool promise_is_made(const struct study_kernel *kernel);

/* Whether kernels[k] has broken it. *other: the earlier entry whose history should be equal; NULL
 * if its own runs differ. */
bool promise_is_broken(const struct study_kernel *kernels, int k,
                       const struct study_kernel **other);

/* Join kernels[columns], the results of all columns of an entry, into one. *all has the runs of all
 * columns, column after column, whose results are borrowed. Iterations are over all runs. Histories
 * and solutions: the number of the column that has most. First difference: the first in any column.
 * Spread: the widest. Seconds an iteration: the time of a run over the iterations of its longest
 * column, the median over the runs. There is no envelope, and there are no counts. The caller calls
 * study_joined_free. On failure *all is zeroed. Errors: STATUS_MEMORY. */
enum status study_join(const struct study_kernel *kernels, int64_t columns,
                       struct study_kernel *all, struct error *error);

void study_joined_free(struct study_kernel *all); /* accepts a zeroed one */

/* How many columns were joined; 1 for a kernel of one column. */
int64_t study_joined_columns(const struct study_kernel *all);

#endif

/* Trials of one method that finds x: they test its solves against solver/method.h and
 * solver/solver.h.
 *
 * The matrices are those of test_matrix_make_easy, so that any method converges; a method of
 * skew-symmetric matrices that takes a shift solves (I + S) x = b. The kernel multiplies and
 * determines the space: a CPU, with each of trial_threads, or a device. The kernel and the
 * reductions promise bits.
 *
 *     solves              from 0 and from a random x_0, with and without a preconditioner: each
 *                         converges; ||b - (shift I + A) x|| is below the tolerance and equal to
 *                         the result's; every row of the history comes, in order, with a number in
 *                         each series that has one in all rows; rows and x have the same bits with
 *                         every number of threads
 *     ends                without an iteration: b = 0 gives x = 0, and x_0 = the solution x = x_0
 *     several columns     where the method takes them, each has the bits of its own solve
 *
 * and, of small matrices on a CPU:
 *
 *     failed products     where a product with A fails, so does the solve
 *     failed allocations  a solve survives the failure of each of its allocations on the host
 *
 * Not tried: interruptions, traces, saved states, several ranks; matrices that are not definite. */
#ifndef STUDY_METHOD_TRIALS_H
#define STUDY_METHOD_TRIALS_H

#include "solver/method.h"
#include "study/trial.h"

/* Whether the method has trials: it finds x for a symmetric or a shifted skew-symmetric matrix. */
bool method_has_trials(const struct method *method);

/* Tries the method up to the first failure. A method that uses memory it did not get ends the
 * process. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status method_try(const struct method *method, const struct kernel *kernel,
                       const struct trials_options *options, struct trials_found *found,
                       struct error *error);

/* The trials of one system. */
extern const struct trial method_trial_list[];

#endif

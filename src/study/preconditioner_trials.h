/* Trials of one preconditioner: whether M^-1 is what spmv/preconditioner.h wants.
 *
 * The matrices are those of test_matrix_make_positive; its parameters each choice, one at a time,
 * with the default of numbers and with numbers near the small end of their ranges. The kernel
 * multiplies, and decides the space: of a CPU with each of trial_threads.
 *
 *     applications        z is overwritten, nothing behind it, and r is left alone; r . z with it
 *                         has the bits of the space's sum; z has the same bits with every number of
 *                         threads, set up anew and by `renew`
 *     symmetry            x . M^-1 y = y . M^-1 x within rounding, which only a linear M^-1 holds,
 *                         and x . M^-1 x > 0
 *     several columns     each column has the bits of an application to it alone
 *
 * and, of small matrices on a CPU:
 *
 *     failed products     where a product with A fails, so does the set-up or the application
 *     failed allocations  set-up survives the failure of each of its allocations on the host
 *
 * Within rounding: each step leaves a residual that is off by some u |A| |x|, hence a z that is off
 * by that times the condition number kappa of A, and 256 is more than all steps of two
 * applications, which may differ by
 *
 *     256 u kappa sqrt((x . M^-1 x) (y . M^-1 y))
 *
 * where u is 2^-53, or 2^-24 where a parameter `precision` says "float". */
#ifndef STUDY_PRECONDITIONER_TRIALS_H
#define STUDY_PRECONDITIONER_TRIALS_H

#include "spmv/preconditioner.h"
#include "study/trial.h"

/* Try it until something does not hold; with these options alone, unless that is NULL. One that
 * uses what it could not allocate ends the process. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status preconditioner_try(const struct component *component, const struct options *with,
                               const struct kernel *kernel, const struct trials_options *options,
                               struct trials_found *found, struct error *error);

/* The trials of these options over one matrix. */
extern const struct trial preconditioner_trial_list[];

#endif

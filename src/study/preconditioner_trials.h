/* Trials of one preconditioner: they test M^-1 against spmv/preconditioner.h.
 *
 * The matrices are those of test_matrix_make_positive. Each choice of the parameters is tried, one
 * at a time, with the defaults of numbers and with numbers near the small end of their ranges. The
 * kernel multiplies and determines the space: a CPU, with each of trial_threads, or a device.
 *
 *     applications        every element of z is written, nothing after z, and r is unchanged; r . z
 *                         that comes with z has the bits of the space's sum; z has the same bits
 *                         with every number of threads, after a new set-up and after `renew`
 *     symmetry            x . M^-1 y = y . M^-1 x within rounding, as for any linear symmetric
 *                         M^-1, and x . M^-1 x > 0
 *     several columns     each column has the bits of an application to it alone
 *
 * and, of small matrices on a CPU:
 *
 *     failed products     where a product with A fails, so does the set-up or the application
 *     failed allocations  set-up survives the failure of each of its allocations on the host
 *
 * Within rounding: |x . M^-1 y - y . M^-1 x| is at most
 *
 *     256 u kappa sqrt((x . M^-1 x) (y . M^-1 y)),
 *
 * where u is 2^-53, or 2^-24 with a parameter `precision` = "float", and kappa is a bound of A's
 * condition number. Each step changes a residual by some u |A| |x|, and hence z by kappa times
 * that; 256 exceeds the steps of two applications. */
#ifndef STUDY_PRECONDITIONER_TRIALS_H
#define STUDY_PRECONDITIONER_TRIALS_H

#include "spmv/preconditioner.h"
#include "study/trial.h"

/* Tries the component up to the first failure; with these options alone, unless `with` is NULL. One
 * that uses memory it did not get ends the process. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status preconditioner_try(const struct component *component, const struct options *with,
                               const struct kernel *kernel, const struct trials_options *options,
                               struct trials_found *found, struct error *error);

/* The trials of these options over one matrix. */
extern const struct trial preconditioner_trial_list[];

#endif

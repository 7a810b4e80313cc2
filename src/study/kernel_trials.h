/* Trials of one kernel: whether its products are right, and have the bits that it promises. Our
 * tests put every kernel through them, and `cgsolve bench --prove` those of a plug-in.
 *
 * The matrices are those of study/test_matrices.h, of each kind that the kernel takes; its
 * parameters each choice, and numbers near the small end of their ranges, where a matrix is cut
 * into many parts. A kernel of the CPU is tried with each of trial_threads.
 *
 *     products            y lies within the bound of study/product_reference.h, has no element left
 *                         out, nothing is written behind y, and x is left alone; bits of `run` are
 *                         equal with one number of threads, of `bitwise` with every one, set up
 *                         twice; and so by vectors of singles, where sums are single
 *     dot products        the sum x . y that comes with a product has the bits of the sum alone
 *     several columns     each column of Y = A X has the bits of y, or is within the bound where
 *                         none are promised
 *     failed allocations  set-up survives the failure of each of its allocations on the host
 *
 * and every operator is what spmv/kernel.h and spmv/operator.h want. That half of a matrix is
 * stored needs no trial of its own: x is random, and so a y that takes one triangle for the other
 * is far from the reference.
 *
 * Not tried: directions and passes in the sweep (OPERATOR_DIRECTION, OPERATOR_PASS). */
#ifndef STUDY_KERNEL_TRIALS_H
#define STUDY_KERNEL_TRIALS_H

#include "base/status.h"
#include "spmv/kernel.h"
#include "study/trial.h"

/* Try the kernel, which is available here, until something does not hold. A kernel that uses what
 * it could not allocate ends the process. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status kernel_try(const struct kernel *kernel, const struct trials_options *options,
                       struct trials_found *found, struct error *error);

/* The trials of one choice of parameters over one matrix. */
extern const struct trial kernel_trial_list[];

#endif

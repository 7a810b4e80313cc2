/* Trials of one kernel: they test its products and the bits that it promises.
 *
 * The matrices are those of study/test_matrices.h, of each kind that the kernel takes. Each choice
 * of the parameters is tried, and numbers near the small end of their ranges, which cut a matrix
 * into many parts. A kernel of the CPU is tried with each of trial_threads.
 *
 *     products            y lies within the bound of study/product_reference.h; every element of y
 *                         is written, nothing after y, and x is unchanged; after two set-ups the
 *                         bits of `run` are equal with one number of threads, those of `bitwise`
 *                         with every one; the same holds for vectors of singles, if sums are single
 *     dot products        the sum x . y that comes with a product has the bits of the sum alone
 *     several columns     each column of Y = A X has the bits of y, or lies within the bound if no
 *                         bits are promised
 *     failed allocations  set-up survives the failure of each of its allocations on the host
 *
 * and every operator is tested against spmv/kernel.h and spmv/operator.h. Storage of one triangle
 * needs no trial of its own: x is random, so a y of the wrong triangle is far from the reference.
 *
 * Not tried: directions and passes in the sweep (OPERATOR_DIRECTION, OPERATOR_PASS). */
#ifndef STUDY_KERNEL_TRIALS_H
#define STUDY_KERNEL_TRIALS_H

#include "base/status.h"
#include "spmv/kernel.h"
#include "study/trial.h"

/* Tries the kernel, which must be available, up to the first failure. A kernel that uses memory it
 * did not get ends the process. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status kernel_try(const struct kernel *kernel, const struct trials_options *options,
                       struct trials_found *found, struct error *error);

/* The trials of one choice of parameters over one matrix. */
extern const struct trial kernel_trial_list[];

#endif

/* Trials of one kernel: whether its products are right, and have the bits that it promises.
 *
 * The matrices are those of study/test_matrices.h, of each kind that the kernel takes; its
 * parameters each choice, and numbers near the small end of their ranges, where a matrix is cut
 * into many parts. A kernel of the CPU is set up twice with each of KERNEL_TRIALS_THREADS, and
 * multiplies several times.
 *
 *     y      lies within the bound of study/product_reference.h, leaves no element out, writes
 *            nothing behind y, and leaves x alone
 *     bits   of `run` are equal with one number of threads, of `bitwise` with every one; where the
 *            operator has these, the first column of Y = A X and the product of singles have the
 *            bits of y, and the sum x . y that comes with a product has those of the sum alone
 *     slots  what spmv/kernel.h and spmv/operator.h want of an operator
 *
 * Not tried: directions and passes in the sweep (OPERATOR_DIRECTION, OPERATOR_PASS), and set-up
 * where memory is short. */
#ifndef STUDY_KERNEL_TRIALS_H
#define STUDY_KERNEL_TRIALS_H

#include "base/status.h"
#include "spmv/kernel.h"

#include <stdint.h>

#define KERNEL_TRIALS_THREADS                                                                      \
    {                                                                                              \
        1, 2, 3, 7                                                                                 \
    }

struct kernel_trials {
    int64_t products, matrices; /* a matrix counts once, if the kernel took it */
    unsigned can;               /* of all operators, or-ed: enum operator_can */
    char broken[1024];          /* what did not hold, in a sentence; "": all did */
};

/* Try the kernel, which is available here, until something does not hold. Errors: STATUS_MEMORY,
 * STATUS_DEVICE. */
enum status kernel_try(const struct kernel *kernel, struct kernel_trials *found,
                       struct error *error);

#endif

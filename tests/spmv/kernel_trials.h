/* What every kernel of the registry has to pass, for the kernels of one space: each on every test
 * matrix, in every kind that it takes (general ones are rectangular), with its default parameters
 * and with small ones, and in every precision that it offers. */
#ifndef TESTS_SPMV_KERNEL_TRIALS_H
#define TESTS_SPMV_KERNEL_TRIALS_H

#include "space/space.h"

/* y against A x in three times the precision, within a derived bound; every y overwritten, x
 * untouched, and equal bits as far as the kernel promises them, with 1, 2, 3 and 7 threads; in
 * single precision by vectors of doubles and of floats. */
void trial_products(enum space_kind kind);

/* x'Ay = y'Ax, or its negative for a skew-symmetric matrix. */
void trial_symmetry(enum space_kind kind);

/* The fused dot product is the separate one, bit for bit. */
void trial_fused_dots(enum space_kind kind);

/* Column j of Y = A X is A times column j: bit for bit where the kernel promises bits, else within
 * the bound; for 1 to 33, 64 and 128 columns. */
void trial_columns(enum space_kind kind);

/* Set-up survives the failure of each of its allocations on the host. */
void trial_failing_setups(enum space_kind kind);

#endif

/* Every kernel of a space through all trials of study/kernel_trials.h. */
#ifndef TESTS_SPMV_EVERY_KERNEL_H
#define TESTS_SPMV_EVERY_KERNEL_H

#include "space/space.h"

/* Each that is available here; CGSOLVE_TEST_KERNEL names one that is tried alone. It takes every
 * matrix of its kinds with its default parameters. */
void try_every_kernel(enum space_kind kind);

#endif

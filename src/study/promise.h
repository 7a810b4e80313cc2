/* Promises of equal bits, held against what the runs have shown.
 *
 * An entry of a study whose kernel has the guarantee `run` or `bitwise`, with reductions that give
 * the same bits on every run (space/space.h), promises one residual history to all its runs. One
 * that is `bitwise` promises it also together with entries that differ from it in nothing but the
 * number of threads. */
#ifndef STUDY_PROMISE_H
#define STUDY_PROMISE_H

#include "study/study.h"

#include <stdbool.h>

/* Whether the entry promises one history to all its runs. */
bool promise_is_made(const struct study_kernel *kernel);

/* Whether kernels[k] has broken it. *other: the earlier one of the study whose history should be
 * its own too; NULL when its own runs differ. */
bool promise_is_broken(const struct study_kernel *kernels, int k,
                       const struct study_kernel **other);

#endif

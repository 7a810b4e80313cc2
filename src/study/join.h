/* What the columns of a kernel come to together, for who shows a line a kernel. */
#ifndef STUDY_JOIN_H
#define STUDY_JOIN_H

#include "study/study.h"

/* Of kernels[columns], what study_kernel_run found of one entry: its runs in all columns, column
 * after column, whose results are borrowed. Iterations: over all of them. Histories and
 * solutions: as many as the column with the most has. First difference: the first in any column;
 * spread: the widest. Seconds an iteration: what a run took over the iterations of its longest
 * column, the median over the runs. There is no envelope, and there are no counts. The caller calls
 * study_joined_free. On failure *all is zeroed. Errors: STATUS_MEMORY. */
enum status study_join(const struct study_kernel *kernels, int64_t columns,
                       struct study_kernel *all, struct error *error);

void study_joined_free(struct study_kernel *all); /* accepts a zeroed one */

/* How many columns were joined; 1 for a kernel of one column. */
int64_t study_joined_columns(const struct study_kernel *all);

#endif

/* What the runs of a kernel come to, when all of them are done. */
#ifndef STUDY_STUDY_STATISTICS_H
#define STUDY_STUDY_STATISTICS_H

#include "study/study.h"

/* Fill the members of *result that follow from its runs[runs_count] and its envelope. Errors:
 * STATUS_MEMORY. */
enum status study_statistics(struct study_kernel *result, struct error *error);

#endif

/* The pass that says whether all of several columns have ended: then products need not be made. */
#ifndef SOLVER_ALL_CONVERGED_H
#define SOLVER_ALL_CONVERGED_H

#include "space/elements.h"

struct all_converged {
    int64_t count;
    const int64_t *ended[PASS_COLUMNS]; /* of each column; not 0: it has */
    int64_t *over;                      /* becomes 1 or 0 */
};

PASS_AFTER(all_converged, all_converged)
{
    int64_t over = 1;
    for (int64_t j = 0; j < work->count; j++)
        over = over && *work->ended[j];
    *work->over = over;
}

PASS_DECLARE(all_converged);

#endif

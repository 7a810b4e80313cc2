/* The pass that says whether all of several columns have ended: then products need not be made. */
#ifndef SOLVER_ALL_CONVERGED_H
#define SOLVER_ALL_CONVERGED_H

#include "base/host_device.h"
#include "space/pass.h"

#ifdef __cplusplus
extern "C" {
#endif

struct all_converged {
    int64_t count;
    const int64_t *ended[PASS_COLUMNS]; /* of each column; not 0: it has */
    int64_t *over;                      /* becomes 1 or 0 */
};

CGSOLVE_HOST_AND_DEVICE static inline void all_converged_after(const void *given)
{
    const struct all_converged *work = (const struct all_converged *)given;
    int64_t over = 1;
    for (int64_t j = 0; j < work->count; j++)
        over = over && *work->ended[j];
    *work->over = over;
}

pass_launcher all_converged_cuda;

#ifdef __cplusplus
}
#endif
#endif

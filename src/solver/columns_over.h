/* The pass that says whether all of several columns have ended: then products need not be made. */
#ifndef SOLVER_COLUMNS_OVER_H
#define SOLVER_COLUMNS_OVER_H

#include "cgsolve/host_device.h"
#include "cgsolve/pass.h"

#ifdef __cplusplus
extern "C" {
#endif

struct columns_over {
    int64_t count;
    const int64_t *ended[PASS_COLUMNS]; /* of each column; not 0: it has */
    int64_t *over;                      /* becomes 1 or 0 */
};

CGSOLVE_HOST_AND_DEVICE static inline void columns_over_after(const void *given)
{
    const struct columns_over *work = (const struct columns_over *)given;
    int64_t over = 1;
    for (int64_t j = 0; j < work->count; j++)
        over = over && *work->ended[j];
    *work->over = over;
}

pass_launcher columns_over_cuda;

#ifdef __cplusplus
}
#endif
#endif

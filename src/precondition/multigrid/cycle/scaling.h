/* Passes (space/elements.h): y_i = root_i x_i, y may be x; and root_i = sqrt(inverse_i). */
#ifndef PRECONDITION_MULTIGRID_CYCLE_SCALING_H
#define PRECONDITION_MULTIGRID_CYCLE_SCALING_H

#include "base/host_device.h"
#include "space/pass.h"

#include <math.h>

struct scaling {
    const double *inverse, *x;
    double *root, *y;
};

CGSOLVE_HOST_AND_DEVICE static inline void scaling_at(const struct scaling *work, int64_t i)
{
    work->y[i] = work->root[i] * work->x[i];
}

CGSOLVE_HOST_AND_DEVICE static inline void roots_at(const struct scaling *work, int64_t i)
{
    work->root[i] = sqrt(work->inverse[i]);
}

#ifdef __cplusplus
extern "C" {
#endif

extern const struct pass pass_scaling, pass_roots;
pass_launcher scaling_cuda, roots_cuda;

#ifdef __cplusplus
}
#endif
#endif

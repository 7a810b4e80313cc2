/* A pass (space/elements.h): y_i = sqrt(inverse_i) x_i; y may be x. */
#ifndef PRECONDITION_MULTIGRID_SCALING_H
#define PRECONDITION_MULTIGRID_SCALING_H

#include "cgsolve/host_device.h"
#include "cgsolve/pass.h"

#include <math.h>

struct scaling {
    const double *inverse, *x;
    double *y;
};

CGSOLVE_HOST_AND_DEVICE static inline void scaling_at(const struct scaling *work, int64_t i)
{
    work->y[i] = sqrt(work->inverse[i]) * work->x[i];
}

#ifdef __cplusplus
extern "C" {
#endif

extern const struct pass pass_scaling;
pass_launcher scaling_cuda;

#ifdef __cplusplus
}
#endif
#endif

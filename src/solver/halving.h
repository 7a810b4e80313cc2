/* Whether a residual still becomes smaller, of a method whose ||r|| may stand still for long: one
 * function, compiled for the host and for a device. */
#ifndef SOLVER_HALVING_H
#define SOLVER_HALVING_H

#include "base/host_device.h"

#include <stdint.h>

struct halving {
    double residual;   /* ||r|| when it was last seen to be half of that before, */
    int64_t iteration; /* and in which iteration */
};

/* Of each row in turn, from row 0: whether ||r|| has not become half in as many iterations as it
 * was before, and a hundred. */
CGSOLVE_HOST_AND_DEVICE static inline int halving_has_ended(struct halving *last, double residual,
                                                            int64_t iteration)
{
    if (!(residual > last->residual / 2) || iteration == 0)
        *last = (struct halving){residual, iteration};
    return iteration - last->iteration > last->iteration + 100;
}

#endif

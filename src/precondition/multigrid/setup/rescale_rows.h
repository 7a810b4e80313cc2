/* What rescale.h does to a sum and to a coupling, for host and device. */
#ifndef PRECONDITION_MULTIGRID_SETUP_RESCALE_ROWS_H
#define PRECONDITION_MULTIGRID_SETUP_RESCALE_ROWS_H

#include "base/host_device.h"

#include <math.h>
#include <stdint.h>

/* g where f is correction or 1. */
CGSOLVE_HOST_AND_DEVICE static inline double rescale_most_of(double correction)
{
    return correction > 1 ? correction : 1;
}

/* a_IJ divided; f: what distances tell, most: g. */
CGSOLVE_HOST_AND_DEVICE static inline double rescale_coupling(double value, double f, double most)
{
    return value / (value > 0 ? most : f);
}

/* What is taken for a mass, of the least S of all rows. */
CGSOLVE_HOST_AND_DEVICE static inline double rescale_mass(double correction, int64_t block,
                                                          double least)
{
    return least > 0 && (block == 1 || correction >= 1) ? least : 0;
}

/* kept_I of S_I; most: g */
CGSOLVE_HOST_AND_DEVICE static inline double rescale_kept(double least, double of_sum, double most,
                                                          double sum)
{
    return sum > 0 ? least + of_sum * (sum - least) : sum / most;
}

#endif

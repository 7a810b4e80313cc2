/* A sum with the errors made in it, for CPU and GPU: the same operations, the same bits. */
#ifndef SPACE_SUM_COMPENSATED_H
#define SPACE_SUM_COMPENSATED_H

#include "base/host_device.h"

#include <math.h>

/* The value is sum + error. */
struct compensated {
    double sum, error;
};

/* a + b, where b brings an error of its own; Knuth's TwoSum keeps what the addition lost. */
CGSOLVE_HOST_AND_DEVICE static inline struct compensated compensated_add(struct compensated a,
                                                                         double b, double b_error)
{
    struct compensated result;
    result.sum = a.sum + b;
    double part = result.sum - a.sum;
    double lost = (a.sum - (result.sum - part)) + (b - part);
    result.error = a.error + (b_error + lost);
    return result;
}

/* a + x y, the product split without error (TwoProduct): one step of Dot2 (Ogita, Rump, Oishi 2005,
 * algorithm 5.3). */
CGSOLVE_HOST_AND_DEVICE static inline struct compensated
compensated_add_product(struct compensated a, double x, double y)
{
    double product = x * y;
    return compensated_add(a, product, fma(x, y, -product));
}

#endif

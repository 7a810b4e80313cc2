/* The numbers of symmetry.h for one pair, on host and device. */
#ifndef IO_MARKET_SYMMETRY_PAIR_H
#define IO_MARKET_SYMMETRY_PAIR_H

#include "base/host_device.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

enum { SYMMETRY_ROUNDED = 64 }; /* symmetry.h */

/* The mean of a and b, rounded: a if they are equal. */
CGSOLVE_HOST_AND_DEVICE static inline double symmetry_mean(double a, double b)
{
    double sum = a + b;
    if (a == b)
        return a;
    return isfinite(sum) ? sum / 2 : a / 2 + b / 2;
}

/* |a - b| / scale, above 0 where a and b differ. */
CGSOLVE_HOST_AND_DEVICE static inline double symmetry_difference(double a, double b, double scale)
{
    double difference = fabs(a - b);
    if (a == b)
        return 0;
    return fmax(isfinite(difference) ? difference / scale : fabs(a / scale - b / scale),
                DBL_TRUE_MIN);
}

/* Whether a_ij and a_ji couple two rows with such largest entries, so that neither is rounding.
 * wanted: a_ji, or -a_ji of a skew-symmetric matrix. */
CGSOLVE_HOST_AND_DEVICE static inline bool symmetry_couples(double a, double wanted, double m_i,
                                                            double m_j)
{
    return fabs(a - wanted) < fmax(fabs(a), fabs(wanted)) / 2 &&
           fmin(m_i, m_j) >= fmax(m_i, m_j) / (double)SYMMETRY_ROUNDED;
}

/* s_ij. is_coupled: the row with the smaller one of both, of equals row j. */
CGSOLVE_HOST_AND_DEVICE static inline double symmetry_scale(double m_i, double m_j, bool is_coupled)
{
    double least = fmin(m_i, m_j);
    return is_coupled ? least : fmax(least, fmax(m_i, m_j) / (double)SYMMETRY_ROUNDED);
}

#endif

/* Whether an M^-1 is symmetric and positive definite, tried on two vectors: x and y are those of
 * spectrum_first_vector with the seeds 1 and 2, and
 *
 *     asymmetry = |x . M^-1 y - y . M^-1 x| / ((x . M^-1 x) (y . M^-1 y))^{1/2}
 *
 * by the sums of the space. A symmetric M^-1 has 0 but for rounding. The parts of an M^-1 that are
 * skew add up as a random walk does: of n rows, asymmetry is about the size of the skew part
 * relative to the symmetric one, over n^{1/2}. */
#ifndef PRECONDITION_DEFINITE_H
#define PRECONDITION_DEFINITE_H

#include "spmv/operator.h"

struct definite {
    double asymmetry; /* NaN: M^-1 x or M^-1 y is not finite, or one of the products not above 0 */
    double least;     /* the lesser one of x . M^-1 x / x . x and that of y */
};

/* Two applications. number: as spectrum_estimate takes it. All ranks call it. Errors:
 * STATUS_MEMORY, STATUS_DEVICE, STATUS_RANK; those of M. */
enum status definite_try(const struct linear_operator *M, const int32_t *number,
                         struct definite *found, struct error *error);

/* The same; STATUS_CONFIG for an M^-1 that is not positive definite, or not symmetric: its
 * asymmetry is above 2^-10 n^{-1/2}. The roundings of all cycles that we know leave less than 2^-46
 * n^{-1/2}, and in single precision 2^-20 n^{-1/2}. */
enum status definite_check(const struct linear_operator *M, const int32_t *number,
                           struct definite *found, struct error *error);

#endif

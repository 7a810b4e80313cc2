/* How far quantities rise and fall together: by their ranks (Spearman 1904), which is the same for
 * a quantity and its logarithm, and where no outlier counts more than its rank; and by how much, by
 * least squares. */
#ifndef STUDY_CORRELATION_H
#define STUDY_CORRELATION_H

#include "base/status.h"

#include <stdint.h>

/* r[i * quantities + j] = the correlation of the ranks of values[i][count] and values[j][count],
 * with the mean rank for equal ones; NaN where one of the two has one value alone. The values are
 * finite. Errors: STATUS_MEMORY. */
enum status rank_correlations(const double *const *values, int quantities, int64_t count, double *r,
                              struct error *error);

/* The correlation of x and y with those of the first `given` of `of` taken out (partial
 * correlation): with z the last of these, and r the correlations with the others taken out,
 *
 *     (r_xy - r_xz r_yz) / sqrt((1 - r_xz^2) (1 - r_yz^2))
 *
 * NaN where x or y is one with z. r as above; x and y are none of `of`. */
double partial_correlation(const double *r, int quantities, int x, int y, const int *of, int given);

/* b of y = a + b x + c_1 z_1 + c_2 z_2 + ... by least squares over `count` cases: columns[0] is x,
 * columns[1] to columns[others] are z, and each is used up. NaN where x is a combination of 1 and
 * z. The values are finite. */
double partial_slope(double *const *columns, int others, const double *y, int64_t count);

#endif

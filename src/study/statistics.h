/* Statistics: the median, the number of different hashes, and correlations. */
#ifndef STUDY_STATISTICS_H
#define STUDY_STATISTICS_H

#include "base/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The middle value, or the mean of the middle two; a NaN stands above every number. Sorts the
 * values, count >= 1. */
double median(double *values, int64_t count);

/* The number of different hashes. Sorts them. */
int64_t distinct_hashes(uint64_t *hashes, int64_t count);

/* Number the different hashes from 1, in the order of their first occurrence: numbers[k] is the
 * number of hashes[k], *distinct the count. Errors: STATUS_MEMORY. */
enum status number_hashes(const uint64_t *hashes, int64_t count, int64_t *numbers,
                          int64_t *distinct, struct error *error);

/* Rank correlations (Spearman 1904): equal for a quantity and its logarithm, and robust to
 * outliers. */

/* r[i * quantities + j] = the correlation of the ranks of values[i][count] and values[j][count],
 * with the mean rank for equal values; NaN if one of the two is constant. The values are finite.
 * Errors: STATUS_MEMORY. */
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

#ifdef __cplusplus
}
#endif
#endif

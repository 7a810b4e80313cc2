/* Is a general matrix symmetric? */
#ifndef IO_MATRIX_MARKET_SYMMETRY_H
#define IO_MATRIX_MARKET_SYMMETRY_H

#include "cgsolve/csr.h"

/* The pair that is furthest from symmetric: |upper - lower| / max(|upper|, |lower|), where an entry
 * that is not stored counts as 0. Of equals the first in row order. */
struct asymmetry {
    double worst;          /* 0 to 2 */
    int64_t row, column;   /* row < column, from 0 */
    double upper, lower;   /* a[row][column], a[column][row] */
    int64_t unequal_pairs; /* of all */
};

/* Compare the upper triangle with the transposed lower one (kind general, no diagonal, same n), and
 * make A their mean when no pair is worse than `limit`; otherwise A stays zero. The caller owns A.
 * Errors: STATUS_MEMORY. */
enum status symmetry_merge(const struct csr *upper, const struct csr *lower, double limit,
                           struct csr *A, struct asymmetry *found, struct error *error);

#endif

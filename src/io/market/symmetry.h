/* Is a general matrix symmetric, or skew-symmetric? */
#ifndef IO_MARKET_SYMMETRY_H
#define IO_MARKET_SYMMETRY_H

#include "cgsolve/csr.h"
#include "io/market/matrix_market.h"

/* The pair a = a_ij, b = a_ji that is furthest from a = b, of a skew-symmetric matrix from a = -b:
 * |a - b| / max(|a|, |b|), |a + b| / max(|a|, |b|), where an entry that is not stored counts as 0.
 * A diagonal entry is its own mirror image. Of equals the first in row order. */
struct asymmetry {
    double worst;          /* 0 to 2 */
    int64_t row, column;   /* row <= column, from 0 */
    double upper, lower;   /* a[row][column], a[column][row] */
    int64_t unequal_pairs; /* of all, */
    int64_t counted;       /* and of those in the rows that are counted */
};

/* Compare the upper triangle with the transposed lower one (kind general, no diagonal, same n), and
 * when no pair is worse than `limit` make A of `kind`, CSR_SYMMETRIC or CSR_SKEW: the mean of a and
 * b, of a and -b; otherwise A stays zero. part: whose own rows are counted; NULL: all. The caller
 * owns A. Errors: STATUS_MEMORY. */
enum status symmetry_merge(const struct csr *upper, const struct csr *lower, enum csr_kind kind,
                           double limit, const struct matrix_market_part *part, struct csr *A,
                           struct asymmetry *found, struct error *error);

#endif

/* Is a general matrix symmetric, or skew-symmetric? */
#ifndef IO_MARKET_SYMMETRY_H
#define IO_MARKET_SYMMETRY_H

#include "cgsolve/csr.h"
#include "io/market/matrix_market.h"

/* The asymmetry of a pair a = a_ij, b = a_ji is
 *
 *     |a - b| / min(m_i, m_j),    m_i = the largest |a_ik|, |a_ki| of row and column i,
 *
 * of a skew-symmetric matrix with |a + b|; an entry that is not stored counts as 0, and a diagonal
 * entry is its own mirror image. It says by how much of its largest coefficient the mean changes an
 * equation, and is from 0 to 2.
 *
 * Rounding leaves errors as large as c eps sum_e |E_ij|, of the terms E of a sum that has symmetric
 * ones, such as finite elements or the products within W K W'. An entry may cancel and is then far
 * smaller than they are, so an entry is no scale for its own error. Where terms are positive
 * semidefinite, |E_ij| <= sqrt(E_ii E_jj), and both diagonal entries are sums without cancellation;
 * where they are not, a diagonal may be 0, as of saddle points and of graphs, but not all of a row.
 * So the scale is the largest entry of a row. It is the smaller one of both rows, not
 * sqrt(|a_ii a_jj|) or max |A|: with these a row that was replaced by 1e30 x_i = 1e30 b_i would hide
 * what is missing in its neighbours, and a stiff block what is wrong in a soft one.
 *
 * |a| and |b| are at most both m: a pair that differs by little of its entries differs by no more
 * here. m_i and m_j are known to those who have the rows i and j, so ranks need not ask each
 * other. */
#define ASYMMETRY_OF_ROUNDING 1e-12       /* 4500 eps: so many terms, or the square with luck */
#define ASYMMETRY_OF_ROUNDING_SINGLE 1e-5 /* 80 eps of values that come in single precision */

/* The pair with the largest asymmetry; of equals the first in row order. */
struct asymmetry {
    double worst;          /* above 0 where a pair is unequal */
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

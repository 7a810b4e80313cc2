/* Is a general matrix symmetric, or skew-symmetric? */
#ifndef IO_MARKET_SYMMETRY_H
#define IO_MARKET_SYMMETRY_H

#include "io/market/matrix_market.h"
#include "matrix/csr.h"

#include <stdbool.h>

/* The asymmetry of a pair a = a_ij, b = a_ji is |a - b| / s_ij, with
 *
 *     s_ij = max(min(m_i, m_j), max(m_i, m_j) / 64) where the smaller row may be rounding,
 *     s_ij = min(m_i, m_j) elsewhere,
 *     m_i  = the largest |a_ik|, |a_ki| of row and column i,
 *
 * of a skew-symmetric matrix with |a + b|; an entry that is not stored counts as 0, and a diagonal
 * entry is its own mirror image. It is from 0 to 2.
 *
 * Rounding leaves errors of c eps sum_e |E_ij| where A is a sum of symmetric E: finite elements, or
 * the products within W K W'. An entry may cancel, and is then no scale for its own error. Where E
 * is positive semidefinite, |E_ij| <= sqrt(E_ii E_jj), and diagonal entries do not cancel; else
 * they may be 0, as of saddle points and graphs, but hardly all of a row. So the scale is the
 * largest entry of a row: the smaller one of both rows, as the mean must change neither equation by
 * more than a small part of its largest coefficient. With max |A|, or sqrt(|a_ii a_jj|), a stiff
 * block would hide what is wrong in a soft one, and a row that was replaced by P x_i = P b_i what
 * its neighbours lack.
 *
 * All of a row may cancel, such as that of a centred kernel whose mean is a sample. Its errors are
 * those of the rows beside it, of few terms: so with 1 / 64 an entry counts as rounding below
 * 70 eps of the larger row. A row is no rounding if it is coupled to one of its own size: if m_k is
 * from m_i / 64 to 64 m_i for a k != i with |a_ik - a_ki| < max(|a_ik|, |a_ki|) / 2. So a penalty
 * of any size in a neighbour's row hides nothing of a soft body.
 *
 * |a| and |b| are at most both m, so the asymmetry is at most the difference relative to the
 * entries. */
#define ASYMMETRY_OF_ROUNDING 1e-12       /* 4500 eps */
#define ASYMMETRY_OF_ROUNDING_SINGLE 1e-4 /* 840 eps, of values that come in single precision */

/* The pair with the largest asymmetry; of equals the first in row order. */
struct asymmetry {
    double worst;          /* above 0 where it is unequal */
    int64_t row, column;   /* row <= column, from 0 */
    double upper, lower;   /* a[row][column], a[column][row] */
    int64_t unequal_pairs; /* of all, */
    int64_t counted;       /* and of those in the rows that are counted */
};

/* Whether the message names `a` of the two. */
bool asymmetry_is_worse(const struct asymmetry *a, const struct asymmetry *b);

/* Compare the upper triangle with the transposed lower one (kind general, no diagonal, same n), and
 * when no pair is worse than `limit` make A of `kind`, CSR_SYMMETRIC or CSR_SKEW: the mean of a and
 * b, of a and -b; otherwise A stays zero. ranks: have parts of the triangles, and count their own
 * rows; all ranks call it, or entries_leave_shared. NULL: this process has all rows. The caller
 * owns A. Errors: STATUS_MEMORY, STATUS_RANK. */
enum status symmetry_merge(const struct csr *upper, const struct csr *lower, enum csr_kind kind,
                           double limit, const struct matrix_market_ranks *ranks, struct csr *A,
                           struct asymmetry *found, struct error *error);

#endif

/* The next level by smoothed aggregation (Vanek, Mandel and Brezina, Computing 56, 1996), which
 * keeps the `width` near-null vectors B of A on the coarser level:
 *
 *     T    the vectors in each aggregate of nodes, made orthonormal: B = T R
 *     P    = (I - omega D^-1 A_F) T,  omega = 5 / (3 lmax), D the diagonal of A
 *     A_c  = P^T A P,  and R is B of the coarser level
 *
 * Vanek's factor is 4 / 3 for the greatest eigenvalue itself; lmax is above that, mostly by a tenth
 * or two (bound.h), and aggregates of 27 nodes want a little more than he says.
 *
 * A node has `block` rows, an aggregate `width`. A_F is A without the couplings of nodes that are
 * not strong (distance2.h); these are added to the node's block on the diagonal, so that A_F
 * constants = A constants. A vector that depends on those before it in an aggregate is dropped
 * there: its column of P is 0, and its row of A_c has a diagonal alone. A row of P is that of T
 * where the diagonal of A is taken for 0.
 *
 * Aggregates are those of distance2.h at a distance of 2. Where A_c would have more entries than it
 * may, the distance grows by half, and so on: greater aggregates make fewer and fewer of them. The
 * entries are counted before there is memory for a value. Vectors that are many beside the entries
 * of a row would else make a coarser matrix greater than A.
 *
 * Each sum is a chain of fma from 0 on: of A_F T and A P over the entries of a row of A, by
 * ascending columns; of A_c over the rows of P's column, ascending. It runs where A is, and has the
 * same bits everywhere. */
#ifndef PRECONDITION_MULTIGRID_SETUP_SMOOTHED_H
#define PRECONDITION_MULTIGRID_SETUP_SMOOTHED_H

#include "matrix/csr.h"
#include "precondition/multigrid/setup/aggregates.h"
#include "precondition/multigrid/setup/interpolation.h"
#include "precondition/multigrid/setup/near_null_vectors.h"

enum { SMOOTHED_FARTHEST = 64 }; /* the greatest distance */

/* The input: a matrix, its near-null vectors, and an upper bound of the spectrum of D^-1 A. */
struct smoothed_aggregation {
    const struct csr *A;
    const struct near_null_vectors *vectors;
    double lmax;
    double nothing; /* what is at most that on the diagonal of a singular A is taken for 0 */
    int64_t most;   /* entries that A_c may have */
};

/* Aggregates of nodes, unless *aggregates has a map and its lists already, with which A_c may have
 * any number of entries; then P, A_c and B of it. Without any aggregate, and where none of these
 * distances makes A_c small enough, P->blocks = 0 and the others are zeroed, but for
 * aggregates->distance, which is beyond SMOOTHED_FARTHEST then. The caller frees all of it: also on
 * failure. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status smoothed_coarsen(const struct smoothed_aggregation *by, struct aggregates *aggregates,
                             struct interpolation *P, struct csr *coarse,
                             struct near_null_vectors *below, struct error *error);

/* An estimate of what that takes at once in the memory of a device; -1: A has more entries than a
 * sort counts. */
int64_t smoothed_bytes(const struct csr *A, const struct near_null_vectors *vectors);

#endif

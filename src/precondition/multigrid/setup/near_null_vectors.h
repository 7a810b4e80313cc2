/* The near-null vectors of a level: what its coarser level keeps (smoothed.h). */
#ifndef PRECONDITION_MULTIGRID_SETUP_NEAR_NULL_VECTORS_H
#define PRECONDITION_MULTIGRID_SETUP_NEAR_NULL_VECTORS_H

#include "matrix/csr.h"
#include "precondition/multigrid/setup/aggregates.h"

/* The near-null vectors of a level, in the memory of its matrix. */
struct near_null_vectors {
    struct space *space;  /* whose memory B is in; NULL: the host's */
    int64_t block, width; /* rows of a node; vectors */
    double *B;            /* [n width]: vector v of row i at B[i width + v] */
};

/* Those of A's near-null space; of one that is NULL the constants of each of `block` unknowns.
 * block: also of a space that does not know its own. Row i of the problem is row number[i] of A,
 * NULL: row i. Where a numbering tears nodes, each row is a node. The caller calls
 * near_null_vectors_free, on failure too. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status near_null_take(const struct csr *A, const struct near_null *near_null, int64_t block,
                           const int32_t *number, struct near_null_vectors *vectors,
                           struct error *error);

/* To the host. Errors: likewise. */
enum status near_null_return(struct near_null_vectors *vectors, int64_t n, struct error *error);

void near_null_vectors_free(struct near_null_vectors *vectors); /* accepts zeroed ones */

/* *T, [n width], with NEAR_NULL_WIDE elements of room after it: in each aggregate of nodes the
 * vectors made orthonormal, by Gram and Schmidt's method twice; B = T R, and *below has R as its B.
 * A vector that the ones before it make up to 2^-20 of its norm is dropped: its column of T is 0
 * there. A row in no aggregate has no T. Dot products are chains of fma from 0 on over the rows of
 * an aggregate, by ascending nodes. It runs where the vectors are. The caller calls
 * rows_release(vectors->space, *T) and near_null_vectors_free, on failure too. Errors: likewise. */
enum status near_null_orthogonalize(const struct near_null_vectors *vectors,
                                    const struct aggregates *aggregates, double **T,
                                    struct near_null_vectors *below, struct error *error);

#endif

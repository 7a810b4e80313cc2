/* Aggregates by matching: nodes of `block` rows are joined in pairs, and the pairs in pairs again.
 *
 * A node proposes to the free neighbour to which it is coupled most strongly, and two nodes that
 * propose to each other are a pair; MATCHING_ROUNDS times. The strength of an edge is
 *
 *     -a_ij / sqrt(a_ii a_jj)   of single rows: only where it is above 0
 *     sqrt(||A_ij||_F) / ...    of blocks, in the norm of Frobenius
 *
 * rounded to single precision, so that the last bits of an assembly seldom change an aggregate. Of
 * equal ones the greater splitmix64 of the edge decides, so the outcome does not depend on an order
 * in which nodes are looked at, and where all couplings are equal (a Poisson equation) no long
 * chains of nodes wait for each other. */
#ifndef PRECONDITION_MULTIGRID_SETUP_MATCHING_H
#define PRECONDITION_MULTIGRID_SETUP_MATCHING_H

#include "precondition/multigrid/setup/aggregates.h"

enum { MATCHING_ROUNDS = 6 };

/* Aggregates of 2^passes nodes at the most, and A_c, the sums of one pass after those of the one
 * before, in the memory of A->space. Where block = 1, rows with sum |a_ij| < 0.2 a_ii, j not i, lie
 * in none: a smoother is all that they need (Notay 2010). So do those of pairs that have become
 * such rows. kept, which comes zeroed: the passes, where there are several; NULL: not wanted. The
 * caller frees all of it; on failure it is freed. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status matching_aggregate(const struct csr *A, int64_t block, int passes,
                               struct aggregates *aggregates, struct csr *coarse,
                               struct passes *kept, struct error *error);

/* Aggregates by one pass, after which each node that is left joins the pair of that of its
 * neighbours to which it is coupled most strongly, if one is in a pair; equal ones as above. For
 * matrices of which passes join few rows: of a hub and its leaves, which are coupled to nothing
 * else, a pass joins two. Errors: likewise. */
enum status matching_join(const struct csr *A, int64_t block, struct aggregates *aggregates,
                          struct csr *coarse, struct error *error);

/* What either takes at once in the memory of a device, its results too, and what becomes of the
 * coarse matrix there; -1: A has more entries than a sort counts. */
int64_t matching_bytes(const struct csr *A);

#endif

/* What the suites of multigrid share: matrices, and what holds of aggregates and their matrix. */
#ifndef TESTS_PRECONDITION_MULTIGRID_COARSENING_H
#define TESTS_PRECONDITION_MULTIGRID_COARSENING_H

#include "matrix/near_null.h"
#include "precondition/multigrid/setup/grid.h"

enum { TEAMS = 4 };
extern const int teams[TEAMS]; /* numbers of threads */

/* Poisson's equation on a box, and 27 nodes in dense blocks to a row of a box. The caller frees
 * them, and all below. */
void make_poisson(int64_t nx, int64_t ny, int64_t nz, struct csr *A);
void make_brick(int64_t nx, int64_t ny, int64_t nz, int64_t unknowns, struct csr *A);

/* -Laplace u in bilinear elements of h[0] x h[1], or trilinear ones of h[0] x h[1] x h[2] where
 * n[2] > 1, with u = 0 on the boundary: n nodes within. */
void make_elements(const int64_t n[3], const double h[3], struct csr *A);

/* Minus Laplace of (k u) on a box with u = 0 on its boundary, in cells with k of their own,
 * k[n[0] n[1] n[2]], by their harmonic means. An axis of one cell has no boundary. */
void make_cells(const int64_t n[3], const double *k, struct csr *A);

/* With k = 1 or `jump`, at random, in boxes of `size` cells along each axis. */
struct phases {
    int64_t n[3], size;
    double jump;
    int64_t unknowns;
};

/* The same of such a k, and of several unknowns a cell, coupled as by make_blocks. */
void make_phases(const struct phases *phases, uint64_t *state, struct csr *A);

/* a_ij B for each a_ij, with b_kl = 1 / (1 + |k - l|), which is positive definite: its entries fall
 * with |k - l|, and their differences too (Polya 1949). */
void make_blocks(const struct csr *A, int64_t unknowns, struct csr *blocks);

/* A path of which a tenth of the couplings can be matched: the others are above 0. */
void make_unmatched(int64_t n, struct csr *A);

/* A path of hubs with `leaves` leaves each: its Laplacian plus 1e-3 I. */
void make_hubs(int64_t hubs, int64_t leaves, struct csr *A);

/* A lattice of nodes with springs to the neighbours along axes and diagonals of faces; three
 * unknowns a node, held at one end of the first axis: the blocks of 3 x 3 are not full. *near_null:
 * its rigid body modes; the caller calls near_null_free. */
void make_springs(int64_t nx, int64_t ny, int64_t nz, struct csr *A, struct near_null *near_null);

/* A in a random numbering. */
void make_shuffled(const struct csr *A, uint64_t *state, struct csr *shuffled);

/* A with a_ij added, j > i, where there was no entry. */
void make_with_entry(const struct csr *A, int64_t i, int64_t j, double value, struct csr *more);

/* a_ii = -sum_j a_ij, j not i, of entries that are none above 0: each row has the sum 0. */
void take_sums_away(struct csr *A);

/* The grid of A; n[0] = 0: none. */
struct cells grid_of(const struct csr *A, int64_t block);

/* Fail the test unless offsets and members are those of the map, and no aggregate is empty. */
void expect_lists(const struct aggregates *aggregates);

/* Fail the test unless `coarse` keeps the rules of csr.h and is P' A P, within what adding the
 * entries in any order can make of them. */
void expect_coarse(const struct csr *A, const struct aggregates *aggregates,
                   const struct csr *coarse);

#endif

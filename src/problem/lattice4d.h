/* The pattern of a quark propagator (Wilson 1974) on a periodic lattice of nx x ny x nz x nt sites,
 * with four spins and three colours each: site (x, y, z, t), spin s and colour c are row
 *
 *     12 (x + nx (y + ny (z + nz t))) + 3 s + c.
 *
 * Each row has 39 neighbours: in each of the six directions of space all colours of two spins of
 * the next site, s and its partner, 3 - s along x and y and s xor 2 along z; and in time all
 * colours of spin s of one site. That is the hopping matrix in the Dirac basis, where 1 -+ gamma_t
 * has a single entry in every other row, and so has conf5_4-8x8-05 of the SuiteSparse collection
 * (8^4 sites, 49,152 rows) exactly 39 a row.
 *
 * The one site in time is t + 1 or t - 1 such that the pattern is symmetric (that of the hopping
 * matrix is not): t + 1 where t is even and s < 2, or t is odd and s >= 2. kind = general: the 39
 * alone. kind = symmetric: with the diagonal, 40, as I - kappa D that is solved with has. */
#ifndef PROBLEM_LATTICE4D_H
#define PROBLEM_LATTICE4D_H

#include "problem/pattern.h"

struct lattice4d {
    int64_t n[4]; /* nx, ny, nz >= 3; nt >= 2 and even */
};

/* Rows 12 nx ny nz nt, or -1 when they pass INT32_MAX or a size is none of those. */
int64_t lattice4d_rows(const int64_t n[4]);

/* The caller owns A. Errors: STATUS_CONFIG, STATUS_MEMORY. */
enum status lattice4d_create(const struct lattice4d *lattice, const struct pattern_options *options,
                             struct csr *A, struct error *error);

#endif

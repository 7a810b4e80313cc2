/* The spectrum of poisson3d (problem/poisson3d.c) in closed form. */
#ifndef TESTS_SOLVER_POISSON_EIGENVALUES_H
#define TESTS_SOLVER_POISSON_EIGENVALUES_H

#include "problem/generators.h"

/* All nx ny nz eigenvalues for jump = 1, ascending and as often as they occur:
 *
 *     sum over the axes a, 1 <= k_a <= n_a, of
 *         2 w_a (1 - cos(k_a pi / (n_a + 1))) = 4 w_a sin^2(k_a pi / (2 (n_a + 1))).
 *
 * By the squares, in long double, so each is good to about an ulp. The caller calls memory_free. */
double *poisson_eigenvalues(const struct poisson3d *poisson);

#endif

/* An upper bound of the spectrum of D^-1 A of a level, D the diagonal of A.
 *
 * Where no entry off the diagonal is positive, Gershgorin's: max_i sum_j |a_ij| / a_ii = max_i (2 -
 * (A 1)_i / a_ii), by one product; it is 2 at the most where A is diagonally dominant. Where that
 * is above 2.2, or an entry is positive, the estimate of precondition/spectrum.h for D^-1/2 A
 * D^-1/2, 1.1 times (the greatest Ritz value plus its residual bound). */
#ifndef PRECONDITION_MULTIGRID_SETUP_BOUND_H
#define PRECONDITION_MULTIGRID_SETUP_BOUND_H

#include "precondition/multigrid/setup/hierarchy.h"

/* The level has its vectors, its product, the inverse of its diagonal and is_m_matrix. A is on the
 * host, or in the memory of its space; of ranks that share the level each has its own rows. number:
 * as spectrum_estimate takes it. A matrix of zeros has lmax = 1. *singular: no entry off the
 * diagonal is positive, and the sum of each row is at most 2^-48 a_ii; it is set then, else left.
 * Errors: STATUS_CONFIG (a product is not finite), STATUS_MEMORY, STATUS_DEVICE. */
enum status bound_of(const struct csr *A, const int32_t *number, struct level *level, double *lmax,
                     bool *singular, struct error *error);

#endif

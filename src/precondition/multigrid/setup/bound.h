/* An upper bound of the spectrum of D^-1 A of a level, D the diagonal of A.
 *
 * Where no entry off the diagonal is positive, Gershgorin's: max_i sum_j |a_ij| / a_ii = max_i (2 -
 * (A 1)_i / a_ii), by one product; it is 2 at the most where A is diagonally dominant. Where that
 * is above 2.2, or an entry is positive, the estimate of precondition/spectrum.h for D^-1/2 A
 * D^-1/2, 1.1 times (the greatest Ritz value plus its residual bound). */
#ifndef PRECONDITION_MULTIGRID_SETUP_BOUND_H
#define PRECONDITION_MULTIGRID_SETUP_BOUND_H

#include "precondition/multigrid/setup/hierarchy.h"

/* The level has its vectors, its product and the inverse of its diagonal. A is on the host, or in
 * the memory of its space; of ranks that share the level each has its own rows. number: as
 * spectrum_estimate takes it. Errors: STATUS_CONFIG (a product is not finite; no entry off the
 * diagonal is positive and every row sums to 0, so A is singular; the name begins the message),
 * STATUS_MEMORY, STATUS_DEVICE. */
enum status bound_of(const char *name, const struct csr *A, const int32_t *number,
                     struct level *level, double *lmax, struct error *error);

#endif

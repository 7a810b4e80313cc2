/* The last level of a multigrid, where it is solved. */
#ifndef PRECONDITION_MULTIGRID_SETUP_COARSEST_H
#define PRECONDITION_MULTIGRID_SETUP_COARSEST_H

#include "precondition/multigrid/setup/hierarchy.h"

/* coarsest_inverse = A^-1 of the last matrix, by dense.h. The name begins messages. Errors:
 * STATUS_CONFIG (A is not positive definite; an inverse too large for the precision of the cycle),
 * STATUS_MEMORY, STATUS_DEVICE. */
enum status coarsest_solve(const char *name, const struct csr *A, struct hierarchy *hierarchy,
                           struct error *error);

#endif

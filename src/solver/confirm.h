/* What is done when a solve says that it has converged. */
#ifndef SOLVER_CONFIRM_H
#define SOLVER_CONFIRM_H

#include "base/threads.h"
#include "cgsolve/solver.h"

/* result->true_residual = ||b - (shift I + A) x||_2, and where the recursive residual passed while
 * the true one is above 1.1 times what was asked for, result->reason becomes REASON_RESIDUAL_GAP.
 * rhs_norm and reason are there. Errors: STATUS_MEMORY. */
enum status solver_confirm(struct threads *threads, const struct csr *A, const double *b,
                           const double *x, const struct solver_options *options,
                           struct solver_result *result, struct error *error);

#endif

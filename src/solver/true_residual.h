/* What is done when a solve says that it has converged.
 *
 * The true residual of a solve for a vector is computed on the host or, with the same bits, on the
 * device where the solve was: if A's rows are there, or can be made there, which takes less time
 * than reading them on the host, and there is room (residual.h). */
#ifndef SOLVER_TRUE_RESIDUAL_H
#define SOLVER_TRUE_RESIDUAL_H

#include "solver/method.h"

/* *given = x, which ends a solve, where the solution is wanted: of several ranks each gets its own
 * rows, at their places in given[n] (space/ranks/rank_vector.h). Errors: STATUS_DEVICE. */
enum status solver_give(const struct solver *solver, const double *x, double *given,
                        struct error *error);

/* *host = v[n], which is where the solver's vectors are given, or *copy, which holds the same on
 * the host. v = NULL: NULL. The caller calls memory_free(*copy). Errors: STATUS_MEMORY,
 * STATUS_DEVICE. */
enum status solver_on_host(const struct solver *solver, double *v, double **host, double **copy,
                           struct error *error);

/* *norm = ||b - (shift I + A) x||_2, x[n] and b[n] on the host, b = NULL: 0, of a rank the own
 * rows; some of x are fetched. From A's entries in twice the precision; where they are not known
 * (solver_begin), by one more product with the spmv, as precise as that is. Errors: STATUS_MEMORY,
 * STATUS_DEVICE, the product's. */
enum status solver_true_residual(struct linear_operator *spmv, const struct csr *A, double shift,
                                 const double *b, double *x, double *norm, struct error *error);

/* What the device needs to confirm a solve with A, which it multiplies by in that space, and b
 * besides; 0: the host does it. */
int64_t solver_confirming_bytes(const struct space *space, const struct csr *A);

/* result.true_residual, and where the recursive residual passed while the true one is above 1.1
 * times what was asked for, the reason becomes REASON_RESIDUAL_GAP. rhs_norm and reason are there.
 * Errors: as above. */
enum status solver_confirm(struct solver *solver, const struct csr *A, const double *b, double *x,
                           struct error *error);

#endif

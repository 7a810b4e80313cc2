/* Solves of A x = b with an A whose null space is known (solver/null_space.h): b is looked at, and
 * x is that of least norm.
 *
 *     outside = ||Q'b|| / ||b||,  Q an orthonormal basis of the null space
 *
 * is how far b lies outside of A's range: no x has ||b - A x|| < outside ||b||. Up to the
 * tolerance, or 2^-40 where that is more, b is taken for one in the range but for rounding: b - Q
 * Q'b is solved for. Beyond it, by null_space:
 *
 *     auto      a method that takes any A (METHOD_TAKES_INDEFINITE) solves for b as it is, and
 *               comes to a least squares solution; for others b is refused
 *     project   b - Q Q'b is solved for: x is a least squares solution
 *     none      nobody looks for a null space
 *
 * Where at most 2^-40 ||b|| is left of b, it is 0, and so is x, whatever x_0 is.
 *
 * x_0 and x lose their parts along Q, so x is the one of least norm. ||b||, tolerances,
 * residuals and the confirmed ||b - A x|| are those of the b that is solved for. What rounding
 * adds to r along Q within the iterations is taken off where it matters (solver/drift.h). A
 * solve with a shift other than 0 has no null space. */
#ifndef SOLVER_SINGULAR_H
#define SOLVER_SINGULAR_H

#include "solver/method.h"
#include "solver/null_space.h"
#include "solver/scale.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The null space of A, whose rows the ranks of the space may have apart, or a device; zeroed where
 * `wanted` is none, or the method finds no x or takes no symmetric A. each: of each component (a
 * preconditioner has met a singular one); so it is where `wanted` is project. What is found is the
 * same in all ranks. The caller calls null_space_free. Errors: those of null_space_find,
 * STATUS_DEVICE, STATUS_RANK. */
enum status singular_find(struct space *space, const struct csr *A, const int32_t *number,
                          const struct solver_options *options, bool each, struct null_space *made,
                          struct error *error);

/* b and x0 of *start become what is solved for, which the solver keeps; nothing is done where A's
 * null space is not known. The solver's options have their relative tolerance for *start's b.
 * Errors: STATUS_CONFIG (b is not in the range), STATUS_MEMORY, STATUS_RANK. */
enum status singular_begin(struct solver *solver, const struct csr *A, struct scaled_start *start,
                           struct error *error);

/* x[n], in the solver's space, less its part along the null space. Errors: as above,
 * STATUS_DEVICE. */
enum status singular_end(struct solver *solver, double *x, struct error *error);

/* What singular_begin keeps. */
void singular_free(struct solver *solver);

#ifdef __cplusplus
}
#endif
#endif

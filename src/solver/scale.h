/* A solve of a system out of the middle of the range of doubles, where squares of norms overflow or
 * lose their digits: a matrix comes scaled by a power of two (matrix/scale.h), b is scaled here,
 * and what is found and shown is scaled back by its unit (solver/method.h). Powers of two change
 * no bit, so the solve is that of a system in the middle; where all are 1, nothing is done. */
#ifndef SOLVER_SCALE_H
#define SOLVER_SCALE_H

#include "solver/method.h"

/* *scaled = 2^-e A (matrix/scale.h), with the e of the values of all ranks; zeroed where e is 0.
 * Its values alone are its own, in the memory of A's. All ranks call it. The caller calls
 * solver_scale_matrix_free. Errors: STATUS_MEMORY, STATUS_DEVICE, STATUS_RANK. */
enum status solver_scale_matrix(struct space *space, const struct csr *A, struct csr *scaled,
                                struct error *error);
void solver_scale_matrix_free(struct csr *scaled); /* accepts a zeroed one */

/* b and x0 as they are solved for: the caller's own where they are not scaled. */
struct scaled_start {
    const double *b, *x0;
    double *own_b, *own_x0;
};

/* The solver's scale, by its spmv and M, and by b and x0; its options and observer in that scale;
 * and *start. The solver's spmv, options and observer have been filled in; of several ranks each
 * has its own rows of b and x0. The caller calls solver_scale_release, also after a failure.
 * Errors: STATUS_MEMORY, STATUS_RANK. */
enum status solver_scale_begin(struct solver *solver, const double *b, const double *x0,
                               struct scaled_start *start, struct error *error);
void solver_scale_release(const struct solver *solver, struct scaled_start *start);

/* b and x0 once more, for the end of the solve. Releases and errors as above. */
enum status solver_scale_start(const struct solver *solver, const double *b, const double *x0,
                               struct scaled_start *start, struct error *error);

/* The solution and the solver's result in the units of what was given. An x that does not scale
 * back exactly is confirmed as what it has become, and not converged if it overflows. A, b: of the
 * scaled system. Errors: those of solver_confirm. */
enum status solver_scale_end(struct solver *solver, const struct csr *A, const double *b,
                             double *solution, struct error *error);

void solver_scale_free(struct solver *solver);

#endif

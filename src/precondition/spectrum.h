/* The ends of the spectrum of a symmetric A, estimated by a few steps of Lanczos' method (Golub and
 * Van Loan, Matrix Computations, 4th ed., algorithm 10.1.1, without reorthogonalization):
 *
 *     v_1 = u / ||u||,  u_{number[i]} = random_uniform(1, i) of base/random.h
 *     for j = 1, ..., steps:
 *         w = A v_j,  alpha_j = v_j . w,  w -= alpha_j v_j,  w -= beta_{j-1} v_{j-1},
 *         beta_j = ||w||,  v_{j+1} = w / beta_j
 *
 * by the spmv's products and its space's operations, so that the bits are as reproducible as
 * theirs, and the eigenvalues theta of the tridiagonal matrix of alpha and beta by Jacobi's
 * rotations in cyclic order (ibidem, section 8.5). It ends early when w vanishes. Row i of the
 * problem is row number[i] of A (matrix/permute.h): so the first vector is renumbered with the
 * system, and with exact sums the estimate is the same in every numbering. */
#ifndef PRECONDITION_SPECTRUM_H
#define PRECONDITION_SPECTRUM_H

#include "spmv/kernel.h"

enum { SPECTRUM_STEPS = 24 };

struct spectrum {
    double low, high; /* the least and the greatest theta: inside the spectrum, but for rounding */
    double bound; /* beta_k |s_k|, s the eigenvector of `high`: an eigenvalue of A is so near to it
                     (Golub and Van Loan, section 10.1) */
    int steps;    /* = products with A */
};

/* By at most so many steps, which are at most SPECTRUM_STEPS. number[spmv->n], or NULL: A has the
 * problem's own numbering. Errors: STATUS_CONFIG (not finite), STATUS_MEMORY, STATUS_DEVICE. */
enum status spectrum_estimate(struct linear_operator *spmv, const int32_t *number, int steps,
                              struct spectrum *spectrum, struct error *error);

/* u of the opening comment as a vector of the space, with that seed in the place of 1; where it has
 * ranks, all call it. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status spectrum_first_vector(struct space *space, int64_t n, const int32_t *number,
                                  uint64_t seed, double *v, struct error *error);

#endif

/* What the coefficients of conjugate gradients tell of the spectrum and of the error, at no cost:
 * Hestenes and Stiefel 1952, section 14; Meurant and Tichy 2019, "Approximating the extreme Ritz
 * values and upper bounds for the A-norm of the error in CG", Numerical Algorithms 82.
 *
 * After k iterations alpha_0 ... alpha_{k-1} and beta_1 ... beta_{k-1} make the matrix of the
 * Lanczos process,
 *
 *     T_k = L_k L_k',  L_k(j, j) = 1 / sqrt(alpha_j),  L_k(j, j-1) = sqrt(beta_j / alpha_{j-1}),
 *         j from 0,
 *
 * whose eigenvalues, the Ritz values, lie between the smallest and the largest eigenvalue of A;
 * with a preconditioner M, of M^-1 A, and rho is then r . M^-1 r.
 *
 * In row k stand, at O(1),
 *     ritz_low, ritz_high   estimates of the extreme Ritz values by incremental norm estimation of
 *                           L_k' and of its inverse (Bischof 1990; Duff and Vomel 2002): Rayleigh
 *                           quotients of T_k, so that, but for rounding, ritz_low lies above the
 *                           smallest Ritz value and ritz_high below the largest
 *     condition             ritz_high / ritz_low: an estimate from below of the condition number
 *     error_norm            sqrt(rho_k phi_k / ritz_low), phi_k = rho_k / ||p_k||^2: an estimate of
 *                           ||x - x_k||_A. With a lower bound of the smallest eigenvalue in the
 *                           place of ritz_low it were an upper bound (Meurant and Tichy 2019), with
 *                           rounding too but for a small share (tests/solver/test_cg_error.c
 *                           derives it). So it is one from when ritz_low has come down to the
 *                           smallest eigenvalue, but for the factor
 *                           sqrt(ritz_low / smallest eigenvalue); before that it may lie on either
 *                           side.
 * Row 0 has none of them, and a row has none that is not finite. All are made of + - * / and sqrt:
 * equal coefficients, equal bits. Rounding takes the process away from Lanczos' in exact
 * arithmetic, but the Ritz values stay near the spectrum (Greenbaum 1989). */
#ifndef SOLVER_CG_SPECTRUM_H
#define SOLVER_CG_SPECTRUM_H

#include "solver/cg/cg.h"

#include <stdbool.h>
#include <stdint.h>

/* A unit vector z that nearly maximizes the norm of a growing triangular matrix from its left: all
 * that the next column needs of it. */
struct norm_estimate {
    double squared; /* of that norm */
    double last;    /* what the next column is multiplied by */
};

/* Zeroed before row 0. */
struct cg_spectrum {
    int64_t count;                  /* k: the size of T_k */
    bool lost;                      /* a coefficient was not what T_k is made of */
    struct norm_estimate high, low; /* of L_k', of its inverse */
    double shape;                   /* 1 / phi_k = ||p_k||^2 / rho_k */
    double alpha, rho;              /* of the row before */
    double *alphas, *betas;         /* [count], beta_0 = 0; kept for the end */
    int64_t alphas_capacity, betas_capacity;
};

/* The next row, and what it tells into values[CG_RITZ_LOW] ... values[CG_ERROR_NORM]; NaN: that is
 * not known. Errors: STATUS_MEMORY (16 bytes a row are kept). */
enum status cg_spectrum_take(struct cg_spectrum *spectrum, const struct solver_row *row,
                             double values[CG_SERIES], struct error *error);

/* The smallest and the largest eigenvalue of T_k; NaN for k = 0 and where it is lost. */
void cg_spectrum_extremes(const struct cg_spectrum *spectrum, double *low, double *high);

/* Its state behind row `iterations` (space/archive.h). Errors: also STATUS_MEMORY. */
enum status cg_spectrum_keep(struct cg_spectrum *spectrum, int64_t iterations,
                             struct archive *archive, struct error *error);

void cg_spectrum_free(struct cg_spectrum *spectrum); /* accepts a zeroed one */

/* The smallest and the largest eigenvalue of T_k of the coefficients alphas[k] > 0 and
 * betas[k] >= 0 (betas[0] means nothing), k >= 1, by bisection with the number of negative pivots
 * in
 *
 *     L D L' - sigma I:  s_0 = -sigma,  e_j = 1 + alpha_j s_j,
 *         s_{j+1} = beta_{j+1} s_j / e_j - sigma,
 *
 * the stationary qd transformation (Fernando 1998; Dhillon 1997), which reads the coefficients as
 * they are. So the smallest one too is right to about k ulps of itself, and not of the largest.
 * Eight sigmas are tried in a pass, and it takes some 40 passes for both. NaN where the range of
 * doubles ends. */
void cg_ritz_extremes(const double *alphas, const double *betas, int64_t k, double *low,
                      double *high);

#endif

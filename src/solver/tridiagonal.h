/* The eigenvalues of a small symmetric tridiagonal matrix, and how the matrix of a restarted
 * Lanczos recurrence becomes one. Plain C: + - * / and sqrt alone, in an order that depends on the
 * numbers alone, so every machine makes the same bits.
 *
 * Both functions are a sequence of rotations of two neighbouring columns i and i + 1, and apply
 * each of them to a matrix z of `rows` rows too, which is stored by columns: z[r + rows i]. It
 * begins as what the caller wants to see turned: the identity gives all vectors, one row e_m^T
 * their last components, at m times less work. A row's bits do not depend on the other rows.
 * rows = 0: z may be NULL.
 *
 * Both bring the largest entry into [1/2, 1) by a power of two, and the result back, so tiny and
 * huge matrices lose nothing. */
#ifndef SOLVER_TRIDIAGONAL_H
#define SOLVER_TRIDIAGONAL_H

#include "base/status.h"

#include <stdint.h>

/* T = Z D Z^T for T with the diagonal d[m] and the off-diagonal e[m - 1], T_{i,i+1} = e_i; m >= 1.
 * d becomes the eigenvalues, ascending (equal ones stay in the order in which they were found), z
 * becomes z Z, and e is destroyed.
 *
 * Implicit QL with Wilkinson's shifts (Dubrulle, Martin, Wilkinson 1968; Parlett 1998, sections 8.9
 * to 8.13), the bulge chased as in Golub and Van Loan (2013, algorithm 8.3.2). With u = 2^-53, e_i
 * is dropped when it is at most u (|d_i| + |d_{i+1}|) or, beside the largest entry, u^2. The
 * eigenvalues are those of a matrix at most c m u ||T|| away from T, c about 10, and Z is as close
 * to an orthogonal matrix. Work: about 5 m^2 (rows + 4) operations.
 *
 * Errors: STATUS_INPUT when an entry is not finite (nothing is changed then), or when 30 m steps
 * were not enough, which no matrix is known to need. An eigenvalue beyond the largest double
 * becomes infinite. */
enum status tridiagonal_eigen(int64_t m, double *d, double *e, double *z, int64_t rows,
                              struct error *error);

/* After a thick restart (Wu and Simon 2000) the projected matrix begins with diag(theta_0 ...
 * theta_{k-1}), which row and column k border with b_0 ... b_{k-1}. With an orthogonal Q (k x k),
 *
 *     Q^T diag(theta) Q = the tridiagonal matrix of d_0 ... d_{k-1} and b_0 ... b_{k-2},
 *         Q^T b = b_{k-1} e_{k-1},
 *
 * where the b on the right of a sign = are the new ones: the whole matrix is then tridiagonal, with
 * b_{k-1} between k - 1 and k. d[k] holds theta, and b[k] the border, before; z becomes z Q;
 * k >= 1. Of the new b only b_{k-1} has a certain sign: it is ||b||_2, unless all other b are 0.
 *
 * b_j is turned into b_{j+1} for j = 0, ..., k - 2, and the bulge that this makes chased to the top
 * (Rutishauser 1963; Gragg and Harrod 1984, section 3): k (k - 1) / 2 rotations, backward stable
 * like any sequence of them. What is not finite leaves numbers that are not finite. */
void tridiagonal_from_arrow(int64_t k, double *d, double *b, double *z, int64_t rows);

#endif

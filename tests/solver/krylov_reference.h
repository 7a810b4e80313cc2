/* What the suites of minimal residuals hold a solve against, in long double and by dense
 * vectors. */
#ifndef TESTS_SOLVER_KRYLOV_REFERENCE_H
#define TESTS_SOLVER_KRYLOV_REFERENCE_H

#include "matrix/csr.h"

#include <stdint.h>

enum { KRYLOV_N = 400, KRYLOV_STEPS = 40 };

/* W = M^-1, symmetric positive definite, or NULL: I. Then everything is by the inner product
 * x . W y, and A stands for A W.
 *
 * optimum[k] = min ||b - (shift I + A) x||_W over x in span{W b, ..., (W A)^{k-1} W b},
 * k = 0 ... steps, and norm[k] = ||b - (shift I + A) x||_2 of that x; n <= KRYLOV_N: orthonormal
 * bases of the Krylov space and of its image, each vector made orthogonal to all before it twice.
 * The space ends where a new vector is below 1e-15 of what it was made from: then the last optimum
 * stays. norm may be NULL. */
void krylov_optimum(const struct csr *A, const struct csr *W, double shift, const double *b,
                    int64_t steps, long double *optimum, long double *norm);

/* The textbook's loop of solver/minres/minres.h for a symmetric A, from an upper triangular R that
 * is kept whole and solved anew in every step, without recurrences for the columns: residual[k] =
 * |phi_k|, alpha[k], beta[k] (that is beta_{k+1}) for k up to steps, alpha[0] and beta[0] not set.
 * */
struct krylov_lanczos {
    long double residual[KRYLOV_STEPS + 1], alpha[KRYLOV_STEPS + 1], beta[KRYLOV_STEPS + 1];
    long double gamma[KRYLOV_STEPS + 1]; /* the diagonal of R */
};
void krylov_lanczos(const struct csr *A, const struct csr *W, const double *b, int64_t steps,
                    struct krylov_lanczos *made);

#endif

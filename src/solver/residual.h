/* The true residual of a linear system, in about twice the working precision. */
#ifndef SOLVER_RESIDUAL_H
#define SOLVER_RESIDUAL_H

#include "cgsolve/csr.h"
#include "cgsolve/status.h"

/* *norm = ||b - A x||_2 for A of any kind, b[n] and x[n] on the host. Every component is computed
 * with error-free products and sums (Dot2; Ogita, Rump, Oishi 2005), so it is good to about
 * u |r_i| + (nnz_i u)^2 (|A| |x| + |b|)_i; the norm is scaled, so that neither tiny nor huge
 * residuals are lost. One thread, the same bits everywhere. NaN if x is not finite. Errors:
 * STATUS_MEMORY. */
enum status residual_norm(const struct csr *A, const double *b, const double *x, double *norm,
                          struct error *error);

/* ||v||_2 of v[n], scaled by the power of two above the largest component. One thread. NaN if a
 * component is not finite. */
double vector_norm(int64_t n, const double *v);

#endif

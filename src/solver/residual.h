/* The true residual of a linear system, in about twice the working precision. */
#ifndef SOLVER_RESIDUAL_H
#define SOLVER_RESIDUAL_H

#include "base/status.h"
#include "base/threads.h"
#include "matrix/csr.h"
#include "space/space.h"
#include "space/sum/compensated.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* r -= A x, for A of any kind, x[width], r[n]: error-free products and sums (Dot2; Ogita, Rump,
 * Oishi 2005), row by row, so r_i.sum + r_i.error is good to about u |r_i| + (nnz_i u)^2
 * (|A| |x| + |r|)_i. The same bits for any number of threads. */
void residual_subtract_product(struct threads *threads, const struct csr *A, const double *x,
                               struct compensated *r);

/* *norm = ||b - (shift I + A) x||_2 for A of any kind, square where shift is not 0, b[n] and x[n]
 * on the host; b = NULL: 0. Every component is computed as above; the norm is scaled, so that
 * neither tiny nor huge residuals are lost. The same bits everywhere. NaN if x is not finite.
 * Errors: STATUS_MEMORY. */
enum status residual_norm(struct threads *threads, const struct csr *A, double shift,
                          const double *b, const double *x, double *norm, struct error *error);

/* The same for the solves in a space. Of several ranks each makes its rows, and needs its own of b
 * and x (space/ranks/rank_vector.h); what it needs of x besides is fetched. Errors: STATUS_MEMORY,
 * STATUS_RANK. */
enum status residual_norm_in(struct space *space, const struct csr *A, double shift,
                             const double *b, double *x, double *norm, struct error *error);

/* The same, bit for bit, in the memory of a CUDA device, where b[n] and x[n] are, for a symmetric
 * or skew-symmetric A, whose rows are there or are brought there for this call (spmv/device_csr.h):
 * by the thread of a row, which finds the mirrored entries by their distances from the diagonal or,
 * where these are more than CSR_DISTANCES_MAX, in a list of the entries by columns. *suits is
 * false, and nothing done, where there is no room. Errors: STATUS_DEVICE. */
typedef enum status residual_norms(struct space *space, const struct csr *A, double shift,
                                   const double *b, const double *x, bool *suits, double *norm,
                                   struct error *error);

/* Room on the device for that, but for a list by columns. */
int64_t residual_bytes_on_device(const struct csr *A);

/* r[last - first] = the rows first <= i < last of b - (shift I + A) x, each rounded once, the same
 * bits, with all vectors on the host: of an A whose rows the space makes, some at a time, with
 * few distances. *suits and errors as above. */
typedef enum status residual_rows(struct space *space, const struct csr *A, int64_t first,
                                  int64_t last, double shift, const double *b, const double *x,
                                  bool *suits, double *r, struct error *error);

/* In the CUDA part (base/cuda_part.h). */
residual_norms residual_norm_cuda;
residual_rows residual_rows_cuda;

#ifdef __cplusplus
}
#endif
#endif

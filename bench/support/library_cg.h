/* Conjugate gradients as a user of the libraries writes them: cuSPARSE for the product of the full
 * matrix, cuBLAS for every vector operation, alpha and beta on the host. What cgsolve's loop is
 * measured against. For .cu files. */
#ifndef BENCH_SUPPORT_LIBRARY_CG_H
#define BENCH_SUPPORT_LIBRARY_CG_H

#include "spmv/cusparse_csr.h"

#include <cublas_v2.h>

struct library_cg {
    struct cusparse_csr matrix;
    struct cusparse_product product;
    cublasHandle_t blas;
    double *x, *r, *p, *q; /* [n] each */
};

/* Expand A, copy it to the device of the space, make everything ready. Errors: STATUS_MEMORY,
 * STATUS_DEVICE; then too library_cg_destroy is to be called. */
enum status library_cg_create(struct space_cuda *space, const struct csr *A, struct library_cg *cg,
                              struct error *error);
void library_cg_destroy(struct library_cg *cg); /* accepts a zeroed one */

/* Solve A x = b from x = 0, b[n] on the host, until ||r|| <= tolerance ||b||; *seconds is the wall
 * time of the iterations. 112 n bytes an iteration besides the product: p . q, x += alpha p,
 * r -= alpha q, r . r, p *= beta, p += r. */
enum status library_cg_solve(struct library_cg *cg, const double *b, double tolerance,
                             int64_t max_iterations, int64_t *iterations, double *seconds,
                             struct error *error);

#endif

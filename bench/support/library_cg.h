/* Conjugate gradients as a user of the libraries writes them: cuSPARSE (algorithm 1) for the
 * product of the full matrix, cuBLAS for every vector operation. What cgsolve's loop is measured
 * against. The same operations in three forms, from the plainest to the strongest:
 *
 *     LIBRARY_HOST      alpha and beta on the host, which waits for every dot product
 *     LIBRARY_DEVICE    all scalars on the device; the host only reads ||r|| to stop
 *     LIBRARY_GRAPH     the whole loop is one CUDA graph with a conditional WHILE node
 *
 * 112 n bytes an iteration besides the product: p . q, x += alpha p, r -= alpha q, r . r,
 * p *= beta, p += r. For .cu files. */
#ifndef BENCH_SUPPORT_LIBRARY_CG_H
#define BENCH_SUPPORT_LIBRARY_CG_H

#include "spmv/vendor/cusparse_csr.h"

#include <cublas_v2.h>

enum library_loop { LIBRARY_HOST, LIBRARY_DEVICE, LIBRARY_GRAPH, LIBRARY_LOOPS };

struct library_scalars;

struct library_cg {
    struct space_cuda *space;
    struct linear_operator A;    /* cusparse_full */
    struct cusparse_csr *matrix; /* its state */
    cublasHandle_t blas;
    void *blas_workspace;
    double *x, *r, *p, *q; /* [n] each */
    const double *b;       /* [n], borrowed, on the host */
    double tolerance;
    int64_t max_iterations;
    struct library_scalars *scalars; /* on the device */
    double *history;                 /* [max_iterations + 1], on the device: every r . r */
    double *told;             /* [2], on the host, written by the device: r . r of even, odd k */
    cudaEvent_t telling[2];   /* that it is there */
    int behind;               /* LIBRARY_DEVICE reads ||r|| so many iterations late, 0 or 1 */
    bool product_by_address;  /* on the device: the 1 and 0 of a product are read from there */
    cudaGraph_t source;       /* of graph */
    cudaGraphExec_t graph;    /* NULL: no_graph says why */
    double recording_seconds; /* what it took to make */
    struct error no_graph;
};

/* Expand A, copy it to the device of the space, make everything ready to solve A x = b from x = 0
 * until ||r|| <= tolerance ||b||. `behind` and `product_by_address` become what is faster in a
 * trial, so that nothing is left to be won by a user's choice. That no graph can be made is no
 * failure. Errors: STATUS_MEMORY, STATUS_DEVICE; then too library_cg_destroy is to be called. */
enum status library_cg_create(struct space_cuda *space, const struct csr *A, const double *b,
                              double tolerance, int64_t max_iterations, struct library_cg *cg,
                              struct error *error);
void library_cg_destroy(struct library_cg *cg); /* accepts a zeroed one */

/* *seconds is the wall time of the iterations, of LIBRARY_DEVICE with the one too many that it
 * makes when it is behind. Every solve is followed by a look at b - A x, not timed: STATUS_DEVICE
 * when it is far from the ||r|| that the loop believed in. */
enum status library_cg_solve(struct library_cg *cg, enum library_loop loop, int64_t *iterations,
                             double *seconds, struct error *error);

#endif

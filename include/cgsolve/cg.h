/* Conjugate gradients for a symmetric positive definite A (Hestenes and Stiefel 1952, section 3; in
 * the coupled two-term form of Golub and Van Loan, Matrix Computations, 4th ed., algorithm 11.3.3).
 *
 *     x = 0,  r = p = b,  rho_0 = r . r,  q = A p
 *     for k = 0, 1, ... while ||r|| = sqrt(rho_k) > tolerance ||b||
 *         alpha_k = rho_k / (p . q)
 *         r -= alpha_k q,  rho_{k+1} = r . r,  beta_{k+1} = rho_{k+1} / rho_k
 *         x += alpha_k p,  p = r + beta_{k+1} p,  q = A p
 *
 * The last line is two passes over memory, or one where the kernel makes p while it multiplies (its
 * slot apply_direction): then p alternates between two vectors, and x takes two steps every second
 * time. The bits are the same.
 *
 * The loop stands once, over a space; which bits come out depends on the kernel and on the space's
 * reductions alone. */
#ifndef CGSOLVE_CG_H
#define CGSOLVE_CG_H

#include "cgsolve/cg_scalars.h"
#include "cgsolve/kernel.h"
#include "cgsolve/space.h"
#include "cgsolve/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "converged", "residual gap", "iteration limit", "not positive definite", "not finite",
 * "stagnation". */
const char *reason_name(enum reason reason);

/* The vectors of iteration k, in the order in which they are made: r_k, x_k, and p_k, q_k = A p_k for the next
 * one. */
enum cg_vector {
    CG_R,
    CG_X,
    CG_P,
    CG_Q,
    CG_VECTORS,
};

/* A look at vectors on the way, in the iterations 0, every, 2 every, ... When the iteration ends with one of
 * them, its p and q were not made. The bits of the solve are those without a trace; its time is not: no work is
 * recorded or sent past an iteration that is looked at, and the vectors are copied to the host. */
struct cg_trace {
    int64_t every;    /* >= 1 */
    unsigned vectors; /* bits 1u << enum cg_vector */
    /* values[n] on the host, until it returns. Called behind the row of that iteration, on the calling
     * thread. A status other than STATUS_OK ends the solve with it. */
    enum status (*take)(void *context, int64_t iteration, enum cg_vector vector,
                        const double *values, struct error *error);
    void *context;
};

/* row is called with every row, in order, on the calling thread. Both may be NULL. A status other than
 * STATUS_OK ends the solve with that status. */
struct cg_observer {
    enum status (*row)(void *context, const struct history_row *row, struct error *error);
    void *context;
    const struct cg_trace *trace;
};

struct cg_options {
    double tolerance;       /* 0 < tolerance < 1 */
    int64_t max_iterations; /* >= 0 */
};

struct cg_result {
    enum reason reason;
    int64_t iterations;   /* iterations done = the last row of the history */
    double residual;      /* ||r||_2 of the recursive r at the end */
    double true_residual; /* ||b - A x||_2, computed in higher precision */
    double rhs_norm;      /* ||b||_2 */
    double curvature;     /* the last p . A p */
    double start_seconds; /* wall time before the first iteration: memory, b, recording */
    double seconds;       /* wall time of the iterations, without start and confirmation */
};

/* Solve A x = b from x = 0.
 * spmv     A in the form of one kernel, kind CSR_SYMMETRIC; its space is the one that is used
 * A        the same matrix on the host, for the true residual
 * b[n]     on the host
 * x[n]     on the host, overwritten with the last iterate, whatever the reason
 * Errors: STATUS_CONFIG (A is not symmetric), STATUS_MEMORY, STATUS_DEVICE; then *result says
 * nothing. b = 0 converges at iteration 0 with x = 0. */
enum status cg_solve(struct spmv *spmv, const struct csr *A, const double *b,
                     const struct cg_options *options, const struct cg_observer *observer,
                     double *x, struct cg_result *result, struct error *error);

/* What cg_solve allocates in the space with that kernel for a matrix of n rows, at the least, but for what
 * n does not change and what the space needs for its sums. */
int64_t cg_memory_bytes(const struct kernel *kernel, int64_t n);

/* The byte model of one iteration: the kernel's product, 24 n for r and its norm (32 n when a BLAS
 * takes it), 40 n for x and p (28 n where the kernel makes p), and 16 n for p . q when the kernel
 * does not bring it along. */
int64_t cg_bytes_per_iteration(const struct spmv *spmv);

#ifdef __cplusplus
}
#endif
#endif

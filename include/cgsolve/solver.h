/* What all methods share: how one is stopped, the rows of its history, and what it comes to. Each
 * method stands once, over a space, with a header of its own; what it declares of itself is a
 * struct method (cgsolve/method.h). */
#ifndef CGSOLVE_SOLVER_H
#define CGSOLVE_SOLVER_H

#include "cgsolve/csr.h"
#include "cgsolve/kernel.h"
#include "cgsolve/solver_rows.h"
#include "cgsolve/space.h"
#include "cgsolve/status.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct method; /* cgsolve/method.h */

/* Which end of the spectrum. */
enum eigen_which {
    EIGEN_SMALLEST,
    EIGEN_LARGEST,
    EIGEN_BOTH,
};

/* What a new vector of the Lanczos basis is made orthogonal to, besides the two before it. */
enum reorthogonalization {
    REORTHOGONALIZATION_NONE,      /* nothing */
    REORTHOGONALIZATION_SELECTIVE, /* the Ritz vectors that have begun to converge */
    REORTHOGONALIZATION_FULL,      /* the whole basis */
};

/* Of METHOD_FINDS_EIGENVALUES. */
struct eigen_options {
    int64_t count; /* from each end, >= 1 */
    enum eigen_which which;
    double tolerance; /* done when ||A v - theta v|| <= tolerance |theta| for all that are wanted */
    enum reorthogonalization reorthogonalization;
    int64_t restart; /* the largest dimension of the subspace; 0: max(2 wanted + 20, 60) */
};

struct solver_options {
    const struct method *method;
    double tolerance; /* of METHOD_FINDS_VECTOR: 0 < tolerance < 1, done when ||r|| <= tolerance
                         ||b|| */
    int64_t max_iterations;     /* >= 0 */
    double shift;               /* of METHOD_TAKES_SHIFT; else 0 */
    struct eigen_options eigen; /* of METHOD_FINDS_EIGENVALUES */
    /* M^-1 (cgsolve/preconditioner.h), of METHOD_TAKES_PRECONDITIONER, over the same spmv;
     * borrowed; NULL: none */
    const struct linear_operator *preconditioner;
    bool time_split; /* measure the result's time_split behind the solve */
};

/* What a history tells besides the residual and the two coefficients, in the order of history.csv.
 * Which of them a method has, its table says. */
enum history_column {
    HISTORY_RITZ_LOW, /* the extreme Ritz values; CG: of M^-1 A, estimated */
    HISTORY_RITZ_HIGH,
    HISTORY_CONDITION,  /* CG: ritz_high / ritz_low */
    HISTORY_ERROR_NORM, /* CG: an estimate of ||x - x_k||_A */
    HISTORY_BOUND_LOW,  /* Lanczos: the residual bounds of the extreme Ritz values */
    HISTORY_BOUND_HIGH,
    HISTORY_ORTHOGONALITY, /* Lanczos: the largest |v_i . w| before w is made orthogonal again, over
                              ||w|| behind that */
    HISTORY_CONVERGED,     /* Lanczos: how many of the wanted eigenvalues have converged */
    HISTORY_GHOSTS,        /* Lanczos: how many Ritz values are copies of another */
    HISTORY_COLUMNS,
};

/* "ritz_low", ...: the names in history.csv */
extern const char *const history_column_names[];

/* Row k of a history. */
struct history_row {
    int64_t iteration; /* k, from 0 */
    double residual;   /* ||r_k||_2, of the recursive r; Lanczos: the largest bound of a wanted
                          ||A v - theta v||, over |theta| */
    double alpha,
        beta; /* the coefficients of the recurrence, as the method's header says; NaN in row 0 */
    double more[HISTORY_COLUMNS]; /* NaN: not known in this row */
};

/* row with no column more */
static inline struct history_row history_row_of(int64_t iteration, double residual, double alpha,
                                                double beta)
{
    struct history_row row;
    row.iteration = iteration;
    row.residual = residual;
    row.alpha = alpha;
    row.beta = beta;
    for (int c = 0; c < HISTORY_COLUMNS; c++)
        row.more[c] = NAN;
    return row;
}

/* The vectors of iteration k of CG, in the order in which they are made: r_k, x_k, and p_k, q_k = A
 * p_k for the next one. */
enum cg_vector {
    CG_R,
    CG_X,
    CG_P,
    CG_Q,
    CG_VECTORS,
};

/* A look at vectors of CG on the way, in the iterations 0, every, 2 every, ... When the iteration
 * ends with one of them, its p and q were not made. The bits of the solve are those without a
 * trace; its time is not: no work is recorded or sent past an iteration that is looked at, and the
 * vectors are copied to the host. */
struct cg_trace {
    int64_t every;    /* >= 1 */
    unsigned vectors; /* bits 1u << enum cg_vector */
    /* values[n] on the host, until it returns. Called behind the row of that iteration, on the
     * calling thread. A status other than STATUS_OK ends the solve with it. */
    enum status (*take)(void *context, int64_t iteration, enum cg_vector vector,
                        const double *values, struct error *error);
    void *context;
};

/* Called on the calling thread; any slot may be NULL. A status other than STATUS_OK ends the solve
 * with it; but for one: */
struct solver_observer {
    /* With every row, in order. STATUS_INTERRUPTED is the wish that the solve ends here, as if
     * max_iterations were reached: solver_solve gives back STATUS_OK, the reason is
     * REASON_INTERRUPTED, and the solution is that of the last row. What a GPU has on its way by
     * then is done first, and its rows still come; without a GPU this row is the last. A solve that
     * ends by itself with the last row keeps its own reason. */
    enum status (*row)(void *context, const struct history_row *row, struct error *error);
    void *context;
    const struct cg_trace *trace;
    /* Lanczos, at its end: eigenvector k, from 0 by ascending eigenvalue, of norm 1; v[n] on the
     * host, until it returns; with the same context. */
    enum status (*eigenvector)(void *context, int64_t k, double eigenvalue, const double *v,
                               struct error *error);
};

/* Where the time of an iteration goes, in seconds an iteration; 0: the method has no such piece, or
 * it was not measured. Each of the first three is done over and over by itself behind the solve, on
 * its vectors, and timed by the space's own clock: what fits into a cache stays there, and what one
 * piece does while the next begins is not seen, so they need not sum up to the time of an
 * iteration. No bit of the solve depends on it. Not measured where nothing was iterated, numbers
 * were not finite, or the solve was interrupted. */
struct solver_split {
    /* the pass with A, and what the kernel does in it: a dot product, the next direction */
    double product;
    /* the other passes: sums and updates of vectors; Lanczos: of a step with as many vectors as the
     * steps had in the mean, without restarts */
    double updates;
    double preconditioner; /* an application of M, with its own products */
    double projected;      /* Lanczos: T on the host, while the solve goes on */
};

/* What the residual of an eigenpair is below: neither; what was asked for; or what rounding may
 * leave, where that is more. */
enum eigen_met { EIGEN_MET_NO, EIGEN_MET_TOLERANCE, EIGEN_MET_ROUNDING };

/* The caller calls solver_result_free. */
struct solver_result {
    enum reason reason;
    int64_t iterations;   /* iterations done = the last row of the history */
    double residual;      /* of the last row */
    double true_residual; /* ||b - (shift I + A) x||_2, computed in higher precision; Lanczos: the
                             largest ||A v - theta v|| / |theta| of those wanted, likewise */
    double rhs_norm;      /* ||b||_2 */
    double curvature;     /* CG: the last p . A p; NaN where the solve was interrupted */
    int64_t products;     /* with A, those of a confirmation not counted */
    /* Wall time before the first iteration: memory, b, recording, and of CG the first r . M^-1
     * r. */
    double start_seconds;
    /* Wall time of the iterations. K of them are K products with A, K applications of M, and
     * whatever else K iterations do to their vectors, begun with the first product when nothing is
     * on its way; one product more where the last one made no row. MINRES on a GPU ends with the
     * last row, a moment before x is there. */
    double seconds;
    struct solver_split time_split; /* zeros, unless it was asked for */
    /* the extreme Ritz values of the whole solve (CG: of M^-1 A; no low one of a matrix that was
     * found not to be positive definite); NaN where they are not known */
    double ritz_low, ritz_high;
    /* Lanczos: ascending, with ||A v - theta v||_2 of each and what it is below. The result's
     * own. */
    int64_t eigen_count;
    double *eigenvalues, *eigen_residuals;
    enum eigen_met *eigen_met;
    double eigen_rounding; /* what rounding may leave of a residual: cgsolve/lanczos.h */
    bool eigen_all;        /* there are no other eigenvalues than these */
};

/* "no", "tolerance", "rounding" */
const char *eigen_met_name(enum eigen_met met);

void solver_result_free(struct solver_result *result); /* accepts a zeroed one */

/* ritz_high / ritz_low, where both are above 0: an estimate of the condition number, from below;
 * else NaN. */
double solver_result_condition(const struct solver_result *result);

/* "converged", "residual gap", "iteration limit", "not positive definite", "not finite",
 * "stagnation", "singular", "least squares solution", "interrupted". */
const char *reason_name(enum reason reason);

/* The tolerance that ends a solve: eigen.tolerance, or that of the residual. */
double solver_tolerance(const struct solver_options *options);

/* Whether a solution is an x[n]; else it is eigenvalues. */
bool solver_finds_vector(const struct solver_options *options);

/* How long a solution is: n, or as many eigenvalues as are wanted. */
int64_t solver_solution_length(const struct solver_options *options, int64_t n);

/* STATUS_CONFIG where A is not of the method's kind, with what would take it, where there is a
 * preconditioner and the method takes none, and where the method's check says so. */
enum status solver_takes(const struct solver_options *options, const struct csr *A,
                         struct error *error);

/* Solve by options->method.
 * spmv       A in the form of one kernel; its space is the one that is used
 * A          the same matrix on the host, for the confirmation
 * b[n]       on the host
 * solution   on the host, solver_solution_length of it, overwritten whatever the reason: x, or the
 *            eigenvalues, ascending; NaN where one was not found
 * Errors: STATUS_CONFIG (what solver_takes says), STATUS_MEMORY, STATUS_DEVICE; then *result
 * says nothing and owns nothing. */
enum status solver_solve(struct linear_operator *spmv, const struct csr *A, const double *b,
                         const struct solver_options *options,
                         const struct solver_observer *observer, double *solution,
                         struct solver_result *result, struct error *error);

#ifdef __cplusplus
}
#endif
#endif

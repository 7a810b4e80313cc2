/* What all methods share: how one is stopped, the rows of its history, and what it comes to. Each
 * method stands once, over a space, with a header of its own; what it declares of itself is a
 * struct method (solver/method.h).
 *
 * A solve is an object: it begins, advances by some iterations, and ends. Between two iterations it
 * can be saved, and go on elsewhere with the same bits (space/archive.h). */
#ifndef SOLVER_SOLVER_H
#define SOLVER_SOLVER_H

#include "base/observer.h"
#include "base/status.h"
#include "matrix/csr.h"
#include "space/solver_rows.h"
#include "space/space.h"
#include "spmv/kernel.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct archive; /* space/archive.h */
struct method;  /* solver/method.h */

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

/* Their names: "smallest", "largest", "both", NULL; "none", "selective", "full", NULL; static. */
extern const char *const eigen_which_names[], *const reorthogonalization_names[];
const char *eigen_which_name(enum eigen_which which);
const char *reorthogonalization_name(enum reorthogonalization reorthogonalization);

/* Of METHOD_FINDS_EIGENVALUES. */
struct eigen_options {
    int64_t count; /* from each end, >= 1 */
    enum eigen_which which;
    double tolerance; /* done when ||A v - theta v|| <= tolerance |theta| for all that are wanted */
    enum reorthogonalization reorthogonalization;
    int64_t restart; /* the largest dimension of the subspace; 0: max(2 wanted + 20, 60) */
};

/* What is done where A is singular: solver/singular.h. */
enum null_space_use {
    NULL_SPACE_AUTO,    /* it is looked for, and a b that is not in A's range is refused */
    NULL_SPACE_PROJECT, /* such a b loses its part outside of the range */
    NULL_SPACE_NONE,    /* it is not looked for */
};

/* "auto", "project", "none", NULL; static. */
extern const char *const null_space_names[];

/* How several right-hand sides are solved. The bits are the same. */
enum solver_columns {
    SOLVER_COLUMNS_AUTO,     /* as an iteration takes less time, by the bytes that it moves */
    SOLVER_COLUMNS_TOGETHER, /* up to 32 at once: one sweep over A for all of them */
    SOLVER_COLUMNS_APART,    /* one after the other */
};

/* Whether a GPU may do several iterations in one launch, which keeps a small system in its
 * processors (solver/resident.h). The bits are the same. */
enum solver_resident {
    SOLVER_RESIDENT_AUTO, /* where the system and the method suit */
    SOLVER_RESIDENT_NEVER,
};

/* "auto", "never", NULL; static. */
extern const char *const solver_resident_names[];

struct solver_options {
    const struct method *method;
    /* of METHOD_FINDS_VECTOR: done when ||r|| <= max(tolerance ||b||, absolute_tolerance) */
    double tolerance, absolute_tolerance; /* 0 <= tolerance < 1; >= 0; not both 0 */
    int64_t max_iterations;               /* >= 0 */
    double shift;                         /* of METHOD_TAKES_SHIFT; else 0 */
    double relaxation;                    /* > 0, of METHOD_TAKES_RELAXATION; else not looked at */
    enum null_space_use null_space;       /* of METHOD_FINDS_VECTOR */
    struct eigen_options eigen;           /* of METHOD_FINDS_EIGENVALUES */
    /* M^-1 (spmv/preconditioner.h), of METHOD_TAKES_PRECONDITIONER, over the same spmv;
     * borrowed; NULL: none */
    const struct linear_operator *preconditioner;
    bool time_split; /* measure the result's time_split behind the solve */
    enum solver_columns columns;
    enum solver_resident resident;
    /* Whose memory b, x_0 and the solution x[n] are in: the spmv's space, which has a device, or
     * NULL: the host's. In a space: of METHOD_FINDS_VECTOR, a system that is not scaled
     * (solver_scales), and an A whose null space is not known. */
    struct space *memory;
};

/* Where the time of an iteration goes, in seconds an iteration; 0: the method has no such piece, or
 * it was not measured. Each of the first three is timed separately, repeatedly, after the solve, on
 * its vectors and by the space's own clock. Data that fit into a cache stay in it, and pieces do
 * not overlap, so they need not sum up to the time of an iteration. No bit of the solve depends on
 * it. Not measured where nothing was iterated, numbers were not finite, or the solve was
 * interrupted. */
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

/* How a list of eigenvalues is known to leave none out: it is not; a search from a random vector
 * that is orthogonal to their eigenvectors brought no other; or the basis was the whole space. */
enum eigen_list { EIGEN_LIST_OPEN, EIGEN_LIST_SEARCHED, EIGEN_LIST_ALL };

/* The caller calls solver_result_free. */
struct solver_result {
    enum reason reason;
    int64_t iterations;          /* iterations done = the last row of the history */
    int64_t restarts;            /* how often it began anew from x */
    int64_t resident_iterations; /* of the iterations, those in launches of several of them; since
                                    it was loaded, if it was */
    double residual;             /* of the last row */
    double true_residual; /* ||b - (shift I + A) x||_2, computed in higher precision; Lanczos: the
                             largest ||A v - theta v|| / |theta| of those wanted, likewise */
    double rhs_norm;      /* ||b||_2 */
    /* Null vectors of A that are known (solver/singular.h); 0: none, and the next two are 0. Then b
     * is the one that is solved for, here and above, and x is the solution of least norm. */
    int64_t null_vectors;
    double outside;   /* ||Q'b|| / ||b|| of the b that was given */
    bool projected;   /* the b that is solved for has no such part */
    double curvature; /* CG: the last p . A p; NaN where the solve was interrupted */
    int64_t products; /* with A, those of a confirmation not counted */
    /* Wall time before the first iteration: memory, b, the product with x_0 where that is not 0,
     * recording, and the first r . M^-1 r. */
    double start_seconds;
    /* Wall time of the iterations. K of them are K products with A, K applications of M, and
     * whatever else K iterations do to their vectors, begun with the first product when nothing is
     * on its way; one product more where the last one made no row. MINRES without an M ends on a
     * GPU with the last row, a moment before x is there. */
    double seconds;
    double exchange_seconds; /* of these, how long a rank of several sent, received and waited; 0 of
                                one alone, and with GPUs, which do so by themselves */
    struct solver_split time_split; /* zeros, unless it was asked for */
    /* the extreme Ritz values of the whole solve (CG: of M^-1 A; no low one of a matrix that was
     * found not to be positive definite); NaN where they are not known */
    double ritz_low, ritz_high;
    /* Lanczos: ascending, with ||A v - theta v||_2 of each and what it is below. The result's
     * own. */
    int64_t eigen_count;
    double *eigenvalues, *eigen_residuals;
    enum eigen_met *eigen_met;
    double eigen_rounding; /* what rounding may leave of a residual: solver/lanczos/lanczos.h */
    enum eigen_list eigen_list;
    int64_t eigen_rounds; /* how many have begun: solver/lanczos/lanczos.h */
};

/* "open", "searched", "all" */
const char *eigen_list_name(enum eigen_list list);

/* "no", "tolerance", "rounding" */
const char *eigen_met_name(enum eigen_met met);

void solver_result_free(struct solver_result *result); /* accepts a zeroed one */

/* 1 / (16 u), u = 2^-53. A product with a row of m entries is off by up to m u ||A|| ||x||, mostly
 * by sqrt(m) u, so an eigenvalue below 16 u ||A|| may be all rounding: of rows of 16 entries at the
 * worst, of 256 mostly. */
static const double SOLVER_CONDITION_MOST = 562949953421312; /* 2^49 */

/* ritz_high / ritz_low, where both are above 0, but at most SOLVER_CONDITION_MOST: an estimate of
 * the condition number, from below; else NaN. */
double solver_result_condition(const struct solver_result *result);

/* "converged", "residual gap", "iteration limit", "not positive definite", "not finite",
 * "stagnation", "singular", "least squares solution", "interrupted". */
const char *reason_name(enum reason reason);

/* The relative tolerance that ends a solve: eigen.tolerance, or that of the residual. */
double solver_tolerance(const struct solver_options *options);

/* Whether a solution is an x[n]; else it is eigenvalues. */
bool solver_finds_vector(const struct solver_options *options);

/* Whether a solve with these is scaled by powers of two (solver/scale.h), of a b and an x_0 with
 * such largest numbers; x_0 = 0: 0. */
bool solver_scales(const struct linear_operator *spmv, double largest_b, double largest_x0);

/* How long a solution is: n, or as many eigenvalues as are wanted. */
int64_t solver_solution_length(const struct solver_options *options, int64_t n);

/* STATUS_CONFIG where A is not of the method's kind, with what would take it, where there is a
 * preconditioner and the method takes none, and where the method's check says so. */
enum status solver_takes(const struct solver_options *options, const struct csr *A,
                         struct error *error);

/* --- a solve ---------------------------------------------------------------------------------- */

/* A solve that goes on, by options->method. */
struct solver;

/* Make one, with all that it needs in the space of the spmv.
 * spmv       A in the form of one kernel; borrowed until solver_free, as what options point to and
 *            the observer are
 * A          the same matrix on the host, for eigenvalues a stored one, with its null_space, if
 *            that is known, which is borrowed until solver_free; or its kind, n and width
 *            alone, all else zero, where nobody knows its entries: then what confirms a solution is
 *            a product with the spmv
 * b[n]       on the host, or where options->memory says, as x0 and a solution
 * x0[n]      where the solve begins; NULL: 0. Row 0 is then ||b - (shift I + A) x_0||,
 *            with one product more, and all else is relative to ||b|| as it is from 0. For
 *            eigenvalues the first vector of the basis, in the place of b. Borrowed until
 *            solver_end
 * One solve at a time in a space. On failure *solver is NULL. Errors: STATUS_CONFIG (what
 * solver_takes says; x0 where the target tolerance ||b|| is 0 or not finite), STATUS_MEMORY,
 * STATUS_DEVICE. */
enum status solver_begin(struct linear_operator *spmv, const struct csr *A, const double *b,
                         const double *x0, const struct solver_options *options,
                         const struct observer *observer, struct solver **solver,
                         struct error *error);

/* Do so many iterations more, or those until the solve ends, and show them; *ended says whether it
 * has. By what portions it is brought to its end changes no bit. Errors: STATUS_MEMORY,
 * STATUS_DEVICE, and the observer's. */
enum status solver_advance(struct solver *solver, int64_t iterations, bool *ended,
                           struct error *error);

/* What has been found so far, looked at once more; nothing may be asked of the solver after it. A
 * solve for a vector that ended short of its tolerance begins anew from its own x before, as often
 * as that helps (solver/restart.h): rows are counted on, and x is that of the least ||b - A x||.
 * A, b      as at its begin
 * solution   solver_solution_length of it, overwritten whatever the reason: x, or the
 *            eigenvalues, ascending; NaN where one was not found
 * A solve that has not ended gives REASON_INTERRUPTED. Errors: as above; then *result says nothing
 * and owns nothing. */
enum status solver_end(struct solver *solver, const struct csr *A, const double *b,
                       double *solution, struct solver_result *result, struct error *error);

/* Save the state between two iterations, or replace it by one that was saved.
 * A, b      as at its begin
 * What is loaded is of a solve of the same A and, unless it finds eigenvalues, the same b (their
 * hashes are saved), by the same method, with the same shift, relaxation, restart and
 * reorthogonalization, a preconditioner of the same name or none, and a kernel that makes
 * directions or not; from whatever start. What follows has the bits that would have followed there
 * with the same kernel and preconditioner; tolerance and max_iterations are those of the solver
 * that loads. Rows that were shown are not shown again, nor are vectors, and what has ended stays
 * ended. A failed save changes nothing; a failed load leaves a solver that can only be freed.
 * Errors: those of the archive, STATUS_MEMORY, STATUS_DEVICE; saving: the observer's, which sees
 * row 0 before; loading: STATUS_INPUT for the state of another solve, and one that cannot be;
 * STATUS_UNAVAILABLE over several ranks. */
enum status solver_save(struct solver *solver, const struct csr *A, const double *b,
                        struct archive *archive, struct error *error);
enum status solver_load(struct solver *solver, const struct csr *A, const double *b,
                        struct archive *archive, struct error *error);

void solver_free(struct solver *solver); /* accepts NULL */

/* Begin, advance to the end, end, and free. Errors: as above; then *result says nothing and owns
 * nothing. */
enum status solver_solve(struct linear_operator *spmv, const struct csr *A, const double *b,
                         const double *x0, const struct solver_options *options,
                         const struct observer *observer, double *solution,
                         struct solver_result *result, struct error *error);

/* A X = B, each column as solver_solve would solve it alone: its rows, its result and its solution
 * have the same bits, whatever the other columns are, wherever that solve has bits of its own. What
 * ends in one column does so in that one alone.
 * A         stored, unless there is one column
 * columns   >= 1
 * B, X0, X  [columns][n], column after column, on the host, or where options->memory says;
 *            X0 = NULL: 0
 * results   [columns]; the seconds of each are those of all columns added
 * The observer sees which column a row is of. Rows of one column come in their order; between
 * columns there is none. STATUS_INTERRUPTED with a row asks all of them to stop. With several
 * columns vectors (EVENT_VECTOR) are not shown, and options->time_split is ignored. Errors: as
 * above; STATUS_CONFIG for a method that finds eigenvalues; then no result owns anything. */
enum status solver_solve_columns(struct linear_operator *spmv, const struct csr *A, int64_t columns,
                                 const double *B, const double *X0,
                                 const struct solver_options *options,
                                 const struct observer *observer, double *X,
                                 struct solver_result *results, struct error *error);

/* What it allocates in the space, as the method's memory_bytes says of one column: 32 columns at
 * the most are solved at once. */
int64_t solver_columns_bytes(const struct solver_options *options, int64_t n, int64_t columns);

#ifdef __cplusplus
}
#endif
#endif

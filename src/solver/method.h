/* The contract of a method: how a linear system or an eigenvalue problem is iterated on.
 *
 * A method is a component: a folder in src/solver/, of one file or more, that defines one constant
 * `struct method method_<name>`, and one line in src/solver/methods.def. Who uses one asks its
 * table alone. The smallest is in richardson/richardson.c. */
#ifndef SOLVER_METHOD_H
#define SOLVER_METHOD_H

#include "base/component.h"
#include "base/status.h"
#include "matrix/csr.h"
#include "solver/solver.h"
#include "space/archive.h"
#include "spmv/kernel.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a method finds, one of the first two, and what it takes; as bits. */
enum method_trait {
    METHOD_FINDS_VECTOR = 1,      /* x[n] with (shift I + A) x = b; ends by options.tolerance */
    METHOD_FINDS_EIGENVALUES = 2, /* of A, from b, as options->eigen says */
    METHOD_TAKES_SHIFT = 4,       /* options->shift */
    METHOD_TAKES_PRECONDITIONER = 8,
    METHOD_TAKES_TRACE = 16,      /* struct trace_wish: it shows vectors */
    METHOD_TAKES_INDEFINITE = 32, /* any A of its kind, definite or not */
    METHOD_TAKES_RELAXATION = 64, /* options->relaxation */
    METHOD_TAKES_COLUMNS = 128,   /* all its passes run over columns (space/pass.h): several
                                     right-hand sides can be solved together */
};

/* How many series a line of history.csv has room for. */
enum { SERIES_MOST = 16 };

/* Which rows have a value of a series; the others have no number there. */
enum series_rows {
    SERIES_IN_ALL_ROWS, /* a NaN is what the arithmetic came to */
    SERIES_FROM_ROW_1,  /* likewise, but row 0 has none */
    SERIES_WHERE_KNOWN, /* a NaN says that it is not known in this row */
    SERIES_WITH_M, /* in all rows of a solve with a preconditioner; without one there is no such
                           series. These are the last ones */
};

/* What a number of a solve grows with. A system out of the middle of the range of doubles is scaled
 * by powers of two before it is solved, which changes no bit; by their units its numbers are shown
 * as those of what was given (solver/scale.h). M: what is solved without one has the unit of I. */
enum unit {
    UNIT_ONE,              /* with nothing: a count, a quotient of two numbers of one unit */
    UNIT_B,                /* b: a residual */
    UNIT_X,                /* A^-1 b */
    UNIT_MATRIX,           /* A: an eigenvalue */
    UNIT_PRECONDITIONED,   /* M^-1 A: a Ritz value */
    UNIT_STEP,             /* (M^-1 A)^-1: the length of a step along M^-1 r */
    UNIT_DIRECTION,        /* M^-1 b */
    UNIT_PRODUCT,          /* A M^-1 b */
    UNIT_CURVATURE,        /* b . M^-1 A M^-1 b */
    UNIT_PRECONDITIONED_B, /* sqrt(b . M^-1 b) */
    UNIT_ENERGY,           /* sqrt(b . A^-1 b) */
};

/* A number that changes from row to row. */
struct series {
    const char *name;    /* of the column in history.csv; unique in its method */
    const char *meaning; /* in row k */
    enum series_rows rows;
    enum unit unit;
};

struct krylov_method;

struct method {
    struct component component; /* of COMPONENT_METHOD; its summary says what it finds, and of which
                                   matrix; its options are struct solver_options */
    const char *title;          /* as a reader calls it: "conjugate gradients" */
    const char *needs;          /* how a sentence begins: "conjugate gradients need" */
    unsigned traits;            /* bits enum method_trait */
    enum csr_kind kind; /* CSR_SYMMETRIC or CSR_SKEW: of A; a general file is read as that */
    const char *matrix; /* what the system is one of, for messages: "A", "(shift I + S)" */
    /* The message if A has the wrong kind; NULL: a generic one. */
    const char *refusal;
    /* What a row of its history has, in order, ended by one without a name; SERIES_MOST at most.
     * An event of a row has a value for each, also for those that a solve is without.
     * One of them is "residual", by which iterations are compared. */
    const struct series *series;
    unsigned vectors; /* bits 1u << enum solver_vector: those that can be looked at on the way */

    /* Whether these options fit A, which is of the method's kind, as far as that is known before a
     * solve. NULL: always. Errors: STATUS_CONFIG. */
    enum status (*check)(const struct solver_options *options, const struct csr *A,
                         struct error *error);

    /* Of a method whose scalars live in the space; else NULL. With it begin, advance, end, keep,
     * destroy and memory_bytes may be NULL: then they are those of solver/krylov.h. */
    const struct krylov_method *krylov;

    /* A solve as an object. Its own struct begins with a struct solver; who calls these has asked
     * solver_takes, filled that in, and zeroed the rest. */
    size_t size;

    /* solver_begin: memory, the start, and what is done over and over recorded. b[n] and x0[n] on
     * the host until it returns. x0 = NULL: 0; else result.rhs_norm is ||b||, and products that the
     * start takes are counted in result.products. Errors: STATUS_CONFIG, STATUS_MEMORY,
     * STATUS_DEVICE. */
    enum status (*begin)(struct solver *solver, const double *b, const double *x0,
                         struct error *error);

    /* solver_advance: until solver->result.iterations is `until`, or the solve has ended; then
     * solver->ended is set, and the result's reason. Nothing is on its way when it returns. */
    enum status (*advance)(struct solver *solver, int64_t until, struct error *error);

    /* solver_end: the solution, confirmed against A and b (solver/true_residual.h), and the
     * result's products; where the solve has not ended, its reason is REASON_INTERRUPTED already.
     * Nothing is on its way, and space->ended is NULL. */
    enum status (*end)(struct solver *solver, const struct csr *A, const double *b,
                       double *solution, struct error *error);

    /* solver_save and solver_load: every piece of the state that differs from what begin left, but
     * for solver->ended and the result, which are there when it loads; the solver may have gone on
     * since, or have ended. */
    enum status (*keep)(struct solver *solver, struct archive *archive, struct error *error);

    void (*destroy)(
        struct solver *solver); /* what begin and the others left, also where they failed */

    /* What a solve allocates in the space for a matrix of n rows, at the least, but for what n does
     * not change, what the space needs for its sums, and what the preconditioner itself holds. Of
     * the preconditioner only that there is one is asked. */
    int64_t (*memory_bytes)(const struct solver_options *options, int64_t n);

    /* The byte model of one iteration, with the preconditioner's apply. */
    int64_t (*bytes_per_iteration)(const struct solver_options *options,
                                   const struct linear_operator *spmv);
};

/* What is solved is 2^-matrix A x' = 2^-b b, with an M'^-1 = 2^-inverse M^-1 where there is one;
 * then x = 2^(b - matrix) x'. Where all are 0 it is what was given. */
struct solver_scale {
    int b, matrix, inverse;
    struct observer observer;     /* of the solve, */
    const struct observer *shown; /* and what its events are given to, in their own units */
    double *vector;               /* [n], one that is shown */
};

/* What a solve that begins anew from its own x goes on with. */
struct solver_restart {
    int64_t iterations; /* that were done before: rows and vectors are counted on from there */
    /* The ||b - A x|| that rounding leaves, row by row; above 0 MINRES is ended by that, and not by
     * bounds that compare norms of whole vectors (solver/minres/minres.h) */
    double attainable;
    /* Or above 0: MINRES ends by that many times its own bound, before rounding errors grow */
    double caution;
    /* As a second solve from x. CG goes on where steps no longer move x, as they do in rows that an
     * element of x elsewhere hides, while ||r|| still becomes smaller (solver/halving.h) */
    bool afresh;
};

/* Of a solve with an A whose null space is known (solver/singular.h). */
struct solver_singular {
    const struct null_space *space; /* borrowed; NULL: none is known, and all else is 0 */
    double *b, *x0; /* [n], on the host, with the rows of all ranks: what is solved for; or NULL */
    double outside;
    bool projected; /* b has lost its part along the null space, */
    bool nothing;   /* and is 0 */
};

/* What every solve begins with. */
struct solver {
    const struct method *method;
    /* What it points to is borrowed. Its tolerance is the max(tolerance, absolute_tolerance /
     * ||b||) of what was asked for, which may be above 1: a method ends by that alone. Shift,
     * relaxation and absolute tolerance are in the units of what is solved. */
    struct solver_options options;
    struct solver_scale scale;
    struct solver_singular singular;
    struct linear_operator *spmv; /* borrowed */
    struct space *space;          /* the spmv's */
    int64_t n;
    const double *x0;                /* the caller's, as it was given; borrowed */
    const struct observer *observer; /* borrowed */
    struct solver_result result;     /* of what has been done so far */
    bool started, ended;             /* the method has been begun; has come to its end */
    struct krylov *krylov;           /* its own, of a method that has such a table */
    struct solver_restart restart;   /* zeros, but of a restart */
    /* By which it is restarted: its own, but for one column of several, which then is alone. */
    struct {
        struct linear_operator *spmv;
        const struct linear_operator *preconditioner;
    } restart_by;
    /* Where a device can confirm the solution sooner than the host: x in its memory, the method's,
     * and a b that stays; else NULL. solver_start sets both. */
    const double *x_device;
    double *b_device;
    int64_t confirming_bytes; /* that it takes then, b not counted; 0: the host confirms */
};

/* The method's memory_bytes. */
int64_t method_memory_bytes(const struct solver_options *options, int64_t n);

/* A method that finds x for any A of that kind, definite or not, for messages. */
const char *method_for(enum csr_kind kind);

/* By its name; NULL: there is none. */
const struct method *method_find(const char *name);

/* The place of a series among the method's, by its name; -1: it has none of that name. */
int method_series(const struct method *method, const char *name);

/* How many series a solve has: with a preconditioner all, without one those up to the first that
 * is SERIES_WITH_M. */
int method_series_count(const struct method *method, bool with_M);

#ifdef __cplusplus
}
#endif
#endif

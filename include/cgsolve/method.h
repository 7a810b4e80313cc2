/* The contract of a method: how a linear system or an eigenvalue problem is iterated on.
 *
 * A method is a component: a folder in src/solver/, of one file or more, that defines one constant
 * `struct method method_<name>`, and one line in src/solver/methods.def. Who uses one asks its
 * table alone. */
#ifndef CGSOLVE_METHOD_H
#define CGSOLVE_METHOD_H

#include "cgsolve/component.h"
#include "cgsolve/csr.h"
#include "cgsolve/kernel.h"
#include "cgsolve/solver.h"
#include "cgsolve/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a method finds, one of the first two, and what it takes; as bits. */
enum method_trait {
    METHOD_FINDS_VECTOR = 1,      /* x[n] with (shift I + A) x = b; ends by options->tolerance */
    METHOD_FINDS_EIGENVALUES = 2, /* of A, from b, as options->eigen says */
    METHOD_TAKES_SHIFT = 4,       /* options->shift */
    METHOD_TAKES_PRECONDITIONER = 8,
    METHOD_TAKES_TRACE = 16,      /* struct cg_trace */
    METHOD_TAKES_INDEFINITE = 32, /* any A of its kind, definite or not */
};

struct method {
    struct component component; /* of COMPONENT_METHOD; its summary says what it finds, and of which
                                   matrix; its options are struct solver_options */
    const char *title;          /* as a reader calls it: "conjugate gradients" */
    const char *needs;          /* how a sentence begins: "conjugate gradients need" */
    unsigned traits;            /* bits enum method_trait */
    enum csr_kind kind; /* CSR_SYMMETRIC or CSR_SKEW: of A; a general file is read as that */
    const char *matrix; /* what the system is one of, for messages: "A", "(shift I + S)" */
    /* Why not an A of the other of the two kinds, for messages, or NULL: it just does not. */
    const char *refusal;
    unsigned history; /* bits 1u << enum history_column: the columns that its rows have */

    /* Whether these options fit A, which is of the method's kind, as far as that is known before a
     * solve. NULL: always. Errors: STATUS_CONFIG. */
    enum status (*check)(const struct solver_options *options, const struct csr *A,
                         struct error *error);

    /* solver_solve, which has asked solver_takes before. */
    enum status (*solve)(struct linear_operator *spmv, const struct csr *A, const double *b,
                         const struct solver_options *options,
                         const struct solver_observer *observer, double *solution,
                         struct solver_result *result, struct error *error);

    /* What a solve allocates in the space for a matrix of n rows, at the least, but for what n does
     * not change, what the space needs for its sums, and what the preconditioner itself holds. Of
     * the preconditioner only that there is one is asked. */
    int64_t (*memory_bytes)(const struct solver_options *options, int64_t n);

    /* The byte model of one iteration, with the preconditioner's apply. */
    int64_t (*bytes_per_iteration)(const struct solver_options *options,
                                   const struct linear_operator *spmv);
};

/* A method that finds x for any A of that kind, definite or not, for messages. */
const char *method_for(enum csr_kind kind);

/* By its name; NULL: there is none. */
const struct method *method_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif

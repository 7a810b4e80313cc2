/* The contract of a preconditioner: z = M^-1 r, with M symmetric positive definite, near A in some
 * sense, and the same in every apply. The solver then iterates as it would with L^-1 A L^-T, M = L
 * L^T, whose condition number is what counts (Saad, Iterative Methods for Sparse Linear Systems,
 * 2nd ed. 2003, sections 9.1 and 9.2).
 *
 * A preconditioner is one file in src/precondition/ that defines one constant `struct
 * preconditioner_method preconditioner_<name>`, and one line in preconditioners.def.
 * docs/preconditioners.md says what each one is. */
#ifndef CGSOLVE_PRECONDITIONER_H
#define CGSOLVE_PRECONDITIONER_H

#include "cgsolve/csr.h"
#include "cgsolve/kernel.h"
#include "cgsolve/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum preconditioner_type {
    PRECONDITIONER_NONE,
#define PRECONDITIONER(name, NAME) PRECONDITIONER_##NAME,
#include "cgsolve/preconditioners.def"
#undef PRECONDITIONER
    PRECONDITIONER_TYPES,
};

/* "none", "jacobi", ..., NULL */
extern const char *const preconditioner_names[];

enum { PRECONDITIONER_BLOCK_MAX = 32, PRECONDITIONER_DEGREE_MAX = 64 };

struct preconditioner_options {
    enum preconditioner_type type;
    int64_t
        block; /* of PRECONDITIONER_BLOCK_JACOBI: rows of a block, 1 to PRECONDITIONER_BLOCK_MAX */
    int64_t degree; /* of PRECONDITIONER_CHEBYSHEV: 1 to PRECONDITIONER_DEGREE_MAX */
    double low,
        high; /* likewise: where the polynomial is near 1/t, 0 < low < high; 0: set-up estimates
                 it */
    /* [n] or NULL, borrowed, looked at by set-up alone: row i of the problem is row number[i] of A.
     * What set-up takes for each row, as the vector that an estimate begins with, is then the
     * problem's row's, so that renumbering A changes no bit where all sums are exact. (The blocks
     * of PRECONDITIONER_BLOCK_JACOBI are those of A's rows.) */
    const int32_t *number;
};

struct preconditioner_method {
    const char *name;
    const char *summary; /* one line: what M is */

    /* Make the state of M for A, which the spmv multiplies by: A on the host, vectors in the spmv's
     * space. A and the spmv are borrowed and outlive the state. The caller owns *state and calls
     * destroy; on failure *state is NULL and nothing is leaked. Errors: STATUS_CONFIG (no such M
     * for this A), STATUS_MEMORY, STATUS_DEVICE. */
    enum status (*setup)(const struct csr *A, struct linear_operator *spmv,
                         const struct preconditioner_options *options, void **state,
                         struct error *error);

    /* z = M^-1 r and *dot = r . z by the space's reductions; r[n], z[n] and dot in the space's
     * memory, not overlapping. Every z[i] is overwritten, r is not touched, nothing is allocated,
     * and the host waits for nothing: the work can be recorded. While the space's `ended` is set, z
     * and dot may come to anything. With a bitwise kernel and reproducible reductions z and dot
     * have the same bits in every space, for any number of threads. Errors: STATUS_DEVICE. */
    enum status (*apply)(void *state, const double *r, double *z, double *dot, struct error *error);

    /* Products with A, the byte model (struct kernel's bytes_per_apply) with r . z and the products
     * counted, and what set-up leaves allocated in the space for n rows. None needs a state. */
    int64_t (*products_per_apply)(const struct preconditioner_options *options);
    int64_t (*bytes_per_apply)(const struct preconditioner_options *options,
                               const struct linear_operator *spmv);
    int64_t (*memory_bytes)(const struct preconditioner_options *options, int64_t n);

    /* What set-up found, for the report: "blocks of 4 rows" */
    void (*describe)(const void *state, char *text, size_t size);
    void (*destroy)(void *state); /* accepts NULL */
};

/* A preconditioner ready to be applied. A zeroed one is none. */
struct preconditioner {
    const struct preconditioner_method *method;
    struct preconditioner_options options;
    const struct linear_operator *spmv;
    void *state;
};

/* M by options->type, which is not PRECONDITIONER_NONE, for the symmetric A that the spmv
 * multiplies by. A and the spmv are borrowed and outlive M. The caller calls
 * preconditioner_destroy. On failure *M is zeroed. Errors: those of setup; STATUS_CONFIG for an A
 * that is not symmetric, and an option outside its range. */
enum status preconditioner_create(const struct preconditioner_options *options, const struct csr *A,
                                  struct linear_operator *spmv, struct preconditioner *M, struct error *error);
void preconditioner_destroy(struct preconditioner *M); /* accepts a zeroed one */

/* Of an M that is there. */
static inline int64_t preconditioner_products_per_apply(const struct preconditioner *M)
{
    return M->method->products_per_apply(&M->options);
}

static inline int64_t preconditioner_bytes_per_apply(const struct preconditioner *M)
{
    return M->method->bytes_per_apply(&M->options, M->spmv);
}

/* What preconditioner_create leaves allocated in the space for a matrix of n rows; 0 for none. */
int64_t preconditioner_memory_bytes(const struct preconditioner_options *options, int64_t n);

#ifdef __cplusplus
}
#endif
#endif

/* What a cycle in single precision uses, from what set-up has made in double precision. */
#ifndef PRECONDITION_MULTIGRID_NARROW_H
#define PRECONDITION_MULTIGRID_NARROW_H

#include "cgsolve/csr.h"
#include "cgsolve/operator.h"

#include "precondition/multigrid/there.h"

#include <stdint.h>

struct narrowing {
    const char *name;                   /* of the preconditioner, for messages */
    const struct linear_operator *spmv; /* over the system's matrix */
    const struct there *there; /* the matrices are in the spmv's space; NULL: on the host */
    int level;
};

/* STATUS_CONFIG where the kernel does not multiply in single precision. */
enum status narrow_check(const char *name, const struct linear_operator *spmv, struct error *error);

/* *exponent = that half way between those of the least and of the greatest element of a positive
 * diagonal; 0 where it is at most 32 away from that. So 2^-exponent A is in the range of single
 * precision where any 2^k A is, or nearly. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status narrow_exponent(const struct narrowing *by, const struct csr *A, int *exponent,
                            struct error *error);

/* A in the form of the spmv's kernel in single precision, with the spmv's options where they suit A
 * too, else with the defaults. *suits is false, and nothing made, where A is in the space's memory
 * and the kernel wants it on the host. Errors: those of operator_create; STATUS_CONFIG where that
 * form does not multiply vectors of singles. The caller calls operator_destroy, on failure too. */
enum status narrow_operator(const struct narrowing *by, const struct csr *A,
                            struct linear_operator *made, bool *suits, struct error *error);

/* `error` says what `why` does, and of which level. The result is `status`. */
enum status narrow_failed(const struct narrowing *by, enum status status, const struct error *why,
                          struct error *error);

/* inverse_i = fl(1 / a_ii), in the space. Errors: STATUS_CONFIG (one is too large for that),
 * STATUS_MEMORY, STATUS_DEVICE. */
enum status narrow_diagonal(const struct narrowing *by, const struct csr *A, float *inverse,
                            struct error *error);

/* fl(inverse), of so many elements. The caller calls memory_free. Errors: STATUS_CONFIG (one is too
 * large for that), STATUS_MEMORY. */
enum status narrow_inverse(const char *name, const double *inverse, int64_t count, float **singles,
                           struct error *error);

#endif

/* Matrices, diagonals and inverses in single precision for a cycle, from those that set-up has made
 * in double precision. */
#ifndef PRECONDITION_MULTIGRID_SETUP_TO_FLOAT_H
#define PRECONDITION_MULTIGRID_SETUP_TO_FLOAT_H

#include "matrix/csr.h"
#include "precondition/diagonal.h"
#include "spmv/operator.h"

#include <stdint.h>

struct to_float {
    const char *name;                   /* of the preconditioner, for messages */
    const struct linear_operator *spmv; /* over the system's matrix */
    int level;
};

/* STATUS_CONFIG where the kernel does not multiply in single precision. */
enum status to_float_check(const char *name, const struct linear_operator *spmv,
                           struct error *error);

/* *exponent = that half way between those of the least and of the greatest element of a positive
 * diagonal; 0 where it is at most 32 away from that. So 2^-exponent A is in the range of single
 * precision where any 2^k A is, or nearly. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status to_float_exponent(const struct csr *A, int *exponent, struct error *error);

/* A in the form of the spmv's kernel in single precision, with the spmv's options where they suit A
 * too, else with the defaults. Errors: those of operator_create; STATUS_CONFIG where that form does
 * not multiply vectors of singles. The caller calls operator_destroy, on failure too. */
enum status to_float_operator(const struct to_float *by, const struct csr *A,
                              struct linear_operator *made, struct error *error);

/* `error` says what `why` does, and of which level. The result is `status`. */
enum status to_float_failed(const struct to_float *by, enum status status, const struct error *why,
                            struct error *error);

/* inverse_i = fl(1 / a_ii), in the space. Errors: STATUS_CONFIG (one is too large for that),
 * STATUS_MEMORY, STATUS_DEVICE. */
enum status to_float_diagonal(const struct to_float *by, const struct csr *A,
                              const struct diagonal_nothing *nothing, float *inverse,
                              struct error *error);

/* fl(inverse), of so many elements. The caller calls memory_free. Errors: STATUS_CONFIG (one is too
 * large for that), STATUS_MEMORY. */
enum status to_float_inverse(const char *name, const double *inverse, int64_t count,
                             float **singles, struct error *error);

#endif

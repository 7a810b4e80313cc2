/* Matrices, diagonals and inverses in single precision for a cycle, from those that set-up has made
 * in double precision. */
#ifndef PRECONDITION_MULTIGRID_SETUP_TO_FLOAT_H
#define PRECONDITION_MULTIGRID_SETUP_TO_FLOAT_H

#include "matrix/csr.h"
#include "precondition/diagonal.h"
#include "space/ranks/ranks.h"
#include "spmv/operator.h"

#include <stdint.h>

struct to_float {
    const char *name;                   /* of the preconditioner, for messages */
    const struct linear_operator *spmv; /* over the system's matrix */
    struct space *space;                /* of what is made */
    int level;
};

/* STATUS_CONFIG where the kernel does not multiply in single precision. */
enum status to_float_check(const char *name, const struct linear_operator *spmv,
                           struct error *error);

/* *exponent = that half way between those of the least and of the greatest element of a positive
 * diagonal; 0 where it is at most 32 away from that. So 2^-exponent A is in the range of single
 * precision where any 2^k A is, or nearly. Of the rows of all ranks, or NULL. Errors:
 * STATUS_MEMORY, STATUS_DEVICE, STATUS_RANK. */
enum status to_float_exponent(const struct csr *A, struct ranks *ranks, int *exponent,
                              struct error *error);

/* *scaled = the rows 2^-exponent A, where those are, on the host or in the memory of a device: its
 * values are its own, and the rest is A's. The caller calls to_float_free. Errors: STATUS_MEMORY,
 * STATUS_DEVICE. */
enum status to_float_scaled(const struct csr *A, int exponent, struct csr *scaled,
                            struct error *error);
void to_float_free(struct csr *scaled); /* accepts a zeroed one */

/* A in the form of the spmv's kernel in single precision, with the spmv's options where they suit
 * A too, else with the defaults; in the space, also of a rank. Errors: those of operator_create;
 * STATUS_CONFIG where that form does not multiply vectors of singles. The caller calls
 * operator_destroy, on failure too. */
enum status to_float_operator(const struct to_float *by, const struct csr *A,
                              struct linear_operator *made, struct error *error);

/* `error` says what `why` does, and of which level. The result is `status`. */
enum status to_float_failed(const struct to_float *by, enum status status, const struct error *why,
                            struct error *error);

/* inverse_i = fl(1 / a_ii), in the space. *fits: none is too large for that. Errors: STATUS_MEMORY,
 * STATUS_DEVICE. */
enum status to_float_invert(const struct to_float *by, const struct csr *A,
                            const struct diagonal_nothing *nothing, float *inverse, bool *fits,
                            struct error *error);

/* The same, or STATUS_CONFIG; and that error alone. */
enum status to_float_diagonal(const struct to_float *by, const struct csr *A,
                              const struct diagonal_nothing *nothing, float *inverse,
                              struct error *error);
enum status to_float_refuse_diagonal(const struct to_float *by, struct error *error);

/* fl(inverse), of so many elements. The caller calls memory_free. Errors: STATUS_CONFIG (one is too
 * large for that), STATUS_MEMORY. */
enum status to_float_inverse(const char *name, const double *inverse, int64_t count,
                             float **singles, struct error *error);

#endif

/* The inverse of a diagonal. */
#ifndef PRECONDITION_DIAGONAL_H
#define PRECONDITION_DIAGONAL_H

#include "matrix/csr.h"
#include "space/space.h"

#include <stdbool.h>
#include <stdint.h>

/* inverse_i = 1 / a_ii, in doubles or singles; *wrong = the first row in which it is not above 0
 * and finite, and *value its a_ii, or *wrong = A->n. A on the host or in the memory of the space;
 * inverse[n] in the space. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status diagonal_invert(struct space *space, const struct csr *A, bool singles, void *inverse,
                            int64_t *wrong, double *value, struct error *error);

/* *value = a_ii of that row, also of an A in the memory of a space. Errors: STATUS_DEVICE. */
enum status diagonal_value(const struct csr *A, int64_t row, double *value, struct error *error);

/* STATUS_CONFIG: the preconditioner has no inverse of that row's diagonal entry, `value`. */
enum status diagonal_fault(const char *name, const struct csr *A, int64_t row, double value,
                           struct error *error);

#endif

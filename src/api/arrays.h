/* A matrix from a caller's arrays. */
#ifndef API_ARRAYS_H
#define API_ARRAYS_H

#include "cgsolve/cgsolve.h"
#include "cgsolve/csr.h"

/* The upper triangle of what the arrays say, as cgsolve/cgsolve.h tells; the same for any number of
 * threads. On failure A is all zero. The caller owns A. Errors: STATUS_CONFIG, STATUS_INPUT,
 * STATUS_MEMORY. */
enum status arrays_read(const struct cgs_matrix_data *data, struct csr *A, struct error *error);

#endif

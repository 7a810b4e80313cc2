/* The inverse of a diagonal where A is in the memory of a CUDA device. */
#ifndef PRECONDITION_DIAGONAL_H
#define PRECONDITION_DIAGONAL_H

#include "matrix/csr.h"
#include "space/space.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* inverse_i = 1 / a_ii, in doubles or singles; *wrong = the first row in which it is not above 0
 * and finite, and *value its a_ii, or *wrong = A->n. A as in spmv/device_csr.h; inverse[n] in the
 * space. Errors: STATUS_MEMORY, STATUS_DEVICE. */
typedef enum status diagonals(struct space *space, const struct csr *A, bool singles, void *inverse,
                              int64_t *wrong, double *value, struct error *error);

/* In a build without CUDA there is none. */
#ifdef CGSOLVE_CUDA
diagonals diagonal_cuda;
#define DIAGONAL_ON_CUDA (&diagonal_cuda)
#else
#define DIAGONAL_ON_CUDA ((diagonals *)NULL)
#endif

#ifdef __cplusplus
}
#endif
#endif

/* What the form of diagonals takes from a matrix that is in a device's memory (spmv/device_csr.h):
 * the twins of sym_diagonals.h and sym_stencils.h. For .cu files. */
#ifndef SPMV_SYMMETRIC_DIAGONALS_BUILD_DIAGONALS_H
#define SPMV_SYMMETRIC_DIAGONALS_BUILD_DIAGONALS_H

#include "space/cuda/cuda.h"
#include "spmv/symmetric/diagonals/sym_stencils.h"
#include "spmv/symmetric/sym_order.h"

/* The stencils of A, or of fl(A) with singles, by the distances in the device's memory: *stencils
 * as sym_stencils_create makes it, but for codes, which is NULL; *codes is in the device's memory,
 * the caller's. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status cuda_sym_stencils(struct space_cuda *space, const struct csr *A,
                              const int32_t *distances, int64_t count, bool singles,
                              struct sym_stencils *stencils, uint8_t **codes, struct error *error);

/* codes[i] = of_kinds[k] for each row i of kind k; of_kinds[row_kinds_count(kinds)] is on the host.
 * *codes is in the device's memory, the caller's. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status cuda_sym_codes_of_kinds(struct space_cuda *space, const struct row_kinds *kinds,
                                    const uint8_t *of_kinds, uint8_t **codes, struct error *error);

/* values[k n + i] = the entry of row i at distances[k], or 0. */
enum status cuda_sym_lines(struct space_cuda *space, const struct csr *A, const int32_t *distances,
                           int64_t count, bool singles, void *values, struct error *error);

/* single_check. Errors: its own, STATUS_MEMORY, STATUS_DEVICE. */
enum status cuda_sym_single_check(struct space_cuda *space, const struct csr *A,
                                  struct error *error);

#endif

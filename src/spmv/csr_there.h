/* Matrices whose arrays are in the memory of a space: for set-up that is done there. */
#ifndef SPMV_CSR_THERE_H
#define SPMV_CSR_THERE_H

#include "cgsolve/csr.h"
#include "cgsolve/space.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The arrays, uninitialised, of a symmetric or skew-symmetric matrix. On failure *A is zeroed; the
 * caller calls csr_there_free. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status csr_there_create(struct space *space, enum csr_kind kind, int64_t n, int64_t nnz,
                             struct csr *A, struct error *error);

void csr_there_free(struct space *space, struct csr *A); /* accepts a zeroed one */

/* *there = A of the host, by its maker where it has one. Errors: as above. */
enum status csr_there_bring(struct space *space, const struct csr *A, struct csr *there,
                            struct error *error);

/* *A = there, on the host; the caller calls csr_free. Errors: as above. */
enum status csr_there_fetch(struct space *space, const struct csr *there, struct csr *A,
                            struct error *error);

enum { CSR_DISTANCES_MAX = 32 };

/* The distances from the diagonal at which A, in the memory of a CUDA space, has entries,
 * ascending, on the host; *count = CSR_DISTANCES_MAX + 1: more than that many. The caller frees
 * *distances with memory_free. Only in a build with CUDA. Errors: as above. */
enum status csr_there_distances(struct space *space, const struct csr *A, int32_t **distances,
                                int64_t *count, struct error *error);

#ifdef __cplusplus
}
#endif
#endif

/* Matrices whose arrays are in the memory of a device's space, for set-up on that device.
 *
 * A's rows are copied to the device, or a maker generates them on it. A kernel with device_rows
 * builds its form from them, multigrid its levels, Jacobi its diagonal; all other forms are built
 * on the host. The work on a row, a tile or an entry is a function for host and
 * device, in a header *_row.h or *_rows.h. Between rows only integers are added or sorted, and
 * maxima taken, without an order. So the device has the bits of the host. */
#ifndef SPMV_DEVICE_CSR_H
#define SPMV_DEVICE_CSR_H

#include "matrix/csr.h"
#include "space/space.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The arrays, uninitialised, of a symmetric or skew-symmetric matrix in the memory of the space. On
 * failure *A is zeroed; the caller calls device_csr_free. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status device_csr_create(struct space *space, enum csr_kind kind, int64_t n, int64_t nnz,
                              struct csr *A, struct error *error);

/* The same row by row, in the memory of the space, NULL: of the host. The first makes the offsets,
 * uninitialised; the caller then writes offsets[0] = 0 and the length of each row i as
 * offsets[i + 1]; and the second makes ends of these lengths, and the other arrays. On failure *A
 * can only be freed; the caller calls device_csr_free. Errors: as above. */
enum status device_csr_begin(struct space *space, enum csr_kind kind, int64_t n, struct csr *A,
                             struct error *error);
enum status device_csr_complete(struct csr *A, struct error *error);

void device_csr_free(struct csr *A); /* accepts one on the host, and a zeroed one */

/* Whether a CUDA space makes A's rows itself; and what it makes them with. */
bool device_csr_makes(const struct space *space, const struct csr *A);
csr_rows_on_device *device_csr_maker(const struct csr *A);

/* csr_make_rows (matrix/implicit_rows.h) in the memory of a space that makes A's rows. On failure
 * *rows is zeroed; the caller calls device_csr_free. Errors: as above. */
enum status device_csr_make_rows(struct space *space, const struct csr *A, int64_t first,
                                 int64_t last, struct csr *rows, struct error *error);

/* *device = A, which is on the host and borrowed as its `host`, or in the memory of the device: its
 * rows are made on the device, or are stored and copied. Errors: as above. */
enum status device_csr_bring(struct space *space, const struct csr *A, struct csr *device,
                             struct error *error);

/* *A = *device, on the host; the caller calls csr_free. Errors: as above. */
enum status device_csr_fetch(const struct csr *device, struct csr *A, struct error *error);

/* *host = A where that is on the host, or A's `host`, or a copy in *copy. The caller calls
 * csr_free(copy). Errors: as above. */
enum status device_csr_on_host(const struct csr *A, const struct csr **host, struct csr *copy,
                               struct error *error);

/* The rows of A for several set-ups that follow: *rows, brought to the memory of a CUDA space that
 * has room for three times as much; else A, and *rows is zeroed. A space of ranks gets A. The
 * caller calls device_csr_free(rows) after these set-ups. */
const struct csr *device_csr_share(struct space *space, const struct csr *A, struct csr *rows);

/* csr_count_and_hash_blocks (matrix/implicit_rows.h), by a CUDA space that makes A's rows, some at
 * a time; on the host where it has no room for them. In the CUDA part (base/cuda_part.h). Errors:
 * as above. */
enum status device_csr_count_and_hash_blocks(struct space *space, const struct csr *A,
                                             int64_t first, int64_t count, uint64_t *hashes,
                                             int64_t *zeros, struct error *error);

enum { CSR_DISTANCES_MAX = 32 };

/* The distances from the diagonal at which A, in the memory of a CUDA space, has entries,
 * ascending, on the host; *count = CSR_DISTANCES_MAX + 1: more than that many. The caller frees
 * *distances with memory_free. In the CUDA part. Errors: as above. */
enum status device_csr_distances(struct space *space, const struct csr *A, int32_t **distances,
                                 int64_t *count, struct error *error);

#ifdef __cplusplus
}
#endif
#endif

/* CSR in a CUDA device's memory, for the kernels that work from it. For .cu files. */
#ifndef SPMV_CUDA_CSR_H
#define SPMV_CUDA_CSR_H

#include "cgsolve/csr.h"
#include "space/cuda.h"

/* Behind the last element of each array; a kernel may read it. */
enum { CUDA_CSR_PADDING = 16 };

struct cuda_csr {
    int64_t n, width, nnz;
    double sign;   /* of a mirrored entry: -1 for a skew-symmetric matrix */
    bool wide;     /* 64-bit offsets */
    void *offsets; /* int32_t or int64_t [n + 1] */
    int32_t *columns;
    double *values;
    float *singles; /* instead of values, where they were asked for */
};

/* Whether nnz entries need 64-bit offsets: from about 2^31 on. */
bool cuda_csr_needs_wide(int64_t nnz);

/* The bytes of the three arrays, without their padding. */
int64_t cuda_csr_bytes_of(int64_t n, int64_t nnz, bool wide);
int64_t cuda_csr_bytes(const struct cuda_csr *device);

/* Copy A, as it is stored, to the device, with 64-bit offsets where `wide` or nnz asks for them.
 * On failure *device is zeroed. The caller calls cuda_csr_free. Errors: STATUS_MEMORY,
 * STATUS_DEVICE. */
enum status cuda_csr_create(struct space_cuda *space, const struct csr *A, bool wide,
                            struct cuda_csr *device, struct error *error);

/* The same with the values rounded to single precision, 4 bytes instead of 8. */
enum status cuda_csr_create_single(struct space_cuda *space, const struct csr *A, bool wide,
                                   struct cuda_csr *device, struct error *error);

/* cuda_csr_create for the full matrix that A stands for. */
enum status cuda_csr_create_full(struct space_cuda *space, const struct csr *A, bool wide,
                                 struct cuda_csr *device, struct error *error);
void cuda_csr_free(struct cuda_csr *device); /* accepts a zeroed one */

#endif

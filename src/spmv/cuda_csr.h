/* CSR in a CUDA device's memory, for the kernels that work from it. For .cu files. */
#ifndef SPMV_CUDA_CSR_H
#define SPMV_CUDA_CSR_H

#include "space/cuda/cuda.h"
#include "spmv/kernel.h"

#define CUDA_CSR_WIDE(k)                                                                           \
    KERNEL_INTEGER(k, "wide_offsets", "1: 64-bit row offsets also where 32 bits would do", "0", 0, \
                   1)

/* Behind the last element of each array; a kernel may read it. */
enum { CUDA_CSR_PADDING = 16 };

struct cuda_csr {
    int64_t n, width, nnz;
    double sign; /* of a mirrored entry: -1 for a skew-symmetric matrix */
    bool wide;   /* 64-bit offsets */
    enum precision precision;
    void *offsets; /* int32_t or int64_t [n + 1] */
    int32_t *columns;
    void *values; /* double in PRECISION_DOUBLE, else float */
};

/* Whether nnz entries need 64-bit offsets: from about 2^31 on. */
bool cuda_csr_needs_wide(int64_t nnz);

/* The bytes of the three arrays, without their padding. */
int64_t cuda_csr_bytes_of(int64_t n, int64_t nnz, bool wide, enum precision precision);
int64_t cuda_csr_bytes(const struct cuda_csr *device);

/* Copy A, as it is stored, to the device, with 64-bit offsets where `wide` or nnz asks for them,
 * and values as the precision wants them. On failure *device is zeroed. The caller calls
 * cuda_csr_free. Errors: STATUS_MEMORY, STATUS_DEVICE, STATUS_CONFIG (spmv/single.h). */
enum status cuda_csr_create(struct space_cuda *space, const struct csr *A, bool wide,
                            enum precision precision, struct cuda_csr *device, struct error *error);

/* The same for the full matrix that A stands for. */
enum status cuda_csr_create_full(struct space_cuda *space, const struct csr *A, bool wide,
                                 enum precision precision, struct cuda_csr *device,
                                 struct error *error);
void cuda_csr_free(struct space_cuda *space, struct cuda_csr *device); /* accepts a zeroed one */

/* launch(offsets): a pointer of their type. */
template <typename Launch> void cuda_csr_with_offsets(const struct cuda_csr *A, Launch launch)
{
    if (A->wide)
        launch((const int64_t *)A->offsets);
    else
        launch((const int32_t *)A->offsets);
}

#endif

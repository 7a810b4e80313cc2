/* CSR in a CUDA device's memory, for the kernels that work from it. For .cu files. */
#ifndef SPMV_CUDA_CSR_H
#define SPMV_CUDA_CSR_H

#include "cgsolve/csr.h"
#include "space/cuda.h"

#include <type_traits>

struct cuda_csr {
    int64_t n, nnz;
    double sign;   /* of a mirrored entry: -1 for a skew-symmetric matrix */
    bool wide;     /* 64-bit offsets, needed from about 2^31 entries on */
    void *offsets; /* int32_t or int64_t [n + 1] */
    int32_t *columns;
    double *values;
};

/* Copy A, as it is stored, to the device. On failure *device is zeroed. The caller calls
 * cuda_csr_free. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status cuda_csr_create(struct space_cuda *space, const struct csr *A, struct cuda_csr *device,
                            struct error *error);
void cuda_csr_free(struct cuda_csr *device); /* accepts a zeroed one */
int64_t cuda_csr_bytes(const struct cuda_csr *device);

/* The largest power of two that leaves each thread of a row four entries of a row of mean length:
 * from 1 to 32. It follows from the matrix alone. */
int cuda_csr_threads_per_row(const struct cuda_csr *device);

/* STATUS_OK when threads is 0, 1, 2, 4, 8, 16 or 32. */
enum status cuda_csr_check_threads(const char *kernel, int64_t threads, struct error *error);

/* launch(T, offsets): T is threads as a compile-time constant, offsets a pointer of the right type. */
template <typename Launch>
void cuda_csr_dispatch(const struct cuda_csr *device, int threads, Launch launch)
{
    auto with_threads = [&](auto offsets) {
        switch (threads) {
        case 1:
            return launch(std::integral_constant<int, 1>(), offsets);
        case 2:
            return launch(std::integral_constant<int, 2>(), offsets);
        case 4:
            return launch(std::integral_constant<int, 4>(), offsets);
        case 8:
            return launch(std::integral_constant<int, 8>(), offsets);
        case 16:
            return launch(std::integral_constant<int, 16>(), offsets);
        default:
            return launch(std::integral_constant<int, 32>(), offsets);
        }
    };
    if (device->wide)
        with_threads((const int64_t *)device->offsets);
    else
        with_threads((const int32_t *)device->offsets);
}

#endif

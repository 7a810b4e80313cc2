#include "base/cuda_part.h"
#include "problem/elasticity3d_row.h"

#include <cuda_runtime.h>

enum { THREADS = 128 };

__global__ static void __launch_bounds__(THREADS)
    make_rows(const struct elasticity3d_body body, int64_t first, int64_t base,
              const struct csr rows)
{
    int64_t r = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (r <= rows.n)
        elasticity3d_row(&body, first, base, &rows, r);
}

enum status elasticity3d_cuda(const void *options, void *stream, int64_t first, int64_t base,
                              const struct csr *rows, struct error *error)
{
    make_rows<<<(unsigned int)(rows->n / THREADS + 1), THREADS, 0, (cudaStream_t)stream>>>(
        elasticity3d_body((const struct elasticity3d *)options), first, base, *rows);
    cudaError_t result = cudaGetLastError();
    if (result == cudaSuccess)
        return STATUS_OK;
    return error_set(error, STATUS_DEVICE, "CUDA: the rows of elasticity3d: %s",
                     cudaGetErrorString(result));
}
CUDA_PUT(elasticity3d_cuda)

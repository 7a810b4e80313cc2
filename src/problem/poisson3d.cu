#include "base/cuda_part.h"
#include "problem/poisson3d_row.h"

#include <cuda_runtime.h>

enum { THREADS = 256 };

__global__ static void __launch_bounds__(THREADS)
    make_rows(const struct poisson3d poisson, const struct grid grid, int64_t first, int64_t base,
              const struct csr rows)
{
    int64_t r = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (r <= rows.n)
        poisson3d_row(&poisson, &grid, first, base, &rows, r);
}

enum status poisson3d_cuda(const void *options, void *stream, int64_t first, int64_t base,
                           const struct csr *rows, struct error *error)
{
    const struct poisson3d *poisson = (const struct poisson3d *)options;
    make_rows<<<(unsigned int)(rows->n / THREADS + 1), THREADS, 0, (cudaStream_t)stream>>>(
        *poisson, poisson3d_grid(poisson), first, base, *rows);
    cudaError_t result = cudaGetLastError();
    if (result == cudaSuccess)
        return STATUS_OK;
    return error_set(error, STATUS_DEVICE, "CUDA: the rows of poisson3d: %s",
                     cudaGetErrorString(result));
}
CUDA_PUT(poisson3d_cuda)

#include "problem/poisson3d_row.h"

#include <cuda_runtime.h>

enum { THREADS = 256 };

__global__ static void __launch_bounds__(THREADS)
    make_rows(const struct poisson3d poisson, const struct grid grid, const struct csr A)
{
    int64_t row = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (row <= A.n)
        A.offsets[row] = grid_entries_before(&grid, row);
    if (row >= A.n)
        return;
    grid_fill(&grid, row, &A);
    poisson3d_fill(&poisson, &grid, row, &A);
}

enum status poisson3d_there(const void *options, void *stream, const struct csr *there,
                            struct error *error)
{
    const struct poisson3d *poisson = (const struct poisson3d *)options;
    make_rows<<<(unsigned int)(there->n / THREADS + 1), THREADS, 0, (cudaStream_t)stream>>>(
        *poisson, poisson3d_grid(poisson), *there);
    cudaError_t result = cudaGetLastError();
    if (result == cudaSuccess)
        return STATUS_OK;
    return error_set(error, STATUS_DEVICE, "CUDA: the rows of poisson3d: %s",
                     cudaGetErrorString(result));
}

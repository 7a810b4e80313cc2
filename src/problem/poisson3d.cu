#include "base/cuda_part.h"
#include "problem/poisson3d_row.h"

#include <cuda_runtime.h>

enum { THREADS = 256, ENTRIES = 4 }; /* of a row at most */

__global__ static void __launch_bounds__(THREADS)
    make_offsets(const struct grid grid, int64_t first, int64_t before, const struct csr rows)
{
    int64_t r = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (r <= rows.n)
        rows.offsets[r] = grid_entries_before(&grid, first + r) - before;
}

/* A block makes its rows in shared memory, and writes their entries in order. If each thread wrote
 * its own row, a warp would write to the same sectors of memory once for each entry of a row. */
__global__ static void __launch_bounds__(THREADS)
    make_entries(const struct poisson3d poisson, const struct grid grid, int64_t first,
                 int64_t base, const struct csr rows)
{
    __shared__ double values[THREADS * ENTRIES];
    __shared__ int32_t columns[THREADS * ENTRIES];
    int64_t begin = blockIdx.x * (int64_t)THREADS, r = begin + threadIdx.x;
    int64_t end = begin + THREADS < rows.n ? begin + THREADS : rows.n;
    int64_t before = rows.offsets[begin], count = rows.offsets[end] - before;
    if (r < end) {
        int64_t at = rows.offsets[r] - before;
        grid_fill(&grid, first + r, base, columns + at);
        poisson3d_fill(&poisson, &grid, first + r, values + at);
    }
    __syncthreads();
    for (int64_t k = threadIdx.x; k < count; k += THREADS) {
        rows.columns[before + k] = columns[k];
        rows.values[before + k] = values[k];
    }
}

enum status poisson3d_cuda(const void *options, void *stream, int64_t first, int64_t base,
                           const struct csr *rows, struct error *error)
{
    const struct poisson3d *poisson = (const struct poisson3d *)options;
    const struct grid grid = poisson3d_grid(poisson);
    auto blocks_for = [](int64_t threads) { return (unsigned int)((threads - 1) / THREADS + 1); };
    if (rows->columns)
        make_entries<<<blocks_for(rows->n), THREADS, 0, (cudaStream_t)stream>>>(*poisson, grid,
                                                                                first, base, *rows);
    else
        make_offsets<<<blocks_for(rows->n + 1), THREADS, 0, (cudaStream_t)stream>>>(
            grid, first, grid_entries_before(&grid, first), *rows);
    cudaError_t result = cudaGetLastError();
    if (result == cudaSuccess)
        return STATUS_OK;
    return error_set(error, STATUS_DEVICE, "CUDA: the rows of poisson3d: %s",
                     cudaGetErrorString(result));
}
CUDA_PUT(poisson3d_cuda)

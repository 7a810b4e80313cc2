#include "space/vectors.h"

#include "space/cuda/cuda_columns.cuh"

CUDA_PASS_AT(fill, fill_work)
CUDA_PASS_AT(axpy, axpy_work)
CUDA_PASS_SUMS(dot, pass_sum, CUDA_ALL_STEPS, 1)

CUDA_COLUMNS_AT(fill)
CUDA_COLUMNS_AT(axpy)
CUDA_COLUMNS_SUMS(dot)

/* By the device's copy, the reference for speeds. */
extern "C" pass_launcher copy_cuda;
enum status copy_cuda(struct space *space, const struct pass *pass, int64_t n, const void *given,
                      struct error *error)
{
    const struct copy_work *work = (const struct copy_work *)given;
    return cuda_check(cudaMemcpyAsync(work->y, work->x, (size_t)n * sizeof *work->x,
                                      cudaMemcpyDeviceToDevice, space_cuda_of(space)->stream),
                      pass->name, error);
}
CUDA_PUT(copy_cuda)

/* Of a column, element by element. */
struct copy_pass {
    using work = struct copy_work;
    __device__ static void at(const work &of, int64_t i)
    {
        copy_at(&of, i);
    }
};
CUDA_COLUMNS_AT(copy)

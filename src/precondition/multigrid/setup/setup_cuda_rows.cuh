/* What the .cu files share that make coarse matrices: row offsets from the lengths of rows. */
#ifndef PRECONDITION_MULTIGRID_SETUP_SETUP_CUDA_ROWS_CUH
#define PRECONDITION_MULTIGRID_SETUP_SETUP_CUDA_ROWS_CUH

#include "precondition/multigrid/setup/setup_cuda.cuh"
#include "spmv/device_csr.h"

#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

/* offsets[n + 1] of rows with so many entries each. */
template <typename Counts>
static enum status make_offsets(struct space_cuda *cuda, Counts counts, int64_t n, int64_t *offsets,
                                struct error *error)
{
    return with_room(cuda, "the row offsets", error, [&](void *room, size_t &bytes) {
        return cub::DeviceScan::ExclusiveSum(room, bytes, counts, offsets, n + 1, cuda->stream);
    });
}

/* *made: n rows with their offsets. entries(I): how many entries row I has, and 0 for I = n. The
 * caller calls device_csr_free, on failure too. */
template <typename Entries>
static enum status create_rows(struct space *space, int64_t n, Entries entries, struct csr *made,
                               struct error *error)
{
    static const char *const what = "the row offsets";
    struct space_cuda *cuda = space_cuda_of(space);
    auto counts = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), entries);
    int64_t *offsets = NULL, nnz = 0;
    enum status status = cuda_array(cuda, n + 1, sizeof *offsets, what, (void **)&offsets, error);
    if (!status)
        status = make_offsets(cuda, counts, n, offsets, error);
    if (!status)
        status = space->operations->download(space, sizeof nnz, offsets + n, &nnz, error);
    if (!status)
        status = device_csr_create(space, CSR_SYMMETRIC, n, nnz, made, error);
    if (!status)
        status =
            cuda_check(cudaMemcpyAsync(made->offsets, offsets, (size_t)(n + 1) * sizeof *offsets,
                                       cudaMemcpyDeviceToDevice, cuda->stream),
                       what, error);
    cuda_free(cuda, offsets);
    return status;
}

/* A_c and what becomes of it, of several unknowns a cell, into *coarse; by->cells->along is not
 * read. */
enum status setup_cuda_coarsen_blocks(struct space *space, const struct csr *A,
                                      const struct rescaling *by, struct csr *coarse,
                                      struct error *error);

#endif

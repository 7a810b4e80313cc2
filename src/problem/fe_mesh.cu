#include "base/cuda_part.h"
#include "problem/fe_mesh_node.h"

#include <cub/device/device_scan.cuh>
#include <cuda_runtime.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

enum { THREADS = 128 };

/* The length of a row as a number for sums of offsets. */
struct length_of {
    struct fe_mesh box;
    int64_t first, n;

    __device__ int64_t operator()(int64_t r) const
    {
        if (r >= n)
            return 0;
        int64_t row = first + r;
        struct fe_mesh_node node = fe_mesh_node(&box, row / box.unknowns);
        return fe_mesh_row_length(box.unknowns, row % box.unknowns, fe_mesh_later(&box, &node));
    }
};

static cudaError_t make_offsets(const struct fe_mesh *box, cudaStream_t stream, int64_t first,
                                const struct csr *rows)
{
    auto lengths = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0),
                                                   length_of{*box, first, rows->n});
    size_t bytes = 0;
    void *room = NULL;
    cudaError_t result =
        cub::DeviceScan::ExclusiveSum(NULL, bytes, lengths, rows->offsets, rows->n + 1, stream);
    if (result == cudaSuccess)
        result = cudaMalloc(&room, bytes > 0 ? bytes : 1);
    if (result == cudaSuccess)
        result =
            cub::DeviceScan::ExclusiveSum(room, bytes, lengths, rows->offsets, rows->n + 1, stream);
    if (result == cudaSuccess)
        result = cudaStreamSynchronize(stream);
    cudaFree(room);
    return result;
}

template <int K>
__global__ static void __launch_bounds__(THREADS)
    fill_nodes(const struct fe_mesh box, int64_t begin, int64_t end, const struct fe_mesh_rows rows)
{
    int64_t number = begin + blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (number >= end)
        return;
    struct fe_mesh_node node = fe_mesh_node(&box, number);
    fe_mesh_fill_node(&box, K, &node, &rows);
}

template <int K>
static void fill(const struct fe_mesh *box, cudaStream_t stream, const struct fe_mesh_rows *rows)
{
    int64_t begin = rows->first / K, end = (rows->first + rows->to.n + K - 1) / K;
    fill_nodes<K><<<(unsigned int)((end - begin + THREADS - 1) / THREADS), THREADS, 0, stream>>>(
        *box, begin, end, *rows);
}

enum status fe_mesh_cuda(const void *options, void *stream, int64_t first, int64_t base,
                         const struct csr *rows, struct error *error)
{
    static void (*const fills[])(const struct fe_mesh *, cudaStream_t,
                                 const struct fe_mesh_rows *) = {
        fill<1>, fill<2>, fill<3>, fill<4>, fill<5>, fill<6>, fill<7>, fill<8>};
    static_assert(sizeof fills / sizeof *fills == FE_MESH_UNKNOWNS_MAX);
    const struct fe_mesh box = fe_mesh_box((const struct fe_mesh *)options);
    const struct fe_mesh_rows made = {first, base, *rows};
    cudaError_t result = cudaSuccess;
    if (!rows->columns) {
        result = make_offsets(&box, (cudaStream_t)stream, first, rows);
    } else if (rows->n > 0) {
        fills[box.unknowns - 1](&box, (cudaStream_t)stream, &made);
        result = cudaGetLastError();
    }
    if (result == cudaSuccess)
        return STATUS_OK;
    if (result == cudaErrorMemoryAllocation)
        cudaGetLastError(); /* clears the error for later launches */
    return error_set(error, result == cudaErrorMemoryAllocation ? STATUS_MEMORY : STATUS_DEVICE,
                     "CUDA: the rows of a mesh: %s", cudaGetErrorString(result));
}
CUDA_PUT(fe_mesh_cuda)

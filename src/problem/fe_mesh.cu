#include "problem/fe_mesh_node.h"

#include <cub/device/device_scan.cuh>
#include <cuda_runtime.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

enum { THREADS = 128 };

/* The length of a row as a number for sums of offsets. */
struct length_of {
    struct fe_mesh box;
    int64_t n;

    __device__ int64_t operator()(int64_t row) const
    {
        if (row >= n)
            return 0;
        struct fe_mesh_node node = fe_mesh_node(&box, row / box.unknowns);
        return fe_mesh_row_length(box.unknowns, row % box.unknowns, fe_mesh_later(&box, &node));
    }
};

static cudaError_t make_offsets(const struct fe_mesh *box, cudaStream_t stream,
                                const struct csr *there)
{
    auto lengths = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0),
                                                   length_of{*box, there->n});
    size_t bytes = 0;
    void *room = NULL;
    cudaError_t result =
        cub::DeviceScan::ExclusiveSum(NULL, bytes, lengths, there->offsets, there->n + 1, stream);
    if (result == cudaSuccess)
        result = cudaMalloc(&room, bytes > 0 ? bytes : 1);
    if (result == cudaSuccess)
        result = cub::DeviceScan::ExclusiveSum(room, bytes, lengths, there->offsets, there->n + 1,
                                               stream);
    if (result == cudaSuccess)
        result = cudaStreamSynchronize(stream);
    cudaFree(room);
    return result;
}

template <int K>
__global__ static void __launch_bounds__(THREADS)
    fill_nodes(const struct fe_mesh box, int64_t nodes, const struct csr A)
{
    int64_t number = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (number >= nodes)
        return;
    struct fe_mesh_node node = fe_mesh_node(&box, number);
    fe_mesh_fill_node(&box, K, &node, &A);
}

template <int K> static void fill(const struct fe_mesh *box, cudaStream_t stream, struct csr there)
{
    int64_t nodes = there.n / K;
    fill_nodes<K><<<(unsigned int)((nodes + THREADS - 1) / THREADS), THREADS, 0, stream>>>(
        *box, nodes, there);
}

enum status fe_mesh_there(const void *options, void *stream, const struct csr *there,
                          struct error *error)
{
    static void (*const fills[])(const struct fe_mesh *, cudaStream_t, struct csr) = {
        fill<1>, fill<2>, fill<3>, fill<4>, fill<5>, fill<6>, fill<7>, fill<8>};
    static_assert(sizeof fills / sizeof *fills == FE_MESH_UNKNOWNS_MAX);
    const struct fe_mesh box = fe_mesh_box((const struct fe_mesh *)options);
    cudaError_t result = make_offsets(&box, (cudaStream_t)stream, there);
    if (result == cudaSuccess) {
        fills[box.unknowns - 1](&box, (cudaStream_t)stream, *there);
        result = cudaGetLastError();
    }
    if (result == cudaSuccess)
        return STATUS_OK;
    return error_set(error, STATUS_DEVICE, "CUDA: the rows of a mesh: %s",
                     cudaGetErrorString(result));
}
